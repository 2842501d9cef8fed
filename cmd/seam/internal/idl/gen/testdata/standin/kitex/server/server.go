// Package server declares what generated code needs of the package of this name.
package server

import "github.com/cloudwego/kitex/pkg/serviceinfo"

type Option struct{ F func() }

type RegisterOption struct{ F func() }

type Server interface {
	RegisterService(info *serviceinfo.ServiceInfo, handler any, opts ...RegisterOption) error
	Run() error
}

type Invoker interface {
	RegisterService(info *serviceinfo.ServiceInfo, handler any, opts ...RegisterOption) error
	Init() error
}

func NewServer(opts ...Option) Server { return nil }

func NewInvoker(opts ...Option) Invoker { return nil }

func WithCompatibleMiddlewareForUnary() Option { return Option{} }
