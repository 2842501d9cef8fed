package place

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/registry"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
)

// A server that takes calls and answers none is passed over when some have run into their
// time limit, though it stays in the registry: the users that are its own go to its deputy.
func TestBreakerCountsTimeouts(t *testing.T) {
	etcd := startEtcd(t)
	p, err := Parse("cluster:" + etcd.Address())
	if err != nil {
		t.Fatal(err)
	}
	s, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server, err := p.Serve(s, ServeOptions{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nobody reads
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	m, err := registry.Join([]string{etcd.Address()}, Name, deaf.Addr(), 10)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Dial(DialOptions{Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	// Every user in turn: some are the deaf server's.
	failed, row := 0, 0
	for i := 0; row < 50; i++ {
		if _, err := c.Of(t.Context(), string(rune('a'+i%26))); err != nil {
			failed, row = failed+1, 0
		} else {
			row++
		}
		if i == 2000 {
			t.Fatalf("after %d calls, %d without an answer, the deaf server is still asked", i, failed)
		}
	}
	if failed == 0 {
		t.Error("nobody was the deaf server's: the test shows nothing")
	}
	c.Close()
	if err := m.Leave(); err != nil {
		t.Error(err)
	}
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
