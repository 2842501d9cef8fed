// Package labtest holds what the tests of several experiments need.
package labtest

import (
	"testing"
	"time"
)

// NoMoreThan fails where more is left than before. A joined thread or a closed
// descriptor may be listed a moment longer.
func NoMoreThan(t *testing.T, before Left) {
	t.Helper()
	end := time.Now().Add(5 * time.Second)
	for {
		after := Leftovers(t)
		if after == before {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %+v, before: %+v", after, before)
		}
		time.Sleep(time.Millisecond)
	}
}
