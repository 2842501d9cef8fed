package place

import (
	"path/filepath"
	"testing"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
	"github.com/seamgo/seam/thrift"
)

// Clients that know nothing of Kitex or etcd can call a server of a cluster, framed or not.
// Kitex reads the binary protocol alone.
func TestOtherClients(t *testing.T) {
	s, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := Parse("cluster:" + startEtcd(t).Address())
	if err != nil {
		t.Fatal(err)
	}
	server, err := p.Serve(s, ServeOptions{Grace: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, framing := range []thrift.Framing{thrift.Framed, thrift.Buffered} {
		conn, err := thrift.Dial(t.Context(), "tcp", server.Address(), thrift.ConnOptions{Framing: framing})
		if err != nil {
			t.Fatal(err)
		}
		caller := thrift.NewClient(conn, thrift.ClientOptions{})
		if list, err := orders.NewOrdersClient(caller).Of(t.Context(), "anna"); err != nil || len(list) != 0 {
			t.Errorf("%v: %v, %v", framing, list, err)
		}
		if err := caller.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
