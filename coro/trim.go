//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import (
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// Free stacks whose memory nobody has used for a while give it back to the kernel. As with
// sync.Pool, garbage collections are the clock: there is one every two minutes even in a
// program that does nothing. A timer would need care with testing/synctest, where the clock
// may be that of a bubble.

// idleTime is the least time between two looks at the free stacks. Those that were free
// from one to the next are trimmed.
const idleTime = time.Second

// trim gives back the memory of a free stack, which is in none of the lists, and lists it.
func (p *stackPool) trim(c *control) {
	used := native.Touched(unsafe.Pointer(c))
	native.Trim(unsafe.Pointer(c))
	p.Lock()
	p.high = max(p.high, used)
	p.cold = append(p.cold, c)
	p.Unlock()
}

// trimIdle trims the stacks that have been free since it was called last.
func (p *stackPool) trimIdle() {
	p.Lock()
	idle := slices.Clone(p.warm[:p.idle])
	p.warm = slices.Delete(p.warm, 0, p.idle)
	p.idle = len(p.warm)
	p.Unlock()
	for _, c := range idle {
		p.trim(c)
	}
}

// watchCollections makes every collection look at the free stacks.
var watchCollections = sync.OnceFunc(func() { afterCollection(time.Now()) })

// afterCollection waits for a collection. last is when the stacks were looked at last.
func afterCollection(last time.Time) {
	type garbage struct{ _ *int } // with a pointer, or it would share its memory with other objects
	runtime.AddCleanup(new(garbage), func(last time.Time) {
		if time.Since(last) >= idleTime {
			for i := range stackPools {
				stackPools[i].trimIdle()
			}
			last = time.Now()
		}
		afterCollection(last)
	}, last)
}

func readStacks() []StackStats {
	return measureStacks(func(c *control) int { return native.Touched(unsafe.Pointer(c)) })
}

// measureStacks makes the figures with touched, which takes a system call: without the lock
// that every call of C needs.
func measureStacks(touched func(*control) int) []StackStats {
	list := []StackStats{}
	for i := range stackPools {
		p := &stackPools[i]
		p.Lock()
		all, s := p.all, StackStats{Size: 1 << stackSizes[i], Made: len(p.all)}
		p.Unlock()
		if len(all) == 0 {
			continue
		}
		high := 0
		for _, c := range all {
			high = max(high, touched(c))
			if c.busy() {
				s.InUse++
			}
		}
		p.Lock()
		p.high = max(p.high, high)
		s.HighWater = p.high
		p.Unlock()
		list = append(list, s)
	}
	return list
}
