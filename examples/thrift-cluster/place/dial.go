package place

import (
	"context"
	"errors"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/thrift"
)

// DialOptions are for a client. The zero value stands for the defaults.
type DialOptions struct {
	// Handler is called where the place is here.
	Handler orders.Orders
	// Timeout bounds a call, with all its attempts. Default: 1 second.
	Timeout time.Duration
	// Refresh is how often a client of a cluster asks etcd who is there. Default: 1 second.
	Refresh time.Duration
	// Observe sees calls of a cluster: traces, metrics.
	Observe Observers
}

// A Client calls the service, from any number of goroutines.
type Client struct {
	orders.Orders
	close func() error
}

// Close closes the connections to servers. The one to etcd stays, since registry-etcd can't
// close it: a process needs one client of a cluster.
func (c *Client) Close() error { return c.close() }

// Dial returns a client of the service at a place. It connects when it is called.
func (p Place) Dial(opt DialOptions) (*Client, error) {
	if opt.Timeout == 0 {
		opt.Timeout = time.Second
	}
	if opt.Refresh == 0 {
		opt.Refresh = time.Second
	}
	if p.network == "cluster" {
		return p.dialCluster(opt)
	}
	connect := func(ctx context.Context) (thrift.Transport, error) {
		return thrift.Dial(ctx, p.network, p.address, thrift.ConnOptions{})
	}
	if p.network == "here" {
		if opt.Handler == nil {
			return nil, errors.New("there is no handler to call here")
		}
		// Through the codec as well: the handler gets arguments of its own, a panic in it
		// is an error, and all errors are those of the wire.
		server := newServer(opt.Handler)
		connect = func(context.Context) (thrift.Transport, error) { return thrift.Local(server), nil }
	}
	pool := &pool{connect: connect, timeout: opt.Timeout}
	return &Client{orders.NewOrdersClient(pool), pool.Close}, nil
}
