package place

import (
	"context"
	"net"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/circuitbreak"
	"github.com/cloudwego/kitex/pkg/connpool"
	"github.com/cloudwego/kitex/pkg/loadbalance/lbcache"
	"github.com/cloudwego/kitex/pkg/rpcinfo"
	"github.com/cloudwego/kitex/server"
	"github.com/cloudwego/kitex/transport"

	"github.com/seamgo/seam/examples/thrift-cluster/balance"
	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	service "github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/registry"
)

// Name is what the service is called in the registry.
const Name = "seam.orders"

// Observers are Kitex's suites for traces and metrics.
type Observers struct {
	Client []client.Option
	Server []server.Option
}

func (p Place) dialCluster(opt DialOptions) (*Client, error) {
	resolver, err := registry.NewResolver(p.etcd)
	if err != nil {
		return nil, err
	}
	breakers := circuitbreak.NewCBSuite(circuitbreak.RPCInfo2Key, circuitbreak.WithInstanceGetErrorType(blame))
	breakers.UpdateInstanceCBConfig(circuitbreak.CBConfig{Enable: true, ErrRate: 0.5, MinSample: 10})
	// One server that is gone must not keep callers from the others: the breaker of the whole
	// service stays closed.
	breakers.UpdateServiceCBConfig("*", circuitbreak.CBConfig{Enable: false})
	options := []client.Option{
		client.WithDestService(Name),
		client.WithClientBasicInfo(&rpcinfo.EndpointBasicInfo{ServiceName: Name + ".client"}),
		client.WithTransportProtocol(transport.Framed),
		client.WithResolver(resolver),
		client.WithLoadBalancer(balance.New(), &lbcache.Options{RefreshInterval: opt.Refresh}),
		client.WithRPCTimeout(opt.Timeout),
		// One for each call under way, as seam's pool has them: Kitex by itself makes one for
		// each call.
		client.WithLongConnection(connpool.IdleConfig{MaxIdlePerAddress: 64, MaxIdleGlobal: 1 << 16, MaxIdleTimeout: time.Minute}),
		client.WithConnectTimeout(min(opt.Timeout, 200*time.Millisecond)),
		client.WithRetryMethodPolicies(retries()),
		client.WithMiddleware(keepAnswer),
		client.WithCircuitBreaker(breakers),
	}
	c, err := client.NewClient(service.NewServiceInfoForClient(), append(options, opt.Observe.Client...)...)
	if err != nil {
		return nil, err
	}
	return &Client{orders.NewOrdersClient(kitexCaller{c, opt.Timeout}), func() error {
		if closer, ok := c.(interface{ Close() error }); ok {
			return closer.Close()
		}
		return nil
	}}, nil
}

func (p Place) serveCluster(h orders.Orders, opt ServeOptions) (*Server, error) {
	if opt.Listen == "" {
		opt.Listen = "127.0.0.1:0"
	}
	if opt.Weight == 0 {
		opt.Weight = 10
	}
	if opt.Grace == 0 {
		opt.Grace = 2 * time.Second
	}
	l, err := net.Listen("tcp", opt.Listen)
	if err != nil {
		return nil, err
	}
	begun := make(chan struct{})
	options := []server.Option{
		server.WithListener(l),
		server.WithCodec(newCodec()),
		server.WithServerBasicInfo(&rpcinfo.EndpointBasicInfo{ServiceName: Name}),
		// Signals are for main. Kitex asks for this when a goroutine is about to serve. Its
		// Stop does nothing before that one does: Join gives it the time.
		server.WithExitSignal(func() <-chan error { close(begun); return nil }),
		server.WithExitWaitTime(5 * time.Second),
	}
	// Kitex panics at a handler that is not a pointer.
	kitex := service.NewServer(&struct{ orders.Orders }{h}, append(options, opt.Observe.Server...)...)
	s := &Server{address: l.Addr().String(), done: make(chan error, 1)}
	go func() {
		if err := kitex.Run(); err != nil {
			s.done <- err
		}
	}()
	select {
	case <-begun:
	case err := <-s.done:
		return nil, err
	}
	// Into the registry last: a client that finds the server there can call it.
	member, err := registry.Join(p.etcd, Name, l.Addr(), opt.Weight)
	if err != nil {
		_ = kitex.Stop()
		return nil, err
	}
	s.leave = func(ctx context.Context) error {
		err := member.Leave()
		select {
		case <-time.After(opt.Grace):
		case <-ctx.Done():
		}
		return err
	}
	s.stop = func(context.Context) error { return kitex.Stop() } // waits for calls, 5 seconds at most
	return s, nil
}
