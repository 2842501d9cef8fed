// Package registry is how servers say in etcd that they are there, and clients find them.
// It is kitex-contrib's registry-etcd, kept from what hurts in it:
//
//   - A server whose lease is lost tries five times in a minute to register again, and then
//     never more: after an outage of etcd it serves nobody. Ours tries for ever.
//   - It looks every 30 seconds whether its entry is there: ours every second.
//   - An entry outlives a server that was killed by 60 seconds: ours by 5. Clients don't wait
//     for that: a server that refuses connections is passed over.
//   - A server that leaves while it registers again, its lease being lost, is in the registry
//     for as long as it lives. Nothing that ours sends arrives when it has left.
//   - Clients ask etcd without a time limit: see [NewResolver].
package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cloudwego/kitex/pkg/discovery"
	kitex "github.com/cloudwego/kitex/pkg/registry"
	etcd "github.com/kitex-contrib/registry-etcd"
	"github.com/kitex-contrib/registry-etcd/retry"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// leaseVariable is registry-etcd's way to be told how long a lease is, in seconds.
const leaseVariable = "KITEX_ETCD_REGISTRY_LEASE_TTL"

// lease is set once: the environment belongs to the process.
var lease = sync.OnceFunc(func() {
	if os.Getenv(leaseVariable) == "" {
		os.Setenv(leaseVariable, "5")
	}
})

// patience bounds one attempt to reach etcd.
const patience = 3 * time.Second

// options are the settings of etcd's client for both sides.
func options(c *etcd.Config) {
	c.EtcdConfig.DialTimeout = patience
	c.EtcdConfig.DialKeepAliveTime = patience // a connection that hangs is noticed
	c.EtcdConfig.DialKeepAliveTimeout = patience
	// What it would log is in the errors that it returns.
	c.EtcdConfig.Logger = zap.NewNop()
}

// A Member is a server's entry.
type Member struct {
	registry kitex.Registry
	info     *kitex.Info
	gate     *gate
}

// Join makes the server's entry, and keeps it until it leaves.
func Join(endpoints []string, service string, address net.Addr, weight int) (*Member, error) {
	always := retry.NewRetryConfig(retry.WithMaxAttemptTimes(0), retry.WithObserveDelay(time.Second), retry.WithRetryDelay(time.Second))
	return join(endpoints, service, address, weight, always)
}

func join(endpoints []string, service string, address net.Addr, weight int, again *retry.Config) (*Member, error) {
	lease()
	g := new(gate)
	r, err := etcd.NewEtcdRegistryWithRetry(endpoints, again, options, func(c *etcd.Config) {
		c.EtcdConfig.DialOptions = append(c.EtcdConfig.DialOptions, grpc.WithChainUnaryInterceptor(g.pass))
	})
	if err != nil {
		return nil, err
	}
	m := &Member{r, &kitex.Info{ServiceName: service, Addr: address, Weight: weight}, g}
	if err := r.Register(m.info); errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("registry: no etcd answers at %s: %w", strings.Join(endpoints, ", "), err)
	} else if err != nil {
		return nil, fmt.Errorf("registry %s: %w", strings.Join(endpoints, ", "), err)
	}
	return m, nil
}

// Leave deletes the entry. Without etcd it can't, and the lease ends with the process.
func (m *Member) Leave() error {
	m.gate.shut() // then the deletion is the last that etcd hears
	return m.registry.Deregister(m.info)
}

// A resolver asks etcd who is there. While etcd does not answer, Kitex goes on with what it
// knows; without a time limit it would wait in vain, with a limit it tries again.
type resolver struct{ discovery.Resolver }

// NewResolver makes the resolver of a client.
func NewResolver(endpoints []string) (discovery.Resolver, error) {
	r, err := etcd.NewEtcdResolver(endpoints, options)
	if err != nil {
		return nil, err
	}
	return resolver{r}, nil
}

func (r resolver) Resolve(ctx context.Context, service string) (discovery.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.Resolver.Resolve(ctx, service)
}
