//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

//lint:file-ignore U1000 C uses what seems unused

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Bounds
//
// A bound lets so many goroutines at once into a C function, a group of them or all of
// the program. A goroutine that is in has one of its places. The others wait for a mutex, which
// takes no thread, and which a bubble of testing/synctest doesn't take for an event of
// its own, so there too they wait as in C.
//
// A goroutine that is locked to its thread goes through without a place, since the thread
// is there anyway. Each that runs in a callback is (the runtime locks it), so a call that
// is nested in another never waits: neither for the place that the outer call has nor
// for calls that wait for what C holds below it.
//
// No wake-up is lost: who leaves empties its place and then looks whether somebody waits,
// who comes says that it waits and then looks at the places. Of places and queue the
// mutex's owner alone gives to those who wait, first come, first served; newcomers keep off while
// there are any.

// SeamBound is the first part of struct _seam_bound in seam_weld_bound.h. It lies in C's
// memory.
type SeamBound struct {
	on      uint32
	places  uint32
	place   unsafe.Pointer // the first of the places
	waiting uint32
	usable  uint32
	name    *byte
	begin   unsafe.Pointer
	watch   unsafe.Pointer
	queue   uintptr // a *seamQueue, which seamBounds keeps alive
	letOne  uintptr

	waited, served, let uint64 // written by the owner of the queue's mutex
}

// SeamPlace is struct _seam_place: what a goroutine has while it is in.
type SeamPlace struct {
	taken uint32
	calls uint64
	who   uintptr
	_     [64 - 24]byte
}

const (
	seamBoundNew = iota
	seamBoundOn
	seamBoundOff
)

type seamQueue struct {
	mu          sync.Mutex
	first, last *seamWaiter
}

type seamWaiter struct {
	next  *seamWaiter
	place *SeamPlace
	woken sync.Mutex // locked until it may go on
}

// seamBounds has what C's memory has addresses of.
var seamBounds struct {
	mu     sync.Mutex
	queues []*seamQueue
}

// SeamEnter waits for a place of a bound and returns it, nil if the goroutine needs none.
// who is the function's name and a zero, a constant: C keeps its address. A nil bound lets all in.
func SeamEnter(b *SeamBound, who string, cgocall SeamCgocall) *SeamPlace {
	if b == nil || atomic.LoadUint32(&b.on) != seamBoundOn && !b.first(cgocall) {
		return nil
	}
	m, locked := seamThread()
	if locked != 0 {
		return nil
	}
	var p *SeamPlace
	if atomic.LoadUint32(&b.waiting) == 0 {
		p = b.take(m)
	}
	if p == nil {
		p = b.wait(m, cgocall)
	}
	if p != nil {
		p.who = uintptr(unsafe.Pointer(unsafe.StringData(who)))
		p.calls++
	}
	return p
}

// SeamLeave gives a place back.
func SeamLeave(b *SeamBound, p *SeamPlace) {
	if p == nil {
		return
	}
	atomic.SwapUint32(&p.taken, 0)
	if atomic.LoadUint32(&b.waiting) != 0 {
		b.handOver(p)
	}
}

// take takes a free place, nil if there is none. Each thread begins at a place of its own,
// so that threads share no cache line while there are more places than goroutines.
func (b *SeamBound) take(m uintptr) *SeamPlace {
	i := uint32(uint64(uint32(m>>8)*0x9E3779B1) * uint64(b.places) >> 32)
	for range b.places {
		p := (*SeamPlace)(unsafe.Add(b.place, uintptr(i)*unsafe.Sizeof(SeamPlace{})))
		if p.take() {
			return p
		}
		if i++; i == b.places {
			i = 0
		}
	}
	return nil
}

func (p *SeamPlace) take() bool {
	return atomic.LoadUint32(&p.taken) == 0 && atomic.CompareAndSwapUint32(&p.taken, 0, 1)
}

// wait waits for a place. The watch may let the goroutine in without one.
func (b *SeamBound) wait(m uintptr, cgocall SeamCgocall) *SeamPlace {
	q := b.waiters()
	q.mu.Lock()
	atomic.AddUint32(&b.waiting, 1)
	if q.first == nil {
		if p := b.take(m); p != nil {
			atomic.AddUint32(&b.waiting, ^uint32(0))
			q.mu.Unlock()
			return p
		}
	}
	w := new(seamWaiter)
	w.woken.Lock()
	if q.first == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
	b.waited++
	q.mu.Unlock()
	cgocall(b.watch, uintptr(unsafe.Pointer(b)))
	w.woken.Lock()
	return w.place
}

// handOver gives a place, p if it is still free, to the one that has waited longest. If all are
// taken again, the goroutine that has them hands over.
func (b *SeamBound) handOver(p *SeamPlace) {
	q := b.waiters()
	q.mu.Lock()
	if q.first != nil {
		if !p.take() {
			p = b.take(0)
		}
		if p != nil {
			b.served++
			b.wake(q, p)
		}
	}
	q.mu.Unlock()
}

// wake lets the first of the queue go on. The caller has the queue's mutex.
func (b *SeamBound) wake(q *seamQueue, p *SeamPlace) {
	w := q.first
	q.first = w.next
	atomic.AddUint32(&b.waiting, ^uint32(0))
	w.place = p
	w.woken.Unlock()
}

// seamLetOne is called by the watch, on a thread of C's.
func seamLetOne(bound unsafe.Pointer) {
	b := (*SeamBound)(bound)
	q := b.waiters()
	q.mu.Lock()
	if q.first != nil {
		b.let++
		b.wake(q, nil)
	}
	q.mu.Unlock()
}

// waiters is the bound's queue. The address in C's memory is no pointer to the garbage collector.
func (b *SeamBound) waiters() *seamQueue { return *(**seamQueue)(unsafe.Pointer(&b.queue)) }

// first prepares a bound for its first call, and reports whether it bounds.
func (b *SeamBound) first(cgocall SeamCgocall) bool {
	seamBounds.mu.Lock()
	defer seamBounds.mu.Unlock()
	if b.on == seamBoundNew {
		b.usable = seamBoundOff
		if seamCheck() == "" && seamLockIsSeen() {
			b.usable = seamBoundOn
		}
		q := new(seamQueue)
		seamBounds.queues = append(seamBounds.queues, q)
		b.queue = uintptr(unsafe.Pointer(q))
		letOne := seamLetOne
		b.letOne = **(**uintptr)(unsafe.Pointer(&letOne)) // crosscall2 wants the code's address
		cgocall(b.begin, uintptr(unsafe.Pointer(b)))
		atomic.StoreUint32(&b.on, b.usable)
	}
	return b.on == seamBoundOn
}

// seamLockIsSeen reports whether a locked goroutine is known as such: where package runtime
// wasn't found for this build, nobody can try.
func seamLockIsSeen() bool {
	if seamLock == nil {
		return false
	}
	seamLock()
	defer seamUnlock()
	m, locked := seamThread()
	return locked == m
}

// seamThread returns the address of this thread's m, and the one to which the goroutine is
// locked, 0 if to none.
//
//go:noescape
func seamThread() (m, locked uintptr)
