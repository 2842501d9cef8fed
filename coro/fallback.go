//go:build cgo

package coro

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// The fallback: the C function runs on a thread of its own, in a cgo call. For a request it
// calls back into Go, which hands the request to the goroutine that serves the call and
// blocks. So the two sides are the same as with the assembly, and the same code serves both.
// A switch is a hand-over between goroutines.

// A helper is the goroutine that is in C for a call. There is one too where C has a stack of
// its own but the goroutine that serves it can't be locked to C's thread, see pull.go.
type helper struct {
	call    *call
	toC     chan struct{} // go on
	toGo    chan struct{} // a request, or done
	started bool
	turns   uint // how often C was continued

	here     bool // C runs on the goroutine that serves it, for a Session
	panicked any
}

// helpers finds the helper by the control block with which C calls back.
var helpers sync.Map // *control → *helper

func newHelper(k *call) *helper {
	h := &helper{call: k, toC: make(chan struct{}), toGo: make(chan struct{})}
	if !fast {
		helpers.Store(k.c, h)
	}
	return h
}

// resume lets C go on and returns when it has a request.
//
// The two goroutines make each other the next to run, and each time the thread of a locked
// one takes over, the scheduler takes that for a new slice of time and preempts neither. With
// a single processor no other goroutine would ever run. So now and then this one steps aside.
func (h *helper) resume() {
	if h.here {
		native.RunFallback(unsafe.Pointer(h.call.c))
		h.call.c.op = opDone
		return
	}
	if h.turns++; h.turns%64 == 0 {
		runtime.Gosched()
	}
	if !h.started {
		h.started = true
		if fast {
			h.call.c.owned()
			go h.runStack()
		} else {
			go h.run()
		}
	} else {
		h.toC <- struct{}{}
	}
	<-h.toGo
}

// runStack runs the coroutine, on one thread from start to end.
func (h *helper) runStack() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := h.call.c
	for {
		for resume(c); c.op == opBlocks; resume(c) {
			native.Call(c.function(), c.argument()) // on this thread, which is C's
			c.status = 0
		}
		done := c.op == opDone
		h.toGo <- struct{}{}
		if done {
			return // c may be another call's
		}
		<-h.toC
	}
}

func (h *helper) run() {
	c := h.call.c
	native.RunFallback(unsafe.Pointer(c))
	c.op = opDone
	helpers.Delete(c)
	h.toGo <- struct{}{}
	runtime.KeepAlive(h)
}

// serveFallback is what C calls, on a helper's thread.
func serveFallback(c *control) {
	v, _ := helpers.Load(c)
	h := v.(*helper)
	if h.here {
		h.answer()
		return
	}
	h.toGo <- struct{}{}
	<-h.toC
}

// answer serves a request in the callback. C must return before a panic goes on; a Goexit leaves
// it behind, as it does in a cgo callback.
func (h *helper) answer() {
	k := h.call
	if k.ending != 0 {
		k.refused()
		return
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		if h.panicked = recover(); h.panicked == nil {
			k.lost = true
			abandoned.Add(1)
			return
		}
		k.ending = ePanic
		k.c.status = ePanic
	}()
	k.c.status = k.answer()
	returned = true
}
