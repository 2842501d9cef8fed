package place

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/thrift"
)

// ServeOptions are for a server. The zero value stands for the defaults.
type ServeOptions struct {
	// Listen is the address of a server of a cluster. Default: a free port of loopback.
	Listen string
	// Weight is a server's share of the load, against that of the others. Default: 10.
	Weight int
	// Grace is how long a server of a cluster goes on when it has left the registry,
	// until all clients know. It is longer than they take to refresh. Default: 2 seconds.
	Grace time.Duration
	// Observe sees the calls of a server of a cluster: traces, metrics.
	Observe Observers
}

// A Server serves.
type Server struct {
	address string
	leave   func(context.Context) error // nil: it is in no registry
	stop    func(context.Context) error
	done    chan error
}

// Address is where it listens.
func (s *Server) Address() string { return s.address }

// Done gives the reason why the server has ended by itself.
func (s *Server) Done() <-chan error { return s.done }

// Shutdown drains the server: it leaves the registry, serves who has not heard of that
// yet, finishes the calls that are under way, and ends.
func (s *Server) Shutdown(ctx context.Context) error {
	var err error
	if s.leave != nil {
		err = s.leave(ctx)
	}
	return errors.Join(err, s.stop(ctx))
}

// Serve begins to serve, and returns when the server takes calls.
func (p Place) Serve(h orders.Orders, opt ServeOptions) (*Server, error) {
	switch p.network {
	case "here":
		return nil, errors.New("here is no place for a server: give the handler to Dial")
	case "cluster":
		return p.serveCluster(h, opt)
	}
	l, err := listen(p.network, p.address)
	if err != nil {
		return nil, err
	}
	server := newServer(h)
	s := &Server{address: l.Addr().String(), done: make(chan error, 1)}
	s.stop = func(ctx context.Context) error { return errors.Join(server.Shutdown(ctx), server.Close()) }
	go func() {
		if err := server.Serve(l); !errors.Is(err, thrift.ErrServerClosed) {
			s.done <- fmt.Errorf("server: %w", err)
		}
	}()
	return s, nil
}

func newServer(h orders.Orders) *thrift.Server {
	return &thrift.Server{
		Processor: orders.NewOrdersProcessor(h),
		Decode:    thrift.Options{Limits: thrift.Limits{Message: 1 << 20}},
	}
}
