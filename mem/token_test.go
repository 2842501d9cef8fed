//go:build cgo && unix

package mem_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/mem/internal/ctest"
)

// seen returns what C sees of a token.
func seen(token mem.Token) (cancelled bool, deadline int64) {
	args := ctest.Token{Token: token.C(), N: 1}
	poll.Call(&args)
	return args.Cancelled != 0, args.Deadline
}

func TestToken(t *testing.T) {
	token := mem.Watch(context.Background())
	if c, d := seen(token); c || d != 0 {
		t.Errorf("a context that never ends: %v, %d", c, d)
	}
	for range 2 {
		if token.Stop() {
			t.Error("Stop tells of a cancellation that wasn't")
		}
	}
	if n := testing.AllocsPerRun(100, func() { mem.Watch(context.Background()).Stop() }); n != 0 {
		t.Errorf("%v allocations for a context that never ends", n)
	}

	ctx, cancel := context.WithCancel(context.Background())
	token = mem.Watch(ctx)
	if c, d := seen(token); c || d != 0 {
		t.Errorf("not cancelled yet: %v, %d", c, d)
	}
	if ctest.CgoPoll(token.C()) {
		t.Error("not cancelled yet, by cgo")
	}
	cancel()
	args := ctest.Token{Token: token.C(), N: int64(150 * time.Second)}
	ctest.PollUntil(&args)
	if args.Cancelled == 0 {
		t.Fatal("C does not see the cancellation")
	}
	if !token.Stop() {
		t.Error("Stop does not tell of the cancellation")
	}
	token = mem.Watch(ctx)
	if c, _ := seen(token); !c {
		t.Error("C does not see that the context had ended before")
	}
	token.Stop()
	fresh, cancelFresh := context.WithCancel(context.Background())
	defer cancelFresh()
	token = mem.Watch(fresh)
	if c, _ := seen(token); c {
		t.Error("a cancellation of another call")
	}
	token.Stop()
}

// C sees the deadline on its own clock, and the cancellation when it has passed.
func TestTokenDeadline(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the deadline is known on Linux alone")
	}
	for _, in := range []time.Duration{time.Hour, 50 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), in)
		now := ctest.Token{}
		token := mem.Watch(ctx)
		ctest.Now(&now)
		_, deadline := seen(token)
		if off := time.Duration(deadline-now.Deadline) - in; off > 0 || off < -time.Minute {
			t.Errorf("a deadline in %v is seen %v off", in, off)
		}
		if in < time.Second {
			args := ctest.Token{Token: token.C(), N: int64(150 * time.Second)}
			ctest.PollUntil(&args)
			if ctest.Now(&now); args.Cancelled == 0 || now.Deadline < deadline {
				t.Errorf("cancelled: %d, %v before the deadline", args.Cancelled, time.Duration(deadline-now.Deadline))
			}
		}
		token.Stop()
		cancel()
	}
	far, cancel := context.WithDeadline(context.Background(), time.Unix(1<<40, 0))
	defer cancel()
	token := mem.Watch(far)
	defer token.Stop()
	if c, d := seen(token); c || d <= 0 {
		t.Errorf("a deadline in the far future: %v, %d", c, d)
	}
}

// A cancellation that comes late never hits the next call, though that uses the same
// memory. Calls whose context is never cancelled run beside others that are cancelled at
// the moment when they end.
func TestTokenLateCancel(t *testing.T) {
	n := 5000
	if testing.Short() {
		n = 500
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for range n {
				ctx, cancel := context.WithCancel(context.Background())
				token := mem.Watch(ctx)
				go cancel()
				seen(token)
				token.Stop()
				cancel()
			}
		}()
		go func() {
			defer wg.Done()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			for range 4 * n {
				token := mem.Watch(ctx)
				if c, _ := seen(token); c {
					t.Error("a call that nobody cancelled was cancelled")
				}
				if token.Stop() {
					t.Error("Stop tells of a cancellation that wasn't")
				}
			}
		}()
	}
	wg.Wait()
}
