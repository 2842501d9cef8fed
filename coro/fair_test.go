//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// On one processor a coroutine that does nothing but switch lets other goroutines run. The
// scheduler sees to that by itself where the switches are function calls; two goroutines
// of which one is locked to its thread could hand each other the processor for ever.
func TestOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	enough := errors.New("others have run")
	everyWayAtOnce(t, func(t *testing.T, r coro.Runner) {
		t.Run("upcalls", func(t *testing.T) {
			var others atomic.Bool
			start := time.Now()
			f := coro.RegisterContext(func(_ context.Context, i *ctest.Item) error {
				i.Y = i.X + 1
				switch {
				case others.Load():
					return enough
				case time.Since(start) > time.Minute:
					t.Error("no other goroutine has run in a minute")
					return enough
				}
				return nil
			})
			defer f.Free()
			go others.Store(true)
			if _, err := r.Call(t.Context(), ctest.Upcalls, at(&ctest.Args{Func: f.ID(), N: 1 << 40})); !errors.Is(err, enough) {
				t.Error(err)
			}
		})
		t.Run("values", func(t *testing.T) {
			var others atomic.Bool
			start := time.Now()
			g := coro.Generate[ctest.Item](r, ctest.Count, at(&ctest.Args{N: 1 << 40}))
			next, stop := iter.Pull(g.Values(t.Context()))
			defer stop()
			go others.Store(true)
			for !others.Load() {
				if _, ok := next(); !ok {
					t.Fatal("the values have ended")
				}
				if time.Since(start) > time.Minute {
					t.Fatal("no other goroutine has run in a minute")
				}
			}
		})
	})
}
