package place

import (
	"context"
	"errors"
	"fmt"
	"strings"

	gopkg "github.com/cloudwego/gopkg/protocol/thrift"
	"github.com/cloudwego/kitex/pkg/kerrors"

	"github.com/seamgo/seam/thrift"
)

// Unreachable says that no server has answered. Sent reports whether one may have got the
// call all the same: then nobody knows whether it was done.
type Unreachable struct {
	Sent bool
	Err  error
}

func (e *Unreachable) Error() string {
	if e.Sent {
		return "no answer: " + e.Err.Error()
	}
	return "no server: " + e.Err.Error()
}

func (e *Unreachable) Unwrap() error { return e.Err }

// ofSeam gives the errors of seam's own client their common form.
func ofSeam(ctx context.Context, function string, err error) error {
	var app *thrift.ApplicationException
	var encode *thrift.EncodeError
	switch {
	case err == nil || errors.As(err, &encode): // the latter is the caller's own mistake
		return err
	case ctx.Err() != nil:
		return ofContext(ctx, err)
	case errors.As(err, &app):
		return &thrift.ApplicationException{Type: app.Type, Message: strings.TrimPrefix(app.Message, function+": ")}
	}
	return &Unreachable{Sent: true, Err: err}
}

// ofContext says that the context has ended the call. A handler that heeds it may have
// been quicker to answer than the client to give up: that is the same.
func ofContext(ctx context.Context, err error) error {
	return fmt.Errorf("%w (%w)", ctx.Err(), err)
}

// ofKitex gives the errors of Kitex's client their common form.
func ofKitex(ctx context.Context, args thrift.Body, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case ctx.Err() != nil:
		return ofContext(ctx, err)
	case errors.Is(err, kerrors.ErrRPCTimeout), errors.Is(err, kerrors.ErrTimeoutByBusiness):
		return fmt.Errorf("%w (%w)", context.DeadlineExceeded, err)
	case errors.Is(err, kerrors.ErrGetConnection), errors.Is(err, kerrors.ErrCircuitBreak),
		errors.Is(err, kerrors.ErrServiceDiscovery), errors.Is(err, kerrors.ErrNoMoreInstance):
		return &Unreachable{Err: err}
	}
	var answer *gopkg.ApplicationException
	if errors.As(err, &answer) {
		return &thrift.ApplicationException{
			Type:    thrift.ExceptionType(answer.TypeID()),
			Message: strings.TrimPrefix(answer.Msg(), "biz error: "),
		}
	}
	// Kitex's interface for codecs has no room for an error: ours panics when something can't
	// be written, and what comes back is text.
	if _, encode := args.AppendBinary(nil); encode != nil {
		return encode
	}
	return &Unreachable{Sent: true, Err: err}
}
