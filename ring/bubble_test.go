package ring

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// In a bubble the clock stands still while anybody runs: an end that looks for its peer
// comes to an end of that all the same, and then sleeps as bubbles want it.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, r := pair(t, 64, 0, Options{})
		w.spin.limit, r.spin.limit = 10*time.Microsecond, 10*time.Microsecond // whatever GOMAXPROCS is
		go func() {
			time.Sleep(time.Hour)
			w.Send(forever, []byte("x"))
		}()
		if rec, err := r.Next(forever); string(rec) != "x" {
			t.Errorf("%q, %v", rec, err)
		}
		ctx, cancel := context.WithTimeout(forever, time.Hour)
		defer cancel()
		if _, err := r.Next(ctx); err != context.DeadlineExceeded {
			t.Error(err)
		}
	})
}
