package registry

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/kitex-contrib/registry-etcd/retry"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/seamgo/seam/examples/internal/servers"
	"github.com/seamgo/seam/internal/testenv"
)

// A server that leaves while its lease is lost, and it registers again, has left.
func TestLeaveWhileItRegistersAgain(t *testing.T) {
	testenv.Tool(t, "etcd")
	etcd, err := servers.Etcd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Stop()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{etcd.Address()}, DialTimeout: patient, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// It looks all the time whether its entry is there.
	busy := retry.NewRetryConfig(retry.WithMaxAttemptTimes(0), retry.WithObserveDelay(time.Microsecond), retry.WithRetryDelay(time.Microsecond))
	for i := range 40 {
		m, err := join([]string{etcd.Address()}, "orders", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1000 + i}, 10, busy)
		if err != nil {
			t.Fatal(err)
		}
		revokeAll(t, []string{etcd.Address()})
		if err := m.Leave(); err != nil {
			t.Error(err)
		}
	}
	// What those of them do that do not know of their end yet is refused.
	for range 50 {
		r, err := c.Get(t.Context(), "kitex/registry-etcd/", clientv3.WithPrefix())
		if err != nil {
			t.Fatal(err)
		}
		var there []string
		for _, kv := range r.Kvs {
			there = append(there, string(kv.Key))
		}
		if len(there) > 0 {
			t.Fatalf("they have left and are there: %s", strings.Join(there, " "))
		}
	}
}
