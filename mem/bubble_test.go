//go:build cgo && unix

package mem_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/mem/internal/ctest"
)

// A pool that others use outside works in bubbles of testing/synctest, no matter who releases.
func TestGetWaitInBubble(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 1})
	for range 3 {
		b := get(t, p, 64)
		go func() { // outside
			for p.Stats().Waiting == 0 {
				runtime.Gosched()
			}
			_ = b.Release()
		}()
		synctest.Test(t, func(t *testing.T) {
			b, err := p.GetWait(t.Context(), 64)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			go func() {
				time.Sleep(time.Minute)
				_ = b.Release()
			}()
			again, err := p.GetWait(t.Context(), 64)
			if took := time.Since(start); err != nil || took < time.Minute || took > time.Minute+time.Second {
				t.Errorf("%v, after %v", err, took)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			if _, err := p.GetWait(ctx, 64); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a buffer that nobody releases: %v", err)
			}
			_ = again.Release()
		})
	}
}

// The bubble's clock does not run ahead of C that holds a buffer.
func TestGetWaitForCInBubble(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 1})
	synctest.Test(t, func(t *testing.T) {
		b := get(t, p, 64)
		thread := ctest.Hold(p.C(), b.Handle(), int64(50*time.Millisecond))
		if err := b.Release(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		b, err := p.GetWait(ctx, 64)
		if err != nil {
			t.Error(err)
		}
		_ = b.Release()
		if n := thread.End(); n != 0 {
			t.Errorf("the thread gave %d", n)
		}
	})
}

// A deadline is the same time from now by C's clock, whichever clock is Go's, and whichever
// was asked first.
func TestTokenInBubble(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the deadline is known on Linux alone")
	}
	const in = time.Hour
	check := func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), in)
		token := mem.Watch(ctx)
		var now ctest.Token
		ctest.Now(&now)
		_, deadline := seen(token)
		if off := time.Duration(deadline-now.Deadline) - in; off > time.Second || off < -time.Minute {
			t.Errorf("the deadline is off by %v", off)
		}
		cancel()
		for c := false; !c; c, _ = seen(token) {
			runtime.Gosched()
		}
		if !token.Stop() {
			t.Error("Stop does not tell of the cancellation")
		}
	}
	synctest.Test(t, check)
	check(t)
	synctest.Test(t, check)
}
