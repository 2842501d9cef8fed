//go:build cgo

package queue

/*
#include <stdlib.h>
#include "viacgo.h"
*/
import "C"

import (
	"errors"
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"
)

// viaCgo is a queue in Go: goroutines locked to their threads take calls and make each
// through cgo. The records of calls and workers are in C memory all the same.
type viaCgo struct {
	jobs     []C.seam_job
	workers  []C.seam_worker
	name     *C.char
	handle   cgo.Handle
	complete func(i uint32, s State)
	running  sync.WaitGroup

	mu         sync.Mutex
	more       sync.Cond // a call was queued, or the queue closed
	head, tail C.uint32_t
	queued     int
	closing    bool
}

// ViaCgo starts a queue that needs nothing but cgo. See Native for the arguments.
func ViaCgo(calls, workers int, name string, complete func(i uint32, s State)) (Queue, error) {
	jobs := (*C.seam_job)(C.calloc(C.size_t(calls)+1, C.sizeof_seam_job))
	records := (*C.seam_worker)(C.calloc(C.size_t(workers), C.sizeof_seam_worker))
	if jobs == nil || records == nil {
		C.free(unsafe.Pointer(jobs))
		C.free(unsafe.Pointer(records))
		return nil, errors.New("out of memory")
	}
	q := &viaCgo{
		jobs:     unsafe.Slice(jobs, calls+1),
		workers:  unsafe.Slice(records, workers),
		name:     C.CString(name),
		complete: complete,
	}
	q.more.L = &q.mu
	q.handle = cgo.NewHandle(q)
	q.running.Add(workers)
	for i := range workers {
		C.seam_viacgo_worker(&q.workers[i], C.uint32_t(i), C.uintptr_t(q.handle))
		go onThread(func() { q.work(uint32(i)) })
	}
	return q, nil
}

// work is what a worker's goroutine does.
func (q *viaCgo) work(worker uint32) {
	C.seam_offload_enter(q.name)
	for i := q.next(); i != 0; i = q.next() {
		C.seam_offload_run(&q.workers[worker], &q.jobs[i], i)
		q.end(i, Returned)
	}
	q.running.Done()
}

//export seamOffloadThreadEnded
func seamOffloadThreadEnded(handle C.uintptr_t, worker, i C.uint32_t) {
	q := cgo.Handle(handle).Value().(*viaCgo)
	// The goroutine never runs again; another one takes its place.
	go onThread(func() { q.work(uint32(worker)) })
	q.end(i, ThreadEnded)
}

// next takes the oldest call, or returns 0 if the queue is closed.
func (q *viaCgo) next() C.uint32_t {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.head == 0 && !q.closing {
		q.more.Wait()
	}
	i := q.head
	if i != 0 {
		q.takeOut(i)
		q.jobs[i].state = C.SEAM_JOB_RUNNING
	}
	return i
}

func (q *viaCgo) end(i C.uint32_t, s State) {
	q.mu.Lock()
	q.jobs[i].state = C.uint32_t(s)
	q.mu.Unlock()
	q.complete(uint32(i), s)
}

func (q *viaCgo) takeOut(i C.uint32_t) {
	j := &q.jobs[i]
	if j.prev != 0 {
		q.jobs[j.prev].next = j.next
	} else {
		q.head = j.next
	}
	if j.next != 0 {
		q.jobs[j.next].prev = j.prev
	} else {
		q.tail = j.prev
	}
	q.queued--
}

func (q *viaCgo) Push(i uint32, fn, arg unsafe.Pointer, remaining time.Duration) bool {
	j := &q.jobs[i]
	j.fn, j.arg = C.uintptr_t(uintptr(fn)), C.uintptr_t(uintptr(arg))
	C.seam_offload_prepare(j, C.int64_t(remaining))
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closing {
		return false
	}
	j.state, j.next, j.prev = C.SEAM_JOB_WAITING, 0, q.tail
	if q.tail != 0 {
		q.jobs[q.tail].next = C.uint32_t(i)
	} else {
		q.head = C.uint32_t(i)
	}
	q.tail = C.uint32_t(i)
	q.queued++
	q.more.Signal()
	return true
}

func (q *viaCgo) Cancel(i uint32) Cancelled {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch j := &q.jobs[i]; j.state {
	case C.SEAM_JOB_WAITING:
		q.takeOut(C.uint32_t(i))
		return Removed
	case C.SEAM_JOB_RUNNING:
		C.seam_offload_tell(j)
		return Told
	}
	return Late
}

func (q *viaCgo) Result(i uint32) int64 { return int64(q.jobs[i].result) }

func (q *viaCgo) Close() {
	q.mu.Lock()
	q.closing = true
	var refused []uint32
	for i := q.head; i != 0; i = q.jobs[i].next {
		q.jobs[i].state = C.SEAM_JOB_REFUSED
		refused = append(refused, uint32(i))
	}
	q.head, q.tail, q.queued = 0, 0, 0
	q.more.Broadcast()
	q.mu.Unlock()
	for _, i := range refused {
		q.complete(i, Refused)
	}
}

func (q *viaCgo) Wait() { q.running.Wait() }

func (q *viaCgo) Free() {
	q.handle.Delete()
	C.free(unsafe.Pointer(unsafe.SliceData(q.jobs)))
	C.free(unsafe.Pointer(unsafe.SliceData(q.workers)))
	C.free(unsafe.Pointer(q.name))
}

func (q *viaCgo) Figures() Figures {
	f := figures(q.workers)
	q.mu.Lock()
	f.Queued = q.queued
	q.mu.Unlock()
	return f
}
