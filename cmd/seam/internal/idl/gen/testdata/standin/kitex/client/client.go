// Package client declares what generated code needs of the package of this name.
package client

import (
	"context"

	"github.com/cloudwego/kitex/client/callopt"
	"github.com/cloudwego/kitex/pkg/serviceinfo"
	"github.com/cloudwego/kitex/transport"
)

type Client interface {
	Call(ctx context.Context, method string, request, response any) error
}

type Streaming interface {
	Stream(ctx context.Context, method string, request, response any) error
}

type Option struct{ F func() }

func WithDestService(name string) Option { return Option{} }

func WithTransportProtocol(tp transport.Protocol) Option { return Option{} }

func NewClient(info *serviceinfo.ServiceInfo, opts ...Option) (Client, error) { return nil, nil }

func NewCtxWithCallOptions(ctx context.Context, opts []callopt.Option) context.Context { return ctx }
