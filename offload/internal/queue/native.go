//go:build cgo && linux

package queue

/*
#include <stdlib.h>
#include "native.h"
*/
import "C"

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/bubble/outside"
	"github.com/seamgo/seam/leaf"
)

// native is the queue in C memory, see native.h. Go submits calls by a leaf call. A
// goroutine that Go's poller wakes takes the completed ones.
type native struct {
	c         *C.seam_queue
	jobs      []C.seam_job
	workers   []C.seam_worker
	completed *uint32 // in C memory
	asleep    *uint32
	wake      *os.File
	complete  func(i uint32, s State)
	running   sync.WaitGroup
	freed     atomic.Bool
	ended     chan struct{} // closed when dispatch has ended
}

// Native starts a queue from which C threads take calls. It has room for the calls 1 to
// calls, and workers threads named name. complete is called for each completed call, from
// some goroutine, and must not block.
func Native(calls, workers int, name string, complete func(i uint32, s State)) (Queue, error) {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	c, err := C.seam_queue_new(C.uint32_t(calls), C.uint32_t(workers), cname)
	if c == nil {
		return nil, err
	}
	q := &native{
		c:         c,
		jobs:      unsafe.Slice(c.jobs, calls+1),
		workers:   unsafe.Slice(c.workers, workers),
		completed: (*uint32)(&c.completed),
		asleep:    (*uint32)(&c.asleep),
		wake:      os.NewFile(uintptr(c.wake), "eventfd"),
		complete:  complete,
		ended:     make(chan struct{}),
	}
	// os.NewFile does not say if Go's poller refuses the eventfd, as it does when the user has
	// no watches left (fs.epoll.max_user_watches).
	err = q.wake.SetReadDeadline(time.Time{})
	var raw syscall.RawConn
	if err == nil {
		raw, err = q.wake.SyscallConn()
	}
	if err != nil {
		q.wake.Close()
		C.seam_queue_free(c)
		return nil, err
	}
	q.running.Add(workers)
	for i := range workers {
		go onThread(func() { q.work(uint32(i)) })
	}
	go q.dispatch(raw)
	return q, nil
}

// work is what a worker's goroutine does.
func (q *native) work(worker uint32) {
	C.seam_queue_work(q.c, C.uint32_t(worker))
	q.running.Done()
}

// dispatch takes completed calls whenever the poller says that the eventfd was written,
// until the file is closed. The poller reports every write (its events are edge-triggered),
// so the eventfd need not be read.
func (q *native) dispatch(raw syscall.RawConn) {
	defer close(q.ended)
	err := raw.Read(func(uintptr) bool {
		for {
			q.take()
			// From now on a completion writes the eventfd, and an earlier one is seen
			// here. So no other thread may see the store after the load. A Swap ensures
			// that everywhere. With -race a Store does not: the race detector's atomics
			// are releases and acquires, not sequentially consistent as Go's own are.
			atomic.SwapUint32(q.asleep, 1)
			if atomic.LoadUint32(q.completed) == 0 {
				return false
			}
			atomic.StoreUint32(q.asleep, 0)
		}
	})
	if !q.freed.Load() {
		panic("offload: the poller does not take an eventfd: " + err.Error())
	}
}

// take completes the listed calls, oldest first.
func (q *native) take() {
	last := atomic.SwapUint32(q.completed, 0)
	syncRace()
	var first C.uint32_t
	for i := C.uint32_t(last); i != 0; {
		next := q.jobs[i].next
		q.jobs[i].next = first
		first, i = i, next
	}
	for i := first; i != 0; {
		j := &q.jobs[i]
		next, s, worker := j.next, State(j.state), uint32(j.worker)
		if s == ThreadEnded {
			// Its goroutine never runs again; another one takes its place.
			outside.Do(func() { go onThread(func() { q.work(worker) }) })
		}
		q.complete(uint32(i), s) // from here on call i may be another one
		i = next
	}
}

var pushFn, cancelFn = unsafe.Pointer(C.seam_queue_push), unsafe.Pointer(C.seam_queue_cancel)

// Push and Cancel are leaf calls: the lock is only ever held for some instructions. If they
// can't get it at once they return, and an ordinary cgo call waits for it.

func (q *native) Push(i uint32, fn, arg unsafe.Pointer, remaining time.Duration) bool {
	syncRace()
	j := &q.jobs[i]
	j.fn, j.arg = C.uintptr_t(uintptr(fn)), C.uintptr_t(uintptr(arg))
	r := C.seam_queue_request{queue: q.c, job: C.uint32_t(i), remaining: C.int64_t(remaining)}
	answer := leaf.Call(pushFn, unsafe.Pointer(&r))
	if answer == C.SEAM_QUEUE_BUSY {
		answer = int32(C.seam_queue_push_wait(q.c, C.uint32_t(i), C.int64_t(remaining)))
	}
	// This goroutine runs already; the one in the poller would have to be woken.
	if atomic.LoadUint32(q.completed) != 0 {
		q.take()
	}
	return answer == C.SEAM_QUEUE_PUSHED
}

func (q *native) Cancel(i uint32) Cancelled {
	r := C.seam_queue_request{queue: q.c, job: C.uint32_t(i)}
	answer := leaf.Call(cancelFn, unsafe.Pointer(&r))
	if answer == C.SEAM_QUEUE_BUSY {
		answer = int32(C.seam_queue_cancel_wait(q.c, C.uint32_t(i)))
	}
	switch answer {
	case C.SEAM_QUEUE_REMOVED:
		return Removed
	case C.SEAM_QUEUE_TOLD:
		return Told
	}
	return Late
}

func (q *native) Result(i uint32) int64 { return int64(q.jobs[i].result) }

func (q *native) Close() { C.seam_queue_close(q.c, C.uint32_t(len(q.workers))) }

func (q *native) Wait() { q.running.Wait() }

func (q *native) Free() {
	C.seam_queue_settle(q.c)
	q.freed.Store(true)
	q.wake.Close() // ends dispatch
	<-q.ended
	C.seam_queue_free(q.c)
}

func (q *native) Figures() Figures {
	f := figures(q.workers)
	f.Queued = int(C.seam_queue_length(q.c))
	return f
}
