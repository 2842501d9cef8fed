package kitexrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/klog"
	"github.com/cloudwego/kitex/server"
	"github.com/cloudwego/kitex/transport"

	"github.com/seamgo/seam/bench/thrift/codecs"
	"github.com/seamgo/seam/bench/thrift/peers/kitex"
	theirs "github.com/seamgo/seam/bench/thrift/peers/kitex/serialize"
	"github.com/seamgo/seam/bench/thrift/peers/seamkitex"
	ours "github.com/seamgo/seam/bench/thrift/peers/seamkitex/serialize"
)

// ourHandler and theirHandler give back what they get, or an error if that has no data1.
type ourHandler struct{}

func (*ourHandler) Method(_ context.Context, req *seamkitex.Example) (*seamkitex.Example, error) {
	if len(req.Data1) == 0 {
		return nil, errors.New("nothing in data1")
	}
	return req, nil
}

type theirHandler struct{}

func (*theirHandler) Method(_ context.Context, req *kitex.Example) (*kitex.Example, error) {
	if len(req.Data1) == 0 {
		return nil, errors.New("nothing in data1")
	}
	return req, nil
}

// serve runs a server until the test ends.
func serve(t *testing.T, register func(server.Server) error) (address string) {
	t.Helper()
	klog.SetOutput(io.Discard) // it tells every connection and error
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	s := server.NewServer(server.WithListener(l), server.WithExitWaitTime(time.Millisecond), server.WithExitSignal(func() <-chan error { return nil }))
	if err := register(s); err != nil {
		t.Fatal(err)
	}
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

// Each transport that Kitex has for Thrift.
var transports = map[string]transport.Protocol{
	"buffered": transport.PurePayload, "framed": transport.Framed,
	"ttheader": transport.TTHeader, "ttheader framed": transport.TTHeaderFramed,
}

func options(address string, p transport.Protocol) []client.Option {
	return []client.Option{client.WithHostPorts(address), client.WithTransportProtocol(p), client.WithRPCTimeout(10 * time.Second)}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKitexClientToOurTypes(t *testing.T) {
	address := serve(t, func(s server.Server) error { return ours.RegisterService(s, &ourHandler{}) })
	for name, p := range transports {
		t.Run(name, func(t *testing.T) {
			c, err := theirs.NewClient("serialize", options(address, p)...)
			if err != nil {
				t.Fatal(err)
			}
			want := codecs.Example(64)
			got, err := c.Method(t.Context(), want)
			if err != nil {
				t.Fatal(err)
			}
			if !got.DeepEqual(want) {
				t.Error("another message came back")
			}
			if _, err := c.Method(t.Context(), &kitex.Example{}); err == nil || !strings.Contains(err.Error(), "nothing in data1") {
				t.Errorf("the handler's error came back as %v", err)
			}
		})
	}
}

func TestOurTypesToKitexServer(t *testing.T) {
	address := serve(t, func(s server.Server) error { return theirs.RegisterService(s, &theirHandler{}) })
	for name, p := range transports {
		t.Run(name, func(t *testing.T) {
			c, err := ours.NewClient("serialize", options(address, p)...)
			if err != nil {
				t.Fatal(err)
			}
			want := new(seamkitex.Example)
			if err := want.DecodeBinary(codecs.Reference()["ex64"]); err != nil {
				t.Fatal(err)
			}
			got, err := c.Method(t.Context(), want)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(want) {
				t.Error("another message came back")
			}
			if !bytes.Equal(asJSON(t, got), asJSON(t, codecs.Example(64))) {
				t.Error("it is not what Kitex's own type holds")
			}
			if _, err := c.Method(t.Context(), &seamkitex.Example{}); err == nil || !strings.Contains(err.Error(), "nothing in data1") {
				t.Errorf("the handler's error came back as %v", err)
			}
		})
	}
}
