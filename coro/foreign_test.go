//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// A coroutine is its own: a thread that C has made, or an offloaded function, gets
// SEAM_EMISUSE from every operation.
func TestForeignThreadsAreRefused(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		for range 20 {
			args := &ctest.Args{}
			if n, err := r.Call(t.Context(), ctest.ForeignMisuse, at(args)); n != 0 || err != nil || args.Sum != 0 {
				t.Fatalf("a thread of C's: %d, %v, %d operations accepted", n, err, args.Sum)
			}
			if n, err := r.Call(t.Context(), ctest.OffloadedMisuse, at(args)); n != 0 || err != nil || args.Sum != 0 {
				t.Fatalf("an offloaded function: %d, %v, %d operations accepted", n, err, args.Sum)
			}
		}
	})
}

// What such a thread may use is seam_callback, and the Go function may take its time.
func TestForeignThreadsCallBack(t *testing.T) {
	f := coro.Register(func(i *ctest.Item) {
		time.Sleep(time.Millisecond)
		i.Y = i.X + 1
	})
	defer f.Free()
	everyWay(t, func(t *testing.T, r coro.Runner) {
		together(t, r, 8, func() (int64, error) {
			args := &ctest.Args{Func: f.ID(), N: 10}
			n, err := r.Call(t.Context(), ctest.ForeignCallback, at(args))
			return n + args.Code + args.Sum - 55, err
		})
		args := &ctest.Args{Func: 1 << 40, N: 10}
		if n, err := r.Call(t.Context(), ctest.ForeignCallback, at(args)); n != 0 || err != nil || args.Code != -5 {
			t.Errorf("an unknown function: %d, %v, %+v", n, err, *args)
		}
	})
}

// Callbacks work in cgo calls too, with an empty context and without the error.
func TestCallbackOutside(t *testing.T) {
	f := coro.RegisterContext(func(ctx context.Context, i *ctest.Item) error {
		if ctx != context.Background() {
			t.Error("a callback has a context")
		}
		if i.X < 0 {
			return errors.New("below zero")
		}
		i.Y = i.X + 1
		return nil
	})
	defer f.Free()
	if n := ctest.CallbackOutside(f.ID(), 41); n != 42 {
		t.Errorf("the callback gave %d", n)
	}
	if n := ctest.CallbackOutside(f.ID(), -1); n != -6 {
		t.Errorf("a function that fails: %d", n)
	}
}
