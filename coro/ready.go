//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// ready has calls that have ended, with their stacks, for each size that is small enough
// to be left to the garbage collector: it takes a few instructions without a lock or an
// atomic operation to get a call from there, where the pools of stacks have a lock each.
var ready [smallClass + 1]sync.Pool

const smallClass = defaultClass

// keeps reports whether a call of the size class keeps its stack. With the race detector
// a sync.Pool drops a part of what it is given, each time with a stack.
func keeps(class int) bool { return class <= smallClass && !race }

// takeCall returns a call with a coroutine of the size class, not yet entered.
func takeCall(class int) (*call, error) {
	if keeps(class) {
		if k, ok := ready[class].Get().(*call); ok {
			return k, nil
		}
	}
	c, err := takeStack(class)
	if err != nil {
		return nil, err
	}
	var k *call
	if keeps(class) {
		k = newCall()
		runtime.AddCleanup(k, dropped, stackOf{class, c})
	} else {
		k = calls.Get().(*call)
	}
	k.c = c
	return k, nil
}

// putCall takes back a call that has ended.
func putCall(class int, k *call) {
	k.c.check()
	k.c.fn = 0
	if keeps(class) {
		ready[class].Put(k)
		return
	}
	putStack(class, k.c)
	k.c = nil
	calls.Put(k)
}

type stackOf struct {
	class int
	c     *control
}

// dropped takes the stack of a call that a sync.Pool has left to the garbage collector. One
// that never ended, in a Coroutine that nobody has closed or with C that was given up, keeps
// its stack, where C still is.
func dropped(s stackOf) {
	if !s.c.busy() {
		putStack(s.class, s.c)
	}
}

// busy reports whether a call or a Coroutine has the stack, which says so without an atomic
// operation: a goroutine that asks about another's stack gets a figure of some moment.
func (c *control) busy() bool { return atomic.LoadUintptr(&c.fn) != 0 }
