//go:build cgo

package coro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/bubble/outside"
)

// A call is the Go side of one coroutine, from its start to its end.
type call struct {
	c        *control
	arg      unsafe.Pointer // keeps it alive, and off the goroutine's stack
	runner   Runner
	ctx      context.Context
	visit    *visit // of a session, or nil
	yield    func(unsafe.Pointer) bool
	helper   *helper // the thread that C runs on if it isn't the goroutine's, or nil
	done     bool    // C has returned
	lost     bool    // C would not return
	ending   int32   // if not 0, the code that ended the call; every request gets it
	result   int64
	err      error // the first that C was told of
	refusals int   // of requests since the call was lost
	started  bool  // for a Coroutine: Resume was called

	wake chan struct{} // has one token if there may be something to do
	wait waitState
	exec execState
	side atomic.Int32 // of type side

	// Cancellation comes from another goroutine, perhaps when the call has ended and this
	// struct already serves another one.
	mu    sync.Mutex
	epoch uint64 // identifies the call that may be cancelled; odd while there is one
	stop  func() bool
}

// calls are without a stack.
var calls = sync.Pool{New: func() any { return newCall() }}

func newCall() *call {
	k := &call{}
	outside.Do(func() { k.wake = make(chan struct{}, 1) }) // calls in and out of bubbles use it
	return k
}

var abandoned atomic.Uint64

// begin prepares a coroutine, which must then run, or be ended.
func (r Runner) begin(ctx context.Context, fn, arg unsafe.Pointer, yield func(unsafe.Pointer) bool) (*call, error) {
	var k *call
	if fast {
		var err error
		if k, err = takeCall(int(r.class) + defaultClass); err != nil {
			return nil, err
		}
		k.c.enter()
		if k.c.hasThread(); r.mode != modeLocked {
			k.c.sharesThread()
		}
	} else {
		k = calls.Get().(*call)
		k.c = (*control)(native.NewControl())
		k.c.goSwitch = uintptr(native.FallbackSwitch)
		k.c.flags = isFallback
	}
	c := k.c
	c.fn, c.arg = uintptr(fn), uintptr(arg)
	c.name = uintptr(r.name)
	c.token, c.unwatched = token{}, 1
	k.arg, k.runner, k.ctx, k.yield = arg, r, ctx, yield
	k.done = true // until it starts there is nothing to lose
	if !fast {
		k.helper = newHelper(k)
	}
	return k, nil
}

// end frees what the call has.
func (k *call) end() {
	if k.stop != nil {
		k.unwatch()
	}
	if !fast {
		helpers.Delete(k.c)
	}
	if !k.done {
		return // abandoned: C may still refer to it
	}
	if len(k.wake) > 0 {
		<-k.wake // a token that came too late
	}
	class := int(k.runner.class) + defaultClass
	k.arg, k.ctx, k.yield, k.helper, k.visit = nil, nil, nil, nil, nil
	k.runner = Runner{}
	k.done, k.ending, k.started = false, 0, false
	if fast {
		putCall(class, k)
	} else {
		native.FreeControl(unsafe.Pointer(k.c))
		k.c = nil
		calls.Put(k)
	}
}

// resume continues the coroutine until its next request.
func (k *call) resume() {
	if k.helper == nil {
		resume(k.c)
	} else {
		k.helper.resume()
	}
}

// runLocked is run on one thread.
func (k *call) runLocked() (int64, error) {
	if !fast { // C has a thread of its own
		return k.run()
	}
	runtime.LockOSThread()
	defer k.overLocked()
	k.start() // watched when C asks, or waits
	k.serve()
	return k.result, k.failure()
}

// run serves the coroutine until its function has returned, and ends the call.
func (k *call) run() (int64, error) {
	defer k.over()
	k.watch()
	k.start()
	k.serve()
	return k.result, k.failure()
}

// over and overLocked are deferred: a panic or Goexit may be unwinding the goroutine.
func (k *call) over() {
	k.settle()
	k.end()
}

func (k *call) overLocked() {
	k.settle()
	k.end()
	runtime.UnlockOSThread()
}

// start is the last thing before the coroutine runs: from now on there is something to lose.
func (k *call) start() {
	k.result, k.err, k.done, k.refusals = 0, nil, false, 0
}

// serve serves the coroutine until its function has returned.
func (k *call) serve() {
	c := k.c
	for {
		if k.helper == nil { // k.resume, which is too large to be inlined
			resume(c)
		} else {
			k.helper.resume()
		}
		if c.op == opUpcall {
			// The fast path: nothing but the call.
			if f := lookup(c.id); f != nil && f.plain != nil {
				f.plain(c.argument())
				c.status = 0
				continue
			}
		}
		if c.op == opDone {
			k.finish()
			return
		}
		c.status = k.answer()
		if k.ending != 0 {
			k.drain()
			return
		}
	}
}

