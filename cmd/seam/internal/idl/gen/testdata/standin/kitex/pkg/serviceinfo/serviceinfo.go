// Package serviceinfo declares what generated code needs of the package of this name.
package serviceinfo

import "context"

type MethodInfo interface {
	OneWay() bool
	IsStreaming() bool
}

type MethodHandler func(ctx context.Context, handler, args, result any) error

type MethodInfoOption func()

type StreamingMode int

const (
	StreamingNone StreamingMode = iota
	StreamingUnary
	StreamingClient
	StreamingServer
	StreamingBidirectional
)

func WithStreamingMode(mode StreamingMode) MethodInfoOption { return nil }

func NewMethodInfo(handler MethodHandler, newArgs, newResult func() any, oneway bool, opts ...MethodInfoOption) MethodInfo {
	return nil
}

type PayloadCodec int

const Thrift PayloadCodec = 0

type ServiceInfo struct {
	ServiceName     string
	HandlerType     any
	Methods         map[string]MethodInfo
	PayloadCodec    PayloadCodec
	KiteXGenVersion string
	Extra           map[string]any
}
