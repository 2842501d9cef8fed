//go:build cgo && !race

// The race detector's sync.Pool drops a part of what it is given.

package coro_test

import (
	"context"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/internal/testenv"
)

// A call that may be cancelled costs nothing more until it waits or C asks.
func TestUnwatchedCallAllocatesNothing(t *testing.T) {
	testenv.Allocations(t)
	if coro.Status().Path != "assembly" {
		t.Skip("the fallback allocates")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	args := &ctest.Args{A: 1, B: 2}
	if n := testing.AllocsPerRun(1000, func() {
		if n, err := coro.Call(ctx, ctest.Return, at(args)); n != 3 || err != nil {
			t.Error(n, err)
		}
	}); n >= 1 { // the collector may empty a pool
		t.Errorf("%v allocations a call", n)
	}
}
