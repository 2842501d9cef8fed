package registry

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A gate is what a server's entries go through on their way to etcd. registry-etcd makes a
// lost entry again on a goroutine that does not look whether the server has left meanwhile.
type gate struct {
	mu   sync.RWMutex // held while something goes through
	left bool
}

// pass is for gRPC: nothing is put into etcd any more when the gate is shut.
func (g *gate) pass(ctx context.Context, method string, request, reply any, c *grpc.ClientConn, invoke grpc.UnaryInvoker, opt ...grpc.CallOption) error {
	if method == "/etcdserverpb.KV/Put" {
		g.mu.RLock()
		defer g.mu.RUnlock()
		if g.left {
			return status.Error(codes.FailedPrecondition, "the server has left the registry")
		}
	}
	return invoke(ctx, method, request, reply, c, opt...)
}

// shut shuts the gate, and waits for what is in it: registry-etcd gives that three seconds.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = true
}
