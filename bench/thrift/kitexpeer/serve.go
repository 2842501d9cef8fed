// Package kitexpeer starts Kitex's servers for tests, and has the options for its clients.
package kitexpeer

import (
	"errors"
	"io"
	"net"
	"os"
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
	s := with(server.WithListener(l), server.WithExitWaitTime(time.Millisecond), server.WithExitSignal(func() <-chan error { return nil }))
	done := make(chan error, 1)
	go func() { done <- s.Run() }()
	if err := answers(l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// answers waits until a server closes the connection on which it gets nonsense. Kitex's Stop
// does nothing before that, and Run never returns then: the kernel accepts connections
// earlier, and Kitex asks for its exit signal earlier.
func answers(address string) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := c.Write(make([]byte, 64)); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return nil
}
