package place

import (
	"context"
	"sync"
	"time"

	"github.com/seamgo/seam/thrift"
)

// idle is how many connections a pool keeps that nobody uses.
const idle = 64

// A pool is a thrift.Caller over as many connections as there are calls at a time.
type pool struct {
	connect func(context.Context) (thrift.Transport, error)
	timeout time.Duration

	mu     sync.Mutex
	free   []*thrift.Client // used last, taken first
	closed bool
}

func (p *pool) Call(ctx context.Context, function string, args, result thrift.Body) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	c, err := p.take(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ofContext(ctx, err)
		}
		return &Unreachable{Err: err}
	}
	err = c.Call(ctx, function, args, result)
	p.give(c)
	return ofSeam(ctx, function, err)
}

// take returns a connection. An idle one may have been closed by its server: that shows
// when it is used, and a call that was sent is not sent again.
func (p *pool) take(ctx context.Context) (*thrift.Client, error) {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	t, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	return thrift.NewClient(t, thrift.ClientOptions{}), nil
}

func (p *pool) give(c *thrift.Client) {
	p.mu.Lock()
	keep := c.Err() == nil && !p.closed && len(p.free) < idle
	if keep {
		p.free = append(p.free, c)
	}
	p.mu.Unlock()
	if !keep {
		_ = c.Close() // a broken one: its error was the call's
	}
}

// Close closes the idle connections, and the others when their calls are over.
func (p *pool) Close() error {
	p.mu.Lock()
	free := p.free
	p.free, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range free {
		_ = c.Close()
	}
	return nil
}
