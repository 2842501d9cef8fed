//seam:test race toolchains

package bubble

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestInside(t *testing.T) {
	if Inside() {
		t.Error("a bubble where there is none")
	}
	synctest.Test(t, func(t *testing.T) {
		if !Inside() {
			t.Error("at first the bubble is not seen")
		}
		time.Sleep(100 * 365 * 24 * time.Hour)
		if !Inside() {
			t.Error("after a hundred years it is not seen")
		}
		done := make(chan bool)
		go func() { done <- Inside() }()
		if !<-done {
			t.Error("a second goroutine does not see it")
		}
	})
	if Inside() {
		t.Error("a bubble where it has ended")
	}
}
