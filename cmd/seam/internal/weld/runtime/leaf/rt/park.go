//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

//lint:file-ignore U1000 C uses what seems unused

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// C that waits without a thread
//
// A function that the plan parks runs on a stack of its own on one of a few threads of
// C's, the workers (runtime/park). Its goroutine waits for a mutex meanwhile, which takes no
// thread, and which a bubble of testing/synctest doesn't take for an event of its own. The
// worker unlocks it, by a callback of its own, when the function has returned or calls Go.
//
// The arguments are copied to C's memory and the result back, because the goroutine's stack
// may move while it waits. What they point to is on the heap and alive, as cgo makes it.
//
// A Go function that C calls runs in the goroutine that called C, as with cgo. C's frames
// stay on their own stack, so that goroutine may do there what it likes: block, grow
// its stack, change its thread, panic. Functions that are parked and are called from there
// run on the same worker, so that locks which know their thread know it again.
//
// What is asked of C is done in a microsecond or so, and so as a leaf: a system call's worth of
// handshakes by hundreds of goroutines at once would make Go start threads.
//
// One call at a time goes through cgo: it takes a thread, but no switch of threads, and a
// program with a single connection is as quick as before. So do calls of goroutines that are
// locked to their thread, which is there anyway.

// SeamParked is a function that the plan parks: the first part of struct _seam_park in
// seam_weld_park.h. It lies in C's memory.
type SeamParked struct {
	on      uint32
	usable  uint32
	name    *byte
	Call    unsafe.Pointer // the function for cgo
	body    unsafe.Pointer
	in      uint64
	outAt   uint64
	out     uint64
	stack   uint64
	begin   unsafe.Pointer
	submit  unsafe.Pointer
	resume  unsafe.Pointer
	finish  unsafe.Pointer
	drop    unsafe.Pointer
	cross   unsafe.Pointer
	workers uint64
	direct  uint64 // calls at once that go through cgo
	wake    uintptr
	_       [3]uint64 // counters of C's
	_       unsafe.Pointer
	_       [2]uint32
	nothing unsafe.Pointer // C that returns at once
	pause   unsafe.Pointer // C that waits for half a millisecond
}

const (
	seamParkNew = iota
	seamParkOn
	seamParkOff
)

// SeamParkedCall is a call that is parked: the first part of struct seam_coro in runtime/park's
// coro.h. It lies in C's memory, on the call's own stack.
type SeamParkedCall struct {
	waiter    uintptr
	event     uint32
	result    int32
	callee    unsafe.Pointer // what C calls, a Go function or, for seamParkByGo, one of C's, and its argument
	calleeArg unsafe.Pointer
}

const (
	seamParkDone = 1 + iota
	seamParkCallback
	seamParkByGo // C that would keep the worker: a cgo call
)

// seamParkRequest is struct park_request in runtime/park's worker.c.
type seamParkRequest struct {
	function *SeamParked
	args     uintptr // of an unsafe.Pointer that must not escape; the stack may move between two requests
	waiter   uintptr
	call     *SeamParkedCall
	outer    *SeamParkedCall
	g        uintptr // for profiles: see runtime/park's list.c
}

// seamParkWaiter is what a goroutine waits for.
type seamParkWaiter struct {
	woken sync.Mutex // locked until it may go on
}

var seamParkWaiters = sync.Pool{New: func() any {
	w := new(seamParkWaiter)
	w.woken.Lock()
	return w
}}

// seamParkCross is a function of C's by which crosscall2 hands calls of Go over:
// _seam_park_cross_v1. nil as long as nothing is parked.
var seamParkCross unsafe.Pointer

// seamParkDirect counts the calls that go through cgo.
var seamParkDirect int32

// seamParkOuter has the calls whose callbacks run, by goroutine.
var seamParkOuter struct {
	count int32
	calls sync.Map // uintptr, the address of a g: *SeamParkedCall
}

// SeamPark calls a C function whose waits take no thread.
func SeamPark(f *SeamParked, arg unsafe.Pointer, cgocall SeamCgocall) int32 {
	if atomic.LoadUint32(&f.on) != seamParkOn && !f.first(cgocall) {
		return cgocall(f.Call, uintptr(arg))
	}
	if _, locked := seamThread(); locked != 0 {
		return cgocall(f.Call, uintptr(arg))
	}
	var outer *SeamParkedCall
	if atomic.LoadInt32(&seamParkOuter.count) != 0 {
		if c, ok := seamParkOuter.calls.Load(seamG()); ok {
			outer = c.(*SeamParkedCall)
		}
	}
	if outer == nil && f.direct > 0 && atomic.LoadInt32(&seamParkDirect) < int32(f.direct) {
		if atomic.AddInt32(&seamParkDirect, 1) <= int32(f.direct) {
			return f.throughCgo(arg, cgocall)
		}
		atomic.AddInt32(&seamParkDirect, -1)
	}
	if atomic.LoadUint32(&seamParkOpen) != seamParkOpened && !f.open(cgocall) {
		return cgocall(f.Call, uintptr(arg))
	}
	w := seamParkWaiters.Get().(*seamParkWaiter)
	r := seamParkRequest{function: f, args: uintptr(arg), waiter: uintptr(unsafe.Pointer(w)), outer: outer, g: seamG()}
	SeamCall(f.submit, unsafe.Pointer(&r))
	if r.call == nil {
		seamParkWaiters.Put(w)
		return cgocall(f.Call, uintptr(arg))
	}
	for {
		w.woken.Lock()
		if r.call.event == seamParkDone {
			break
		}
		if r.call.event == seamParkByGo {
			cgocall(r.call.callee, uintptr(r.call.calleeArg))
		} else {
			f.serve(&r)
		}
		SeamCall(f.resume, unsafe.Pointer(&r))
	}
	result := r.call.result
	r.args = uintptr(arg)
	SeamCall(f.finish, unsafe.Pointer(&r))
	seamParkWaiters.Put(w)
	return result
}

