//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

const largest = len(stackSizes) - 1

// use takes n stacks of a size and touches bytes of each.
func use(t *testing.T, class, n, bytes int) []*control {
	t.Helper()
	if !fast {
		t.Skip("no stacks of our own")
	}
	var list []*control
	for range n {
		c, err := takeStack(class)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
		for at := 0; at < bytes; at += 4096 {
			*(*byte)(unsafe.Add(unsafe.Pointer(c), -at-1)) = 1
		}
	}
	return list
}

// kept returns how much memory the free stacks of a size have, but for their last pages.
func kept(class int) (bytes int) {
	p := &stackPools[class]
	p.Lock()
	defer p.Unlock()
	for _, list := range [][]*control{p.warm, p.cold} {
		for _, c := range list {
			bytes += max(0, native.Touched(unsafe.Pointer(c))-8192)
		}
	}
	return bytes
}

// Free stacks keep no more memory than keepFree, and after some collections none.
func TestFreeStacksGiveBack(t *testing.T) {
	list := use(t, largest, 64, 1500<<10)
	for _, c := range list {
		putStack(largest, c)
	}
	if k := kept(largest); k > keepFree {
		t.Errorf("%d stacks of 8 MB keep %d bytes after use, want %d at most", len(list), k, keepFree)
	}
	for deadline := time.Now().Add(time.Minute); kept(largest) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute of collections free stacks keep %d bytes", kept(largest))
		}
		runtime.GC()
	}
	if n := readStacks()[len(readStacks())-1]; n.HighWater < 1400<<10 {
		t.Errorf("what was given back is not in the high-water mark: %+v", n)
	}
}

// Stacks that are used between two looks at them keep their memory.
func TestUsedStacksAreNotTrimmed(t *testing.T) {
	const class, used = 3, 4
	p := &stackPools[class]
	for _, c := range use(t, class, 2*used, 500<<10) {
		putStack(class, c)
	}
	p.trimIdle()
	for _, c := range use(t, class, used, 0) {
		putStack(class, c)
	}
	p.trimIdle()
	// Half of them were idle. A collection may look at the stacks too, so there may be less.
	if k := kept(class); k > used*500<<10 {
		t.Errorf("%d stacks keep %d bytes", 2*used, k)
	}
	for range 10 {
		list := use(t, class, used, 500<<10)
		p.trimIdle()
		for _, c := range list {
			if native.Touched(unsafe.Pointer(c)) < 400<<10 {
				t.Error("a stack that is in use was trimmed")
			}
			putStack(class, c)
		}
	}
}

// The figures are made without the lock that calls need.
func TestStatsHoldNoLock(t *testing.T) {
	for _, c := range use(t, 0, 3, 0) {
		putStack(0, c)
	}
	called := 0
	measureStacks(func(c *control) int {
		for class := range stackSizes {
			for _, c := range use(t, class, 1, 0) {
				putStack(class, c)
				called++
			}
		}
		return 0
	})
	if called == 0 {
		t.Error("no stack was measured")
	}
}
