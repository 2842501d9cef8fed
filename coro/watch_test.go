//go:build cgo

package coro_test

import (
	"context"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// C may ask as often as it likes, before the call is lost and after that.
func TestAskingIsNoRequest(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		quiet := coro.Register(func(*ctest.Item) {})
		defer quiet.Free()
		args := &ctest.Args{Func: quiet.ID(), Sum: -1}
		if n, err := r.Call(ctx, ctest.AskAfter, at(args)); n != 0 || err != nil || args.Sum != 0 {
			t.Errorf("not cancelled: %d, %v, %d times", n, err, args.Sum)
		}
		panics := coro.Register(func(*ctest.Item) { panic("as it should") })
		defer panics.Free()
		args = &ctest.Args{Func: panics.ID(), Sum: -1}
		func() {
			defer func() { recover() }()
			r.Call(ctx, ctest.AskAfter, at(args))
		}()
		if args.Sum != 0 {
			t.Errorf("after a panic: cancelled %d times", args.Sum)
		}
	})
}

// A call that nothing watches knows of a cancellation when it is lost.
func TestLostCallIsCancelled(t *testing.T) {
	if coro.Status().Path != "assembly" {
		t.Skip("the fallback watches from the start, and hears of it some time")
	}
	ctx, cancel := context.WithCancel(t.Context())
	f := coro.Register(func(*ctest.Item) { cancel(); panic("as it should") })
	defer f.Free()
	args := &ctest.Args{Func: f.ID()}
	func() {
		defer func() { recover() }()
		coro.Call(ctx, ctest.AskAfter, at(args))
	}()
	if args.Sum != 1<<21 {
		t.Errorf("C was told %d times that it is cancelled, and asked %d times", args.Sum, 1<<21)
	}
}
