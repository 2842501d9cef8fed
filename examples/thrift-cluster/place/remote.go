package place

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/seamgo/seam/thrift"
)

// pooled is seam's pool of connections with the errors and the time limit of this package.
type pooled struct {
	pool    *thrift.Pool
	timeout time.Duration
}

func (r pooled) Call(ctx context.Context, function string, args, result thrift.Body) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	err := r.pool.Call(ctx, function, args, result)
	var none *unconnected
	if ctx.Err() == nil && errors.As(err, &none) {
		return &Unreachable{Err: none.error}
	}
	return ofSeam(ctx, function, err)
}

// An unconnected error is one before a call was sent.
type unconnected struct{ error }

func (e *unconnected) Unwrap() error { return e.error }

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, &unconnected{err}
	}
	return c, nil
}

// here calls a server in this process. It goes through the codec as well: the handler gets
// arguments of its own, a panic in it is an error, and all errors are those of the wire.
type here struct {
	server  *thrift.Server
	timeout time.Duration
	clients sync.Pool // of *thrift.Client, which make one call at a time
}

func (h *here) Call(ctx context.Context, function string, args, result thrift.Body) error {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	c, ok := h.clients.Get().(*thrift.Client)
	if !ok {
		c = thrift.NewClient(thrift.Local(h.server), thrift.ClientOptions{})
	}
	err := c.Call(ctx, function, args, result)
	if c.Err() == nil {
		h.clients.Put(c)
	}
	return ofSeam(ctx, function, err)
}
