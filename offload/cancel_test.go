//go:build cgo && unix

package offload_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

var errOver = errors.New("it is over")

func TestCancelBefore(t *testing.T) {
	p := start(t, offload.Options{})
	ctx, cancel := context.WithCancelCause(background)
	cancel(errOver)
	args := &ctest.Add{A: 1}
	want(t, begin(ctx, p, ctest.AddFn, unsafe.Pointer(args)), 0, errOver)
	if args.Sum != 0 || p.Stats().Done != 0 || p.Stats().Cancelled != 1 {
		t.Errorf("a cancelled call was made: %v", p.Stats())
	}
}

func TestCancelWhileQueued(t *testing.T) {
	p := start(t, offload.Options{Threads: 1, Queue: 3})
	g, running := occupy(t, p, 1)
	// The first, the middle and the last of three.
	for _, which := range []int{0, 1, 2} {
		var ends [3]<-chan outcome
		var sums [3]*ctest.Add
		ctx, cancel := context.WithCancelCause(background)
		rest, cancelRest := context.WithCancel(background)
		for i := range ends {
			sums[i] = &ctest.Add{A: 1}
			c := rest
			if i == which {
				c = ctx
			}
			ends[i] = begin(c, p, ctest.AddFn, unsafe.Pointer(sums[i]))
			eventually(t, "the call is queued", func() bool { return p.Stats().Queued == i+1 })
		}
		cancel(errOver)
		want(t, ends[which], 0, errOver) // although the thread is still taken
		if n := p.Stats().Queued; n != 2 {
			t.Errorf("with one of three removed %d are queued", n)
		}
		again := begin(rest, p, ctest.AddFn, unsafe.Pointer(&ctest.Add{}))
		eventually(t, "its room is free", func() bool { return p.Stats().Queued == 3 })
		cancelRest()
		want(t, again, 0, context.Canceled)
		for i := range ends {
			if i != which {
				want(t, ends[i], 0, context.Canceled)
			}
		}
		for _, s := range sums {
			if s.Sum != 0 {
				t.Error("a call that was cancelled in the queue was made")
			}
		}
	}
	g.open()
	want(t, running[0], 0, nil)
	// What the removed calls have left behind does not disturb the next ones.
	for i := range int64(20) {
		want(t, begin(background, p, ctest.AddFn, unsafe.Pointer(&ctest.Add{A: i})), i, nil)
	}
	if s := p.Stats(); s.Done != 21 || s.Cancelled != 12 {
		t.Errorf("the figures are %v, want 21 done and 12 cancelled", s)
	}
}

func TestCancelWhileRunning(t *testing.T) {
	p := start(t, offload.Options{Threads: 2})
	ctx, cancel := context.WithCancelCause(background)
	started := new(int32)
	end := begin(ctx, p, ctest.UntilCancelledFn, unsafe.Pointer(started))
	eventually(t, "C runs", func() bool { return atomic.LoadInt32(started) == 1 })
	cancel(errOver)
	want(t, end, 1, errOver)
	if s := p.Stats(); s.Cancelled != 1 || s.Done != 1 {
		t.Errorf("the figures are %v", s)
	}
}

// C uses its argument until it returns, so a call whose C does not look at the
// token must not return before.
func TestCancelledCallWaitsForC(t *testing.T) {
	p := start(t, offload.Options{Threads: 2})
	ctx, cancel := context.WithCancel(background)
	g := newGate()
	end := begin(ctx, p, ctest.GateFn, g.arg())
	eventually(t, "C runs", func() bool { return g.entered() == 1 })
	cancel()
	// Another call comes and goes; the cancelled one stays.
	want(t, begin(background, p, ctest.TokenFn, nil), 0, nil)
	select {
	case got := <-end:
		t.Fatalf("the call returned %v while C was running", got)
	default:
	}
	g.open()
	select {
	case got := <-end:
		// 1 when C has seen the cancellation, which is on its way.
		if got.err != nil && got.err != context.Canceled || got.result == 1 && got.err == nil {
			t.Errorf("the call returned %v", got)
		}
	case <-time.After(patience):
		t.Fatal("the call has not returned")
	}
}

func TestDeadline(t *testing.T) {
	p := start(t, offload.Options{})
	left, err := p.Do(background, ctest.DeadlineFn, nil)
	if left != math.MaxInt64 || err != nil {
		t.Errorf("without a deadline C has %d ns left, %v", left, err)
	}
	for _, d := range []time.Duration{time.Hour, 100000 * time.Hour, math.MaxInt64} {
		ctx, cancel := context.WithTimeout(background, d)
		left, err = p.Do(ctx, ctest.DeadlineFn, nil)
		// One that the clock can't express is none.
		if time.Duration(left) > d || time.Duration(left) < d-patience || err != nil {
			t.Errorf("with a deadline in %v C has %v left, %v", d, time.Duration(left), err)
		}
		cancel()
	}
	// A deadline that passes while C runs, and then one that has passed. On a busy
	// machine C may come too late: then give it more.
	for d := 10 * time.Millisecond; ; d *= 2 {
		ctx, cancel := context.WithTimeout(background, d)
		defer cancel()
		started := new(int32)
		got, err := p.Do(ctx, ctest.UntilCancelledFn, unsafe.Pointer(started))
		if err != context.DeadlineExceeded || got != int64(*started) {
			t.Errorf("a call with a deadline in %v returned %d, %v; started: %d", d, got, err, *started)
		}
		want(t, begin(ctx, p, ctest.UntilCancelledFn, unsafe.Pointer(started)), 0, context.DeadlineExceeded)
		if got == 1 || d > patience {
			break
		}
	}
}

// With one thread and one place the next call uses the same token. It must never
// find the cancellation or the deadline of the one before.
func TestLateCancel(t *testing.T) {
	p := start(t, offload.Options{Threads: 1, Queue: 1})
	seen := map[error]int{}
	for i := range 2000 {
		ctx, cancel := context.WithTimeout(background, time.Hour)
		go cancel()
		got, err := p.Do(ctx, ctest.BusyFn, unsafe.Pointer(&[]int64{int64(i%20) * 1000}[0]))
		if err == nil && got != int64(i%20)*1000 {
			t.Fatalf("the call returned %d without an error", got)
		}
		seen[err]++
		if got, err := p.Do(background, ctest.TokenFn, nil); got != 0 || err != nil {
			t.Fatalf("call %d after a cancelled one found %d in its token, %v", i, got, err)
		}
	}
	t.Log(seen)
}
