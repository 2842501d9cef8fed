package thrift

import "context"

// A CallFunc makes a call, as the method of a [Caller] does.
type CallFunc func(ctx context.Context, function string, args, result Body) error

// A ClientInterceptor stands between a generated client and its [Caller]. It goes on by
// next, with another context if it likes: once, not at all, or again; after a call that
// was sent, only the program knows whether it may be sent again. The exceptions that a
// function declares are in the result, and no error.
type ClientInterceptor func(ctx context.Context, function string, args, result Body, next CallFunc) error

// Intercept returns a Caller whose calls go through the interceptors, the first one first,
// and then to over. Without interceptors it is over itself.
func Intercept(over Caller, with ...ClientInterceptor) Caller {
	if len(with) == 0 {
		return over
	}
	chain := CallFunc(over.Call)
	for i := len(with) - 1; i >= 0; i-- {
		intercept, next := with[i], chain
		chain = func(ctx context.Context, function string, args, result Body) error {
			return intercept(ctx, function, args, result, next)
		}
	}
	return chain
}

// Call calls f.
func (f CallFunc) Call(ctx context.Context, function string, args, result Body) error {
	return f(ctx, function, args, result)
}

// A ProcessFunc answers a call, as the method of a [Processor] does, and returns what
// [Call.Err] gives then.
type ProcessFunc func(ctx context.Context, c *Call) error

// A ServerInterceptor stands between a server and its [Processor], and goes on by next,
// with another context if it likes, or not at all. An error is the answer, in place of
// what was answered before; nil leaves that as it is. After next, [Call.Arguments],
// [Call.Result] and [Call.Err] tell what has been. A panic of the handler passes through
// it.
type ServerInterceptor func(ctx context.Context, c *Call, next ProcessFunc) error

// InterceptProcessor returns a Processor whose calls go through the interceptors, the first
// one first, and then to p. Without interceptors it is p itself.
func InterceptProcessor(p Processor, with ...ServerInterceptor) Processor {
	if len(with) == 0 {
		return p
	}
	chain := ProcessFunc(func(ctx context.Context, c *Call) error {
		p.Process(ctx, c)
		return c.err
	})
	for i := len(with) - 1; i >= 0; i-- {
		intercept, next := with[i], chain
		chain = func(ctx context.Context, c *Call) error {
			if err := intercept(ctx, c, next); err != nil && !(c.silent && c.err != nil) { // or it is logged twice
				c.Fail(err)
			}
			return c.err
		}
	}
	return chain
}

// Process answers a call by f.
func (f ProcessFunc) Process(ctx context.Context, c *Call) { _ = f(ctx, c) }

// Arguments are those that the processor has decoded; nil before, or if it can't.
func (c *Call) Arguments() Body { return c.arguments }

// Result is what the call was answered by; nil if it wasn't, or by an exception that the
// function doesn't declare.
func (c *Call) Result() Body { return c.result }

// Err is the error by which the call was answered; nil if it wasn't, or by a result.
func (c *Call) Err() error { return c.err }
