// Package health answers the question whether a service is well, getStatus of Facebook's base
// service (fb303), beside the functions of any service. Load balancers, supervisors and
// other clients ask it by [HealthClient], which any Thrift library can be in place of.
package health

import (
	"context"

	"github.com/seamgo/seam/thrift"
)

//go:generate go run ../../cmd/seam gen -o .. health.thrift

// Answer returns an interceptor that answers getStatus, by what status says of the program;
// nil stands for ALIVE. A server that drains ([thrift.Server.Shutdown]) is STOPPING, whatever
// status says; s may be nil, where no server is known. Other functions go on to the service.
// Services that extend fb303's have a getStatus of their own, and need none of this.
//
//	s := &thrift.Server{}
//	s.Processor = thrift.InterceptProcessor(orders.NewOrdersProcessor(h), health.Answer(s, nil))
func Answer(s *thrift.Server, status func(context.Context) (Status, error)) thrift.ServerInterceptor {
	p := NewHealthProcessor(answer{s, status})
	return func(ctx context.Context, c *thrift.Call, next thrift.ProcessFunc) error {
		if c.Function != "getStatus" {
			return next(ctx, c)
		}
		p.Process(ctx, c)
		return c.Err()
	}
}

// An answer is a [Health].
type answer struct {
	server *thrift.Server
	status func(context.Context) (Status, error)
}

func (a answer) GetStatus(ctx context.Context) (Status, error) {
	switch {
	case a.server != nil && a.server.Stats().Stopping:
		return Status_STOPPING, nil
	case a.status == nil:
		return Status_ALIVE, nil
	}
	return a.status(ctx)
}
