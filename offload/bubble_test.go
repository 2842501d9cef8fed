//go:build cgo && unix

package offload_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

// useInBubble does what users do with a pool, in a bubble.
func useInBubble(t *testing.T, p *offload.Pool) {
	const calls = 8
	ends := make(chan outcome)
	for i := range int64(calls) {
		go func() {
			args := &ctest.Add{A: i, B: 1}
			_, err := p.Do(t.Context(), ctest.AddFn, unsafe.Pointer(args))
			ends <- outcome{args.Sum, err}
		}()
	}
	sum := int64(0)
	for range calls {
		end := <-ends
		if end.err != nil {
			t.Error(end.err)
		}
		sum += end.result
	}
	if sum != calls*(calls+1)/2 {
		t.Errorf("the sum is %d", sum)
	}

	// With a deadline: C sees it, and its own clock goes on.
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	nap := int64(time.Millisecond)
	before := time.Now()
	if _, err := p.Do(ctx, ctest.SleepFn, unsafe.Pointer(&nap)); err != nil {
		t.Error(err)
	}
	if took := time.Since(before); took != 0 {
		t.Errorf("while C slept the bubble's clock moved by %v", took)
	}
	time.Sleep(time.Minute) // by the bubble's clock: threads that wait don't stop it

	// C is told, and a thread that it ends is replaced.
	ctx, cancelNow := context.WithCancelCause(t.Context())
	told := begin(ctx, p, ctest.UntilCancelledFn, unsafe.Pointer(new(int32)))
	for p.Stats().Busy == 0 {
		runtime.Gosched()
	}
	cancelNow(errOver)
	if end := <-told; !errors.Is(end.err, errOver) {
		t.Errorf("a cancelled call gave %+v", end)
	}
	if _, err := p.Do(t.Context(), ctest.ExitFn, nil); !errors.Is(err, offload.ErrThreadEnded) {
		t.Errorf("a function that ends its thread: %v", err)
	}
}

// Pools work in bubbles of testing/synctest, those made there and those that are not, and
// outside again.
func TestBubble(t *testing.T) {
	shared := start(t, offload.Options{Threads: 2, Queue: 2})
	var left *offload.Pool
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			useInBubble(t, shared)
			own := start(t, offload.Options{Threads: 2, Queue: 2})
			useInBubble(t, own)
			var err error
			if left, err = offload.New(offload.Options{Threads: 1}); err != nil {
				t.Fatal(err)
			}
		})
		for _, p := range []*offload.Pool{shared, left} {
			args := &ctest.Add{A: 2, B: 3}
			if _, err := p.Do(t.Context(), ctest.AddFn, unsafe.Pointer(args)); err != nil || args.Sum != 5 {
				t.Errorf("outside: %d, %v", args.Sum, err)
			}
		}
		closeNow(t, left)
	}
}
