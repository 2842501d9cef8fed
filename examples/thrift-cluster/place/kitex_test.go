package place

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/server"

	service "github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
)

// What keepAnswer is for. Where this fails Kitex has been fixed, and keepAnswer can go.
func TestKitexLosesExceptionsWhereItMayRetry(t *testing.T) {
	s, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	kitex := service.NewServer(s, server.WithListener(l), server.WithExitSignal(func() <-chan error { close(begun); return nil }))
	go func() {
		if err := kitex.Run(); err != nil {
			t.Error(err)
		}
	}()
	<-begun
	defer kitex.Stop()
	options := []client.Option{client.WithHostPorts(l.Addr().String()), client.WithRPCTimeout(time.Minute)}
	plain, err := service.NewClient(Name, options...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Get(t.Context(), "anna", 99); err == nil {
		t.Error("without retries there is no exception")
	}
	retrying, err := service.NewClient(Name, append(options, client.WithRetryMethodPolicies(retries()))...)
	if err != nil {
		t.Fatal(err)
	}
	if order, err := retrying.Get(t.Context(), "anna", 99); order != nil || err != nil {
		t.Errorf("with retries: %v, %v: the exception is no longer lost", order, err)
	}
}
