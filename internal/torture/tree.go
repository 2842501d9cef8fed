//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func (m *machine) seq(ctx context.Context, o *op) (uint64, error) {
	h := o.value
	for _, k := range o.kids {
		v, err := m.run(ctx, k)
		if err != nil {
			return 0, err
		}
		h = mix(h, v)
	}
	return h, nil
}

func (m *machine) par(ctx context.Context, o *op) (uint64, error) {
	got, errs := make([]uint64, len(o.kids)), make([]error, len(o.kids))
	var wg sync.WaitGroup
	for i, k := range o.kids {
		wg.Go(func() { got[i], errs[i] = m.run(ctx, k) })
	}
	wg.Wait()
	h := o.value
	for _, v := range got {
		h = mix(h, v)
	}
	return h, errors.Join(errs...)
}

// crowd runs its operation n times at once.
func (m *machine) crowd(ctx context.Context, o *op) (uint64, error) {
	errs := make([]error, min(o.n, 300))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = m.run(ctx, o.kids[0]) })
	}
	wg.Wait()
	return o.value, errors.Join(errs...)
}

// deep runs its operation n frames down, so the goroutine's stack grows and moves.
//
//go:noinline
func (m *machine) deep(ctx context.Context, o *op, n int64) (uint64, error) {
	var room [512]byte
	room[n%512] = byte(n)
	defer func() {
		if room[n%512] != byte(n) {
			m.wrong(o, "a variable of the goroutine has changed")
		}
	}()
	if n > 0 {
		return m.deep(ctx, o, n-1)
	}
	return m.seq(ctx, o)
}

func (m *machine) explode(o *op) (uint64, error) {
	switch o.trouble {
	case panics:
		panic(bang{o.id})
	case exits:
		runtime.Goexit()
	}
	return 0, bang{o.id}
}

// has reports whether the operation with this number is o or below it.
func (o *op) has(id int) bool {
	if o.id == id {
		return true
	}
	for _, k := range o.kids {
		if k.has(id) {
			return true
		}
	}
	for _, s := range o.steps {
		if s.kid != nil && s.kid.has(id) {
			return true
		}
	}
	return false
}

// catch lets something go wrong below, and sees that it comes out here: not elsewhere,
// not as something else, and not never.
func (m *machine) catch(ctx context.Context, o *op) (uint64, error) {
	kid := o.kids[0]
	if o.trouble == cancels {
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if o.value%4 == 0 {
			var end context.CancelFunc
			inner, end = context.WithTimeoutCause(inner, time.Duration(o.n), errStopped)
			defer end()
		} else {
			// From several goroutines at once.
			var wg sync.WaitGroup
			defer wg.Wait()
			for range 1 + o.value%3 {
				wg.Go(func() {
					time.Sleep(time.Duration(o.n))
					cancel(errStopped)
				})
			}
		}
		_, err := m.run(inner, kid)
		if err != nil && (ctx.Err() != nil || m.scarcity(err)) {
			return 0, err
		}
		return o.value, nil
	}
	var err error
	var thrown any
	ended := false
	run := func() {
		defer func() { thrown = recover() }()
		_, err = m.run(ctx, kid)
		ended = true
	}
	if o.trouble == exits {
		var wg sync.WaitGroup
		wg.Go(run)
		wg.Wait()
	} else {
		run()
	}
	var b bang
	switch {
	case thrown != nil:
		if b, ours := thrown.(bang); !ours || o.trouble != panics || !kid.has(b.id) {
			panic(thrown)
		}
	case !ended:
		if o.trouble != exits {
			m.wrong(o, "the goroutine ended")
		}
	case errors.As(err, &b):
		if o.trouble != fails || !kid.has(b.id) {
			m.wrong(o, "caught %v", err)
		}
	case err == nil:
		m.wrong(o, "there was no %s", troubleNames[o.trouble])
	default: // it never came to that
		return 0, err
	}
	return o.value, nil
}

func (m *machine) bubble(o *op) (v uint64, err error) {
	if m.noBubbles {
		_, err = m.run(context.Background(), o.kids[0])
		return o.value, err
	}
	synctest.Test(m.t, func(*testing.T) {
		_, err = m.run(context.Background(), o.kids[0])
	})
	return o.value, err
}
