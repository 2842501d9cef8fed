package thrift_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
)

// Generated code has a constructor for the processor of each service; this
// one is written by hand.
type pinger struct{}

func (pinger) Process(_ context.Context, c *thrift.Call) {
	switch c.Function {
	case "ping":
		if c.Args(new(codec.Empty)) {
			c.Reply(new(codec.Empty))
		}
	default:
		c.UnknownFunction()
	}
}

// A processor around another sees every call.
type counted struct {
	thrift.Processor
	calls chan<- string
}

func (p counted) Process(ctx context.Context, c *thrift.Call) {
	p.Processor.Process(ctx, c)
	p.calls <- c.Function
}

func ExampleServer() {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	calls := make(chan string, 10)
	server := &thrift.Server{Processor: counted{pinger{}, calls}, IdleTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := thrift.Dial(ctx, "tcp", l.Addr().String(), thrift.ConnOptions{Framing: thrift.Buffered})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := thrift.NewClient(conn, thrift.ClientOptions{Protocol: thrift.Compact})
	for _, function := range []string{"ping", "pong"} {
		err := client.Call(ctx, function, new(codec.Empty), new(codec.Empty))
		fmt.Println(<-calls, err)
	}
	_ = client.Close()
	fmt.Println(server.Shutdown(ctx), <-served)
	// Output:
	// ping <nil>
	// pong unknown function "pong"
	// <nil> thrift: server is closed
}

// A test of a handler needs no connection.
func ExampleLocal() {
	client := thrift.NewClient(thrift.Local(&thrift.Server{Processor: pinger{}}), thrift.ClientOptions{})
	fmt.Println(client.Call(context.Background(), "ping", new(codec.Empty), new(codec.Empty)))
	// Output: <nil>
}