func (k *call) finish() {
	k.done = true
	k.result = k.c.result
}

// answer serves a request and returns the status for C.
func (k *call) answer() int32 {
	c := k.c
	switch c.op {
	case opUpcall:
		return k.upcall()
	case opYield:
		switch {
		case k.yield == nil:
			return eMisuse
		case k.cancelled():
			return k.canceled()
		case !k.yield(c.argument()):
			k.ending = eStopped
			if k.visit != nil && k.visit.ending != 0 {
				k.ending = k.visit.ending // the loop is on another goroutine
			}
			return k.ending
		}
		return 0
	case opWatch:
		k.watch()
		return 0
	case opOffload:
		if k.cancelled() {
			return k.canceled()
		}
		native.Call(c.function(), c.argument())
		return 0
	case opPause:
		k.pauses()
		return 0
	case opBlocks:
		native.Call(c.function(), c.argument())
		return 0
	case opWaitFD, opWaitFDs, opSleep, opDetach:
		if k.watch(); k.cancelled() {
			return k.canceled()
		}
	}
	switch c.op {
	case opWaitFD, opWaitFDs:
		return k.waitFDs()
	case opSleep:
		return k.sleep()
	case opDetach:
		return k.detach()
	}
	return eMisuse
}

// upcall calls the Go function that C has asked for.
func (k *call) upcall() int32 {
	status, err := invoke(k.ctx, k.c.id, k.c.argument())
	if k.err == nil {
		k.err = err
	}
	return status
}

// invoke calls the function registered under id.
func invoke(ctx context.Context, id uint64, arg unsafe.Pointer) (status int32, err error) {
	f := lookup(id)
	switch {
	case f == nil:
		return eNoFunc, nil
	case f.plain != nil:
		f.plain(arg)
		return 0, nil
	}
	if err := f.failing(ctx, arg); err != nil {
		return eFailed, err
	}
	return 0, nil
}

// canceled ends the call because its context has ended. The caller asks for the cause, see
// failure: here may be an executor's thread, and the context a bubble's.
func (k *call) canceled() int32 {
	k.ending = eCanceled
	k.err = nil
	return eCanceled
}

// failure returns the error of a call that has ended.
func (k *call) failure() error {
	switch {
	case k.ending != eCanceled:
		return k.err
	case k.err == nil:
		return context.Cause(k.ctx)
	}
	return errors.Join(context.Cause(k.ctx), k.err) // it was abandoned
}

// settle is deferred. If the call is not done, a panic or Goexit is unwinding the goroutine:
// C is told, so that it can free what it holds.
func (k *call) settle() {
	if k.done || k.lost {
		return
	}
	k.ending = ePanic
	if exiting() {
		k.ending = eGoexit
	}
	k.c.status = k.ending
	k.drain()
}

// exiting reports, in a deferred function, whether runtime.Goexit runs it.
func exiting() bool {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		switch f.Function {
		case "runtime.Goexit":
			return true
		case "runtime.gopanic":
			return false
		}
		if !more {
			return false
		}
	}
}

// maxRefusals is how many requests a coroutine may make after it was told that its call is
// lost. They take a few tenths of a second.
func (k *call) maxRefusals() int {
	if k.helper == nil {
		return 1 << 20
	}
	return 1 << 13
}

// drain refuses every request until C has returned.
func (k *call) drain() {
	k.watched()
	for !k.refused() {
		k.resume()
		switch k.c.op {
		case opDone:
			k.finish()
			return
		case opPause, opBlocks:
			k.c.status = k.answer()
		}
	}
	k.abandon()
}

// refused answers a request of a coroutine whose call is lost, unless the request is never
// refused. It reports whether there were too many.
func (k *call) refused() (tooMany bool) {
	if k.c.op == opPause || k.c.op == opBlocks {
		return false
	}
	k.c.status = k.ending
	k.refusals++
	return k.refusals > k.maxRefusals()
}

// abandon gives up on a coroutine that does not end. What it holds is never freed.
func (k *call) abandon() {
	k.lost = true
	abandoned.Add(1)
	name := k.c.called()
	os.Stderr.WriteString("seam: coro: C function " + name + " keeps making requests after it was told " +
		errorName(k.ending) + fmt.Sprintf(" %d times: it is abandoned, with its stack and what it holds\n", k.maxRefusals()))
	k.err = errors.Join(k.err, fmt.Errorf("%w: C function %s", ErrAbandoned, name))
}

func errorName(code int32) string {
	list := strings.Fields("SEAM_ECANCELED SEAM_EPANIC SEAM_EGOEXIT SEAM_ESTOPPED")
	if i := int(-code) - 1; i < len(list) {
		return list[i]
	}
	return fmt.Sprint(code)
}
