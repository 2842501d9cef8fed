//seam:test race arm64

package subprocess

import (
	"maps"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCPUList(t *testing.T) {
	for text, want := range map[string][]int{
		"0": {0}, "0-3\n": {0, 1, 2, 3}, "1,5": {1, 5}, "0-1,8-9": {0, 1, 8, 9},
		"": nil, "x": nil, "3-": nil, "-3": nil, "5-2": nil, "0-99999999999": nil, "0-4000000": nil, "2,": {2},
	} {
		if got := slices.Sorted(maps.Keys(cpuList(text))); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A thread is on its CPU until undo, and then where it may have been before.
func TestPin(t *testing.T) {
	first, second, err := TwoCPUs()
	if err != nil {
		t.Skip(err)
	}
	if first == second {
		t.Fatalf("both threads are for CPU %d", first)
	}
	defer Pin(first)() // this goroutine stays on one thread
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	if before.Count() != 1 {
		t.Skip("threads can't be pinned here")
	}
	if !before.IsSet(first) {
		t.Errorf("pinned elsewhere than to %d", first)
	}
	undo := Pin(second)
	var now unix.CPUSet
	if err := unix.SchedGetaffinity(0, &now); err != nil || !now.IsSet(second) || now.Count() != 1 {
		t.Errorf("pinned elsewhere than to %d (%v)", second, err)
	}
	undo()
	if err := unix.SchedGetaffinity(0, &now); err != nil || now != before {
		t.Errorf("afterwards the thread may be elsewhere than before (%v)", err)
	}
}
