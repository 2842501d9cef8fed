//go:build cgo && linux && (amd64 || arm64)

package coro_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// No wake-up by C is lost: the waits have no time-out. Contexts that end don't end them.
func TestPause(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("only where coroutines have stacks of their own")
	}
	everyWayAtOnce(t, func(t *testing.T, r coro.Runner) {
		const kinds, tokens = 8, 500
		var wg sync.WaitGroup
		for i := range kinds {
			wg.Go(func() {
				for left := tokens; left > 0; left -= 50 { // several calls, so that stacks are used again
					ctx, cancel := context.WithCancel(t.Context())
					go cancel()
					n, err := r.Call(ctx, ctest.Pause, at(&ctest.Args{A: int64(i), N: 50}))
					if errors.Is(err, context.Canceled) { // before C began
						n, err = r.Call(t.Context(), ctest.Pause, at(&ctest.Args{A: int64(i), N: 50}))
					}
					if n != 0 || err != nil {
						t.Errorf("%d, %v", n, err)
					}
				}
			})
		}
		for range tokens {
			ctest.Wake(kinds, 1)
		}
		wg.Wait()
	})
}
