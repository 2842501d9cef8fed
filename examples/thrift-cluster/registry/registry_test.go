package registry

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/kitex/pkg/klog"
	"github.com/kitex-contrib/registry-etcd/retry"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/seamgo/seam/examples/internal/servers"
	"github.com/seamgo/seam/internal/testenv"
)

// patient is how long a test waits for what must come.
const patient = 2 * time.Minute

// log is what Kitex and registry-etcd say.
var log syncBuffer

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) contains(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.b.String(), text)
}

func TestMain(m *testing.M) {
	klog.SetOutput(&log)
	code := m.Run()
	klog.SetOutput(io.Discard)
	os.Exit(code)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patient); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in %v not: %s", patient, what)
		}
	}
}

// A server whose lease is lost registers again, however long etcd was away. registry-etcd
// by itself gives up after some attempts, and never does.
func TestLostLease(t *testing.T) {
	testenv.Tool(t, "etcd")
	etcd, err := servers.Etcd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Stop()
	endpoints := []string{etcd.Address()}
	address := func(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }
	ours, err := Join(endpoints, "orders", address(1), 10)
	if err != nil {
		t.Fatal(err)
	}
	// Its own way, but for the times: its five attempts take more than a minute.
	impatient := retry.NewRetryConfig(retry.WithMaxAttemptTimes(1), retry.WithObserveDelay(10*time.Millisecond), retry.WithRetryDelay(10*time.Millisecond))
	if _, err := join(endpoints, "orders", address(2), 10, impatient); err != nil {
		t.Fatal(err)
	}
	resolver, err := NewResolver(endpoints)
	if err != nil {
		t.Fatal(err)
	}
	there := func() string {
		r, err := resolver.Resolve(t.Context(), "orders")
		if err != nil {
			return err.Error()
		}
		var list []string
		for _, x := range r.Instances {
			list = append(list, x.Address().String())
		}
		return strings.Join(list, " ")
	}
	if got := there(); got != "127.0.0.1:1 127.0.0.1:2" {
		t.Fatalf("there are %s", got)
	}

	etcd.Crash()
	if got := there(); strings.Contains(got, "127.0.0.1:1") {
		t.Errorf("without etcd there are %s", got)
	}
	eventually(t, "registry-etcd gives up", func() bool {
		return log.contains("keep register service kitex/registry-etcd/orders/127.0.0.1:2 failed times:1")
	})
	if err := etcd.Again(t.Context()); err != nil {
		t.Fatal(err)
	}
	revokeAll(t, endpoints)
	eventually(t, "the one that was patient is back, alone", func() bool { return there() == "127.0.0.1:1" })

	// And once more, without an outage.
	revokeAll(t, endpoints)
	eventually(t, "it is back again", func() bool { return there() == "127.0.0.1:1" })
	if err := ours.Leave(); err != nil {
		t.Error(err)
	}
	eventually(t, "it has left", func() bool { return strings.Contains(there(), "no instance remains") })
}

// revokeAll ends all leases, as etcd does by itself when it has not heard of a server.
func revokeAll(t *testing.T, endpoints []string) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: patient, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	all, err := c.Leases(t.Context())
	if err != nil || len(all.Leases) == 0 {
		t.Fatalf("leases: %v, %v", all, err)
	}
	for _, l := range all.Leases {
		if _, err := c.Revoke(t.Context(), l.ID); err != nil {
			t.Error(err)
		}
	}
}

func TestNoEtcd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := Join([]string{l.Addr().String()}, "orders", l.Addr(), 10); err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("registered, %v", err)
	}
}
