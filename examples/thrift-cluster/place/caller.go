package place

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/circuitbreak"
	"github.com/cloudwego/kitex/pkg/endpoint"
	"github.com/cloudwego/kitex/pkg/kerrors"
	"github.com/cloudwego/kitex/pkg/retry"

	"github.com/seamgo/seam/thrift"
)

// kitexCaller is Kitex's client as a thrift.Caller, so that seam's generated client does
// in a cluster what it does everywhere.
type kitexCaller struct {
	c       client.Client
	timeout time.Duration
}

func (k kitexCaller) Call(ctx context.Context, function string, args, result thrift.Body) error {
	if limit, ok := ctx.Deadline(); ok && time.Until(limit) < k.timeout {
		ctx = context.WithValue(ctx, hastyKey{}, true)
	}
	// Kitex's own limit is one for each attempt.
	ctx, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	switch {
	case result == nil: // or it would be an interface that holds a nil
		return ofKitex(ctx, args, k.c.Call(ctx, function, args, nil))
	case !idempotent[function]:
		return ofKitex(ctx, args, k.c.Call(ctx, function, args, result))
	}
	var kept atomic.Value
	err := k.c.Call(context.WithValue(ctx, answerKey{}, &kept), function, args, result)
	if err != nil {
		return ofKitex(ctx, args, err)
	}
	reflect.ValueOf(result).Elem().Set(reflect.ValueOf(kept.Load()).Elem())
	return nil
}

// idempotent are the functions whose calls may be sent again when no answer came. Place is
// none of them: a call that a server may have got is never sent twice. What could not be
// sent goes to the next server whatever the function, see package balance.
var idempotent = map[string]bool{"get": true, "of": true, "counters": true}

func retries() map[string]retry.Policy {
	again := retry.NewFailurePolicy()
	again.WithMaxRetryTimes(2)
	again.WithRetryBreaker(0.1) // no storm: retries stop while more than a tenth of calls fails
	policies := map[string]retry.Policy{}
	for function := range idempotent {
		policies[function] = retry.BuildFailurePolicy(again)
	}
	return policies
}

type answerKey struct{}

// keepAnswer keeps the answer of an attempt for kitexCaller. Where a function may be
// retried Kitex (0.16.3) decodes each answer into an object of its own, and copies nothing
// but the success out of it: an exception that the function declares is lost, and its
// caller gets neither a result nor an error.
func keepAnswer(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request, response any) error {
		err := next(ctx, request, response)
		if kept, ok := ctx.Value(answerKey{}).(*atomic.Value); ok && err == nil {
			kept.Store(response)
		}
		return err
	}
}

type hastyKey struct{}

// blame says what a call tells the breaker of its server. Kitex by itself counts connections
// that fail; a server that takes calls and does not answer them is as bad. It is not to blame
// for callers who gave it less time than usual.
func blame(ctx context.Context, request, response any, err error) circuitbreak.ErrorType {
	switch {
	case !kerrors.IsTimeoutError(err):
		return circuitbreak.ErrorTypeOnInstanceLevel(ctx, request, response, err)
	case ctx.Value(hastyKey{}) != nil:
		return circuitbreak.TypeIgnorable
	}
	return circuitbreak.TypeTimeout
}
