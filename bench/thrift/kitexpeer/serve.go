// Package kitexpeer starts Kitex's servers for tests, and has the options for its clients.
package kitexpeer

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/klog"
	"github.com/cloudwego/kitex/server"
	"github.com/cloudwego/kitex/transport"
)

// Transports are those that Kitex has for Thrift.
var Transports = map[string]transport.Protocol{
	"buffered": transport.PurePayload, "framed": transport.Framed,
	"ttheader": transport.TTHeader, "ttheader framed": transport.TTHeaderFramed,
}

// Options are those of a client of a server at an address.
func Options(address string, p transport.Protocol) []client.Option {
	return []client.Option{client.WithHostPorts(address), client.WithTransportProtocol(p), client.WithRPCTimeout(10 * time.Second)}
}

// Register is for Serve, with what registers a service.
func Register(t *testing.T, register func(server.Server) error) func(...server.Option) server.Server {
	return func(o ...server.Option) server.Server {
		t.Helper()
		s := server.NewServer(o...)
		if err := register(s); err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// Serve runs a server until the test ends.
func Serve(t testing.TB, with func(...server.Option) server.Server) (address string) {
	t.Helper()
	klog.SetOutput(io.Discard) // it tells every connection and error
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	s := with(server.WithListener(l), server.WithExitWaitTime(time.Millisecond), server.WithExitSignal(func() <-chan error { return nil }))
	done := make(chan error, 1)
	go func() { done <- s.Run() }()
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for range 500 { // it listens already, but may not accept yet
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server does not accept connections")
	return ""
}
