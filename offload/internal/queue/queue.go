//go:build cgo

// Package queue holds the calls of package offload and runs them on threads.
//
// Each thread belongs to a goroutine, which is locked to it and stays in one cgo call for
// the pool's life. That call takes calls from a queue in C memory. So a thread needs Go
// neither to take a call nor to complete it, and no processor (P) of Go's; and if C crashes
// or calls an exported Go function, the runtime finds a goroutine in a cgo call, as always.
// Rejected: threads made by pthread_create (a crash on one ends the process without the
// runtime's report). See package offload's comment for other ways and their figures.
package queue

/*
#cgo CFLAGS: -O2 -I${SRCDIR}/../../../include
#cgo !windows LDFLAGS: -lpthread
#include <stdlib.h>
#include "job.h"
*/
import "C"

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// A Queue holds calls, identified by small numbers from 1 on, and runs them.
type Queue interface {
	// Push queues call i for a worker. remaining is the time to its deadline, or
	// [NoDeadline]. It returns false if the queue is closed. If it returns true, the call
	// is completed exactly once or removed by Cancel.
	Push(i uint32, fn, arg unsafe.Pointer, remaining time.Duration) bool

	// Cancel removes call i if it waits, and sets its token if it runs.
	Cancel(i uint32) Cancelled

	// Result returns what the function of call i returned.
	Result(i uint32) int64

	// Close completes the waiting calls as Refused, refuses further ones, and ends each
	// worker when its call has returned.
	Close()

	// Wait returns when the workers have ended after Close.
	Wait()

	// Free frees the queue. Wait must have returned and every call be completed.
	Free()

	// Figures returns what the queue does and has done.
	Figures() Figures
}

// NoDeadline is longer than any time to a deadline.
const NoDeadline = time.Duration(math.MaxInt64)

// A State says how a call ended.
type State uint32

// How a call may end.
const (
	Returned    State = C.SEAM_JOB_RETURNED
	ThreadEnded State = C.SEAM_JOB_ENDED   // its function ended the thread
	Refused     State = C.SEAM_JOB_REFUSED // not run: the queue was closed
)

// Cancelled says what Cancel did.
type Cancelled int

// What Cancel may do.
const (
	Removed Cancelled = iota // the call will not run and not be completed
	Told                     // it runs, and its token is set
	Late                     // it is completed, or about to be
)

// Figures is what a queue has done so far.
type Figures struct {
	Busy, Queued       int
	Done               uint64
	Waited, WaitedMost time.Duration
	Ran, RanMost       time.Duration
	Longest            time.Duration // of the calls that run
	LongestFn          uintptr
}

// onThread runs a worker on a thread of its own. The goroutine ends while locked to the
// thread, so that the thread ends too. It must not be the process's main thread, which can't
// end and whose name is the process's.
func onThread(work func()) {
	runtime.LockOSThread()
	if C.seam_offload_on_main_thread() == 0 {
		work()
		return
	}
	// While we hold the main thread another goroutine gets another thread.
	locked := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		close(locked)
		work()
	}()
	<-locked
	runtime.UnlockOSThread()
}

// figures adds up the workers' records while they keep working.
func figures(workers []C.seam_worker) (f Figures) {
	now := int64(C.seam_offload_now())
	for i := range workers {
		w := &workers[i]
		if since := load(&w.busy_since); since != 0 {
			f.Busy++
			if d := time.Duration(now - since); d >= f.Longest {
				f.Longest, f.LongestFn = d, atomic.LoadUintptr((*uintptr)(unsafe.Pointer(&w.fn)))
			}
		}
		f.Done += uint64(load(&w.done))
		f.Waited += time.Duration(load(&w.waited))
		f.WaitedMost = max(f.WaitedMost, time.Duration(load(&w.waited_most)))
		f.Ran += time.Duration(load(&w.ran))
		f.RanMost = max(f.RanMost, time.Duration(load(&w.ran_most)))
	}
	return f
}

func load(p *C.int64_t) int64 { return atomic.LoadInt64((*int64)(unsafe.Pointer(p))) }
