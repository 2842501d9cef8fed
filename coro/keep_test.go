//go:build cgo

package coro_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// errno is the coroutine's, whatever others on the thread do meanwhile.
func TestErrnoIsKept(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(func(*ctest.Item) {
			if r == coro.Floating {
				ctest.SetErrno(7)
			}
			runtime.Gosched()
		})
		defer f.Free()
		var number atomic.Int64
		together(t, r, 16, func() (int64, error) {
			args := &ctest.Args{Func: f.ID(), N: 50, A: number.Add(1)}
			n, err := r.Call(t.Context(), ctest.ErrnoKept, at(args))
			return n + args.Sum, err
		})
	})
}

var keep = sync.OnceValue(ctest.Keep)

// What a library keeps for each thread goes with the coroutine once it is registered.
func TestThreadLocalsAreKept(t *testing.T) {
	if n := keep(); n != 0 {
		t.Fatalf("seam_keep gave %d", n)
	}
	everyWay(t, func(t *testing.T, r coro.Runner) {
		before := ctest.ErrorsLive()
		var number atomic.Int64
		for range 3 {
			together(t, r, 16, func() (int64, error) {
				args := &ctest.Args{N: 50, A: 1000 * number.Add(1)}
				if r == coro.Floating && coro.Status().Path == coro.PathAssembly {
					args.B = 1
				}
				n, err := r.Call(t.Context(), ctest.Kept, at(args))
				return n + args.Sum, err
			})
		}
		if n := ctest.ErrorsLive(); r == coro.Floating && coro.Status().Path == coro.PathAssembly && n != before {
			t.Errorf("%d errors were not dropped", n-before)
		}
	})
}
