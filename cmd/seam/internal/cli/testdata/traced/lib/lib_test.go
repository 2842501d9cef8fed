package lib

import (
	"sync"
	"syscall"
	"testing"
)

func TestCalls(t *testing.T) {
	for i := range 1000 {
		if Quick(i, 1) != i+1 {
			t.Fatal("wrong sum")
		}
	}
	Nothing()
	Slow(1000)
	for range 3 {
		Waits(60_000)
	}
	if err := Fails(7); err != syscall.Errno(7) {
		t.Error(err)
	}
	if FailsQuietly(7) != -1 {
		t.Error("want -1")
	}
	if a, b := Makes(); a != 3 || b != 4.5 {
		t.Error(a, b)
	}
	if Length("abc") != 3 {
		t.Error("wrong length")
	}
	Back = func(n int) int { return Quick(n, 1) }
	for range 4 {
		if Callback(1) != 2 {
			t.Error("wrong answer")
		}
	}
}

func TestAtOnce(t *testing.T) {
	// Both are inside C before either leaves.
	var both sync.WaitGroup
	both.Add(2)
	Back = func(n int) int { both.Done(); both.Wait(); return n }
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() { Callback(1) })
	}
	done.Wait()
}
