package thrift

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// RetryOptions are for a [Retrier]. The zero value of a field stands for its default.
type RetryOptions struct {
	// Attempts is how often a call is made at most, the first included. 0: 3.
	Attempts int
	// Backoff is about how long the second attempt waits, and others twice as long as the one
	// before: at random between half of it and all. 0: 10 milliseconds; negative: no wait.
	Backoff time.Duration
	// Hedge, if above 0, is how long an attempt of a repeatable call may go without an answer
	// before another one is made beside it. The first answer counts, and the others are cancelled;
	// for a [Pool] that is a connection each. Choose what few calls take longer than.
	Hedge time.Duration
	// Budget is how many attempts beyond the first there may be for each call, on the average: when
	// all servers are overloaded, repeated calls would keep them so. 10 may be made at once. 0: a
	// tenth; negative: none.
	Budget float64
	// Repeatable says of which functions a call may be carried out twice. Default: those with the
	// annotation seam.idempotent, whose arguments have a method MayRepeat() bool.
	Repeatable func(function string, args Body) bool
}

// A Retrier makes calls again that have failed in the network: of functions that may be carried
// out twice all, and of others those of which the server has surely read nothing ([ErrNotSent]). It
// never does so where the server has answered, if by an exception, or the context is done.
//
// Use its Intercept with [Intercept], behind interceptors that shall see each call once and
// in front of those that shall see each attempt.
type Retrier struct {
	opt    RetryOptions
	mu     sync.Mutex
	tokens float64 // attempts that may be made

	calls, again, hedged, refused atomic.Int64
}

// RetryStats are figures of a [Retrier].
type RetryStats struct {
	Calls   int64 `json:"calls"`
	Again   int64 `json:"again"`   // attempts that were made since the one before had failed
	Hedged  int64 `json:"hedged"`  // attempts that were made beside another
	Refused int64 `json:"refused"` // attempts that were not made, since the budget was spent
}

const (
	defaultAttempts = 3
	defaultBackoff  = 10 * time.Millisecond
	defaultBudget   = 0.1
	mostTokens      = 10
)

// NewRetrier makes one. Callers that share a Retrier share its budget.
func NewRetrier(opt RetryOptions) *Retrier {
	if opt.Attempts <= 0 {
		opt.Attempts = defaultAttempts
	}
	opt.Backoff = timeout(opt.Backoff, defaultBackoff)
	if opt.Budget == 0 {
		opt.Budget = defaultBudget
	}
	if opt.Repeatable == nil {
		opt.Repeatable = func(_ string, args Body) bool {
			m, ok := args.(interface{ MayRepeat() bool })
			return ok && m.MayRepeat()
		}
	}
	return &Retrier{opt: opt, tokens: mostTokens}
}

// Stats returns the figures so far.
func (r *Retrier) Stats() RetryStats {
	return RetryStats{r.calls.Load(), r.again.Load(), r.hedged.Load(), r.refused.Load()}
}

// Intercept is a [ClientInterceptor].
func (r *Retrier) Intercept(ctx context.Context, function string, args, result Body, next CallFunc) error {
	r.calls.Add(1)
	r.earn()
	repeatable := r.opt.Repeatable(function, args)
	if repeatable && r.opt.Hedge > 0 && r.opt.Attempts > 1 && result != nil {
		return r.hedge(ctx, function, args, result, next)
	}
	for made := 1; ; made++ {
		err := next(ctx, function, args, result)
		if err == nil || made >= r.opt.Attempts || !again(ctx, err, repeatable) || !r.spend() {
			return err
		}
		if !r.backOff(ctx, made) {
			return err
		}
		r.again.Add(1)
	}
}

// again reports whether an attempt that failed may be followed by another.
func again(ctx context.Context, err error, repeatable bool) bool {
	if d, ok := ctx.Deadline(); ok && !time.Now().Before(d) { // the context's own clock may be late
		return false
	}
	if ctx.Err() != nil || errors.Is(err, errPoolClosed) || errors.Is(err, errPipelineClosed) {
		return false
	}
	return (repeatable || errors.Is(err, ErrNotSent)) && ofNetwork(err)
}

// ofNetwork reports whether an error comes from a connection, or from the want of one, and not from
// a message.
func ofNetwork(err error) bool {
	if errors.As(err, new(*ApplicationException)) {
		return false
	}
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, ErrUnusable, errGoesAway, errLineEnded} {
		if errors.Is(err, e) {
			return true
		}
	}
	var n net.Error
	return errors.As(err, &n)
}

// earn adds what a call adds to the budget.
func (r *Retrier) earn() {
	r.mu.Lock()
	r.tokens = min(r.tokens+max(r.opt.Budget, 0), mostTokens)
	r.mu.Unlock()
}

// spend takes an attempt out of the budget; false if there is none left.
func (r *Retrier) spend() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tokens < 1 || r.opt.Budget < 0 {
		r.refused.Add(1)
		return false
	}
	r.tokens--
	return true
}

// backOff waits before the attempt that follows as many as have been made; false if the context is
// done before, or would be.
func (r *Retrier) backOff(ctx context.Context, made int) bool {
	wait := r.opt.Backoff << min(made-1, 10)
	if wait <= 0 {
		return ctx.Err() == nil
	}
	wait = wait/2 + rand.N(wait/2+1)
	if d, ok := ctx.Deadline(); ok && time.Until(d) <= wait {
		return false
	}
	return sleep(ctx, ctx, wait)
}

// hedge makes attempts beside each other. Each has a result of its own; the first answer is
// copied. It waits for the others to give up, since they may be writing the arguments.
func (r *Retrier) hedge(ctx context.Context, function string, args, result Body, next CallFunc) error {
	given := reflect.New(reflect.TypeOf(result).Elem()).Elem() // result as it is now
	given.Set(reflect.ValueOf(result).Elem())
	attempts, cancel := context.WithCancel(ctx)
	info, _ := ctx.Value(answerInfoKey{}).(*Info)
	type outcome struct {
		err    error
		result Body
		info   *Info
	}
	outcomes := make(chan outcome, r.opt.Attempts)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel() // before it waits
	start := func() {
		all.Go(func() {
			own := reflect.New(given.Type())
			own.Elem().Set(given)
			o := outcome{result: own.Interface().(Body)}
			of := attempts
			if info != nil {
				o.info = new(Info)
				of = context.WithValue(of, answerInfoKey{}, o.info)
			}
			o.err = next(of, function, args, o.result)
			outcomes <- o
		})
	}
	start()
	made, running := 1, 1
	timer := time.NewTimer(r.opt.Hedge)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if made < r.opt.Attempts && r.spend() {
				r.hedged.Add(1)
				made, running = made+1, running+1
				start()
				timer.Reset(r.opt.Hedge)
			}
		case o := <-outcomes:
			running--
			switch {
			case o.err == nil || !again(ctx, o.err, true):
				reflect.ValueOf(result).Elem().Set(reflect.ValueOf(o.result).Elem())
				if info != nil {
					*info = *o.info
				}
				return o.err
			case running > 0: // another may be answered
			case made >= r.opt.Attempts || !r.spend() || !r.backOff(ctx, made):
				return o.err
			default:
				r.again.Add(1)
				made, running = made+1, running+1
				start()
				timer.Reset(r.opt.Hedge)
			}
		}
	}
}
