package apacherpc

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	lib "github.com/apache/thrift/lib/go/thrift"

	"github.com/seamgo/seam/bench/thrift/codecs"
	theirs "github.com/seamgo/seam/bench/thrift/peers/apache"
	ours "github.com/seamgo/seam/bench/thrift/peers/seam"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/thrifthttp"
)

// The handlers give back what they get, or an error if that has no data1.
type ourHandler struct{}

func (ourHandler) Method(_ context.Context, req *ours.Example) (*ours.Example, error) {
	if len(req.Data1) == 0 {
		return nil, errors.New("nothing in data1")
	}
	return req, nil
}

type theirHandler struct{}

func (theirHandler) Method(_ context.Context, req *theirs.Example) (*theirs.Example, error) {
	if len(req.Data1) == 0 {
		return nil, errors.New("nothing in data1")
	}
	return req, nil
}

func ourServer() *thrift.Server {
	return &thrift.Server{
		Processor: thrift.Multiplexed{"": ours.NewSerializeProcessor(ourHandler{}), "serialize": ours.NewSerializeProcessor(ourHandler{})},
		Logger:    slog.New(slog.DiscardHandler),
	}
}

func theirProcessor() lib.TProcessor {
	p := lib.NewTMultiplexedProcessor()
	p.RegisterProcessor("serialize", theirs.NewSerializeProcessor(theirHandler{}))
	p.RegisterDefault(theirs.NewSerializeProcessor(theirHandler{}))
	return p
}

var protocols = map[string]struct {
	ours   thrift.Protocol
	theirs lib.TProtocolFactory
}{
	"binary":  {thrift.Binary, lib.NewTBinaryProtocolFactoryConf(nil)},
	"compact": {thrift.Compact, lib.NewTCompactProtocolFactoryConf(nil)},
}

// both calls a function as it is, and as that of a service among others.
func both(t *testing.T, service string, c thrift.Caller) {
	t.Helper()
	if service != "" {
		c = thrift.Multiplex(c, service)
	}
	client := ours.NewSerializeClient(c)
	want := new(ours.Example)
	if err := want.DecodeBinary(codecs.Reference()["ex64"]); err != nil {
		t.Fatal(err)
	}
	if got, err := client.Method(t.Context(), want); err != nil || !got.Equal(want) {
		t.Errorf("%v", err)
	}
	var e *thrift.ApplicationException
	if _, err := client.Method(t.Context(), &ours.Example{}); !errors.As(err, &e) {
		t.Errorf("the handler's error came back as %v", err)
	}
}

func TestOurClients(t *testing.T) {
	for name, p := range protocols {
		web := httptest.NewServer(http.HandlerFunc(lib.NewThriftHandlerFunc(theirProcessor(), p.theirs, p.theirs)))
		defer web.Close()
		socket, err := lib.NewTServerSocket("127.0.0.1:0")
		if err == nil {
			err = socket.Listen()
		}
		if err != nil {
			t.Fatal(err)
		}
		server := lib.NewTSimpleServer4(theirProcessor(), socket, lib.NewTFramedTransportFactoryConf(lib.NewTTransportFactory(), nil), p.theirs)
		done := make(chan error, 1)
		go func() { done <- server.AcceptLoop() }()
		defer func() { server.Stop(); <-done }()
		for _, service := range []string{"", "serialize"} {
			t.Run(name+", HTTP, "+service, func(t *testing.T) {
				both(t, service, thrifthttp.NewClient(web.URL, thrifthttp.Options{Protocol: p.ours}))
			})
			t.Run(name+", framed, "+service, func(t *testing.T) {
				conn, err := thrift.Dial(t.Context(), "tcp", socket.Addr().String(), thrift.ConnOptions{})
				if err != nil {
					t.Fatal(err)
				}
				c := thrift.NewClient(conn, thrift.ClientOptions{Protocol: p.ours})
				defer c.Close()
				both(t, service, c)
			})
		}
	}
}

func TestTheirClients(t *testing.T) {
	web := httptest.NewServer(thrifthttp.Handler(ourServer()))
	defer web.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := ourServer()
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	defer func() { s.Close(); <-done }()
	want := theirs.NewExample()
	reader := lib.NewTDeserializer()
	if err := reader.Read(t.Context(), want, codecs.Reference()["ex64"]); err != nil {
		t.Fatal(err)
	}
	for name, p := range protocols {
		for by, open := range map[string]func() (lib.TTransport, error){
			"HTTP": func() (lib.TTransport, error) { return lib.NewTHttpClient(web.URL) },
			"framed": func() (lib.TTransport, error) {
				return lib.NewTFramedTransportConf(lib.NewTSocketConf(l.Addr().String(), nil), nil), nil
			},
		} {
			for _, service := range []string{"", "serialize"} {
				t.Run(name+", "+by+", "+service, func(t *testing.T) {
					transport, err := open()
					if err == nil {
						err = transport.Open()
					}
					if err != nil {
						t.Fatal(err)
					}
					defer transport.Close()
					in, out := p.theirs.GetProtocol(transport), p.theirs.GetProtocol(transport)
					if service != "" {
						out = lib.NewTMultiplexedProtocol(out, service)
					}
					c := theirs.NewSerializeClient(lib.NewTStandardClient(in, out))
					if got, err := c.Method(t.Context(), want); err != nil || !got.Equals(want) {
						t.Errorf("%v", err)
					}
					var e lib.TApplicationException
					if _, err := c.Method(t.Context(), theirs.NewExample()); !errors.As(err, &e) {
						t.Errorf("the handler's error came back as %v", err)
					}
				})
			}
		}
	}
}