// Go lets threads of C's in only when all init functions have run, and the workers are such
// threads: who waits for a parked call in an init function would wait for ever. So a call that
// does nothing is parked first, and until a worker wakes its goroutine others go through cgo.
var seamParkOpen uint32

const (
	seamParkAsked  = 1 + iota
	seamParkClosed // for longer than a worker takes to start
	seamParkOpened
)

var seamParkFirst SeamParked // the call that does nothing

var seamParkOpenMu sync.Mutex

// open reports whether workers can wake goroutines. The first call waits for the answer, and others for it.
func (f *SeamParked) open(cgocall SeamCgocall) bool {
	seamParkOpenMu.Lock()
	defer seamParkOpenMu.Unlock()
	if atomic.CompareAndSwapUint32(&seamParkOpen, 0, seamParkAsked) {
		seamParkFirst.name, seamParkFirst.body = f.name, f.nothing
		go func() {
			w := new(seamParkWaiter)
			w.woken.Lock()
			r := seamParkRequest{function: &seamParkFirst, waiter: uintptr(unsafe.Pointer(w)), g: seamG()}
			SeamCall(f.submit, unsafe.Pointer(&r))
			if r.call == nil { // neither memory nor a thread: the next call asks again
				atomic.StoreUint32(&seamParkOpen, 0)
				return
			}
			w.woken.Lock()
			SeamCall(f.finish, unsafe.Pointer(&r))
		}()
	}
	for range 200 {
		if s := atomic.LoadUint32(&seamParkOpen); s != seamParkAsked {
			return s == seamParkOpened
		}
		cgocall(f.pause, 0)
	}
	atomic.CompareAndSwapUint32(&seamParkOpen, seamParkAsked, seamParkClosed)
	return false
}

func (f *SeamParked) throughCgo(arg unsafe.Pointer, cgocall SeamCgocall) int32 {
	defer atomic.AddInt32(&seamParkDirect, -1) // also if a callback panics
	return cgocall(f.Call, uintptr(arg))
}

// serve calls the Go function that C wants to call. If that panics or ends its goroutine, C's
// frames are dropped, as cgo drops them.
func (f *SeamParked) serve(r *seamParkRequest) {
	g, returned := seamG(), false
	if r.outer == nil {
		atomic.AddInt32(&seamParkOuter.count, 1)
	}
	seamParkOuter.calls.Store(g, r.call)
	defer func() {
		if r.outer == nil {
			seamParkOuter.calls.Delete(g)
			atomic.AddInt32(&seamParkOuter.count, -1)
		} else {
			seamParkOuter.calls.Store(g, r.outer)
		}
		if !returned {
			SeamCall(f.drop, unsafe.Pointer(r))
		}
	}()
	callee := unsafe.Pointer(&r.call.callee) // a function's value is the address of its code's address
	(*(*func(unsafe.Pointer))(unsafe.Pointer(&callee)))(r.call.calleeArg)
	returned = true
}

// seamParkWake wakes the goroutines of a list. C calls it, on a worker's own stack.
func seamParkWake(list unsafe.Pointer) {
	if atomic.LoadUint32(&seamParkOpen) != seamParkOpened {
		atomic.StoreUint32(&seamParkOpen, seamParkOpened)
	}
	l := (*struct {
		first unsafe.Pointer
		count int64
	})(list)
	for i := range l.count {
		w := *(**seamParkWaiter)(unsafe.Add(l.first, i*8)) // its goroutine keeps it alive
		w.woken.Unlock()
	}
}

var seamParkMu sync.Mutex

// first prepares a function for its first call, and reports whether it is parked.
func (f *SeamParked) first(cgocall SeamCgocall) bool {
	if atomic.LoadUint32(&f.on) == seamParkOff {
		return false
	}
	seamParkMu.Lock()
	defer seamParkMu.Unlock()
	if f.on == seamParkNew {
		f.usable = seamParkOff
		if seamCheck() == "" && seamLockIsSeen() {
			f.usable = seamParkOn
			f.workers = uint64(seamProcs(0)+1) / 2
		}
		wake := seamParkWake
		f.wake = **(**uintptr)(unsafe.Pointer(&wake)) // crosscall2 wants the code's address
		cgocall(f.begin, uintptr(unsafe.Pointer(f)))
		if f.usable == seamParkOn {
			atomic.StorePointer(&seamParkCross, f.cross)
		}
		atomic.StoreUint32(&f.on, f.usable)
	}
	return f.on == seamParkOn
}
