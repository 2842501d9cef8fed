//go:build cgo

package coro

import (
	"context"
	"testing"
	"time"
)

// A timer that has run off when its wait is over does not end the next sleep, also where
// timers keep their ticks, as they did before Go 1.23.
func TestLateTimer(t *testing.T) {
	t.Setenv("GODEBUG", "asynctimerchan=1")
	c := &control{}
	k := calls.Get().(*call)
	k.c, k.ctx = c, context.Background()
	for range 3 {
		k.startTimer(time.Millisecond)
		time.Sleep(5 * time.Millisecond)
		k.wait.timer.Stop()
		const sleep = 20 * time.Millisecond
		start := time.Now()
		if status := k.sleepFor(sleep); status != eTimedOut {
			t.Fatalf("the sleep gave %d", status)
		}
		if took := time.Since(start); took < sleep {
			t.Fatalf("a sleep of %v ended after %v", sleep, took)
		}
	}
}
