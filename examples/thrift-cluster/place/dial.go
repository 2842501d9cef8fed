package place

import (
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
	if p.network == "here" {
		if opt.Handler == nil {
			return nil, errors.New("there is no handler to call here")
		}
		return &Client{orders.NewOrdersClient(&here{server: newServer(opt.Handler), timeout: opt.Timeout}), func() error { return nil }}, nil
	}
	pool, err := thrift.NewPool(thrift.PoolOptions{
		Network: p.network, Addresses: []string{p.address}, Dial: dial,
		MaxConns: 1000, MaxIdle: 64, // a connection for each call under way
	})
	if err != nil {
		return nil, err
	}
	return &Client{orders.NewOrdersClient(pooled{pool, opt.Timeout}), pool.Close}, nil
}
