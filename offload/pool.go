//go:build cgo

package offload

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/bubble/outside"
	"github.com/seamgo/seam/offload/internal/queue"
)

// A Pool has threads that run C functions, and a queue in front of them. Make one with [New]
// and end it with [Pool.Close]. Its methods may be called from any goroutine.
type Pool struct {
	options Options
	slots   []slot
	free    chan uint32   // the slots not in use, counted from 1
	closing chan struct{} // closed by Close
	closed  chan struct{} // closed when the threads have ended
	once    sync.Once     // Close's

	waiting      atomic.Int64
	cancelled    atomic.Uint64
	rejected     atomic.Uint64
	threadsEnded atomic.Uint64

	// A goroutine that has a slot may use the queue without the lock.
	mu    sync.RWMutex
	queue queue.Queue // nil when the threads have ended
	last  Stats       // from then on
}

// A slot is for one call: there are as many as calls may run and be queued. Its counterpart
// in C memory has the token, the arguments and the result.
type slot struct {
	done chan queue.State
	arg  unsafe.Pointer
	pin  runtime.Pinner
	_    [40]byte // so that two never share a cache line
}

// New returns a pool and starts its threads. It fails if an option is out of range or the
// system refuses what the pool needs.
func New(o Options) (p *Pool, err error) {
	if o, err = o.filled(); err != nil {
		return nil, err
	}
	// A pool is no bubble's: it may be made in one and used elsewhere.
	outside.Do(func() { p, err = start(o) })
	return p, err
}

func start(o Options) (*Pool, error) {
	n := o.Threads + o.Queue
	p := &Pool{
		options: o,
		slots:   make([]slot, n+1),
		free:    make(chan uint32, n),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
	}
	for i := range uint32(n) {
		p.slots[i+1].done = make(chan queue.State, 1)
		p.free <- i + 1
	}
	newQueue := queue.ViaCgo
	if state.Path == PathNative {
		newQueue = queue.Native
	}
	name := strings.ToValidUTF8(o.Name[:min(len(o.Name), 15)], "")
	var err error
	p.queue, err = newQueue(n, o.Threads, name, func(i uint32, s queue.State) { p.slots[i].done <- s })
	if err != nil {
		return nil, fmt.Errorf("offload: pool %s: %w", o.Name, err)
	}
	return p, nil
}

// Do runs the C function fn(token, arg), a seam_offload_fn of seam/offload.h, on a thread of
// the pool and returns its result. While the call waits for room in the queue, for a thread
// and for C, the goroutine is parked and takes no thread.
//
// If ctx ends before a thread has taken the call, C does not run, and Do returns 0 and
// context.Cause(ctx) at once. If it ends later, the token tells C, and Do returns when C
// does, with C's result and context.Cause(ctx). C uses arg until then, so Do can't return
// sooner. A call that C has finished by then has no error. The other errors are
// [ErrClosed], [ErrNoFunction] and [ErrThreadEnded].
//
// arg must not move: it is C memory, or in Go's heap, to which arguments of Do escape. Do
// keeps it alive and pinned (runtime.Pinner) until C is done. What it leads to must be C
// memory, or Go memory that the caller has pinned. C must keep no address of Go memory after
// it has returned.
func (p *Pool) Do(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	return p.do(ctx, fn, arg, true)
}

// TryDo is [Pool.Do], except that it returns [ErrFull] at once instead of waiting for room in
// the queue.
func (p *Pool) TryDo(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	return p.do(ctx, fn, arg, false)
}

func (p *Pool) do(ctx context.Context, fn, arg unsafe.Pointer, wait bool) (int64, error) {
	if p == nil || p.slots == nil {
		return 0, errors.New("offload: this Pool was not made by New")
	}
	if fn == nil {
		return 0, ErrNoFunction
	}
	if ctx.Err() != nil {
		p.cancelled.Add(1)
		return 0, context.Cause(ctx)
	}
	i, err := p.takeSlot(ctx, wait)
	if err != nil {
		return 0, err
	}
	s := &p.slots[i]
	// Storing arg keeps it alive and makes it escape, so it is not on a stack, which moves.
	// Go's heap does not move today; the pin is what the language's rules ask for.
	s.arg = arg
	if arg != nil {
		s.pin.Pin(arg)
	}
	result, err := p.run(ctx, i, fn, arg)
	s.pin.Unpin()
	s.arg = nil
	p.free <- i
	return result, err
}

// takeSlot returns a free slot.
func (p *Pool) takeSlot(ctx context.Context, wait bool) (uint32, error) {
	select {
	case <-p.closing:
		p.rejected.Add(1)
		return 0, ErrClosed
	default:
	}
	select {
	case i := <-p.free:
		return i, nil
	default:
	}
	if !wait {
		p.rejected.Add(1)
		return 0, ErrFull
	}
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	select {
	case i := <-p.free:
		return i, nil
	case <-p.closing:
		p.rejected.Add(1)
		return 0, ErrClosed
	case <-ctx.Done():
		p.cancelled.Add(1)
		return 0, context.Cause(ctx)
	}
}

// run queues the call and waits until it has ended. The goroutine that waits is also the one
// that cancels, and it gives up the slot only after the end, so a late cancellation can't
// reach the slot's next call. (Rejected: context.AfterFunc, which allocates and runs in a
// goroutine that would have to be waited for.)
func (p *Pool) run(ctx context.Context, i uint32, fn, arg unsafe.Pointer) (int64, error) {
	s := &p.slots[i]
	remaining := queue.NoDeadline
	if d, ok := ctx.Deadline(); ok {
		remaining = time.Until(d)
	}
	if !p.queue.Push(i, fn, arg, remaining) {
		p.rejected.Add(1)
		return 0, ErrClosed
	}
	var end queue.State
	told := false
	if ctx.Done() == nil {
		end = <-s.done
	} else {
		select {
		case end = <-s.done:
		case <-ctx.Done():
			switch p.queue.Cancel(i) {
			case queue.Removed:
				p.cancelled.Add(1)
				return 0, context.Cause(ctx)
			case queue.Told:
				told = true
			}
			end = <-s.done
		}
	}
	switch {
	case end == queue.Refused:
		p.rejected.Add(1)
		return 0, ErrClosed
	case end == queue.ThreadEnded:
		p.threadsEnded.Add(1)
		return 0, ErrThreadEnded
	case told:
		p.cancelled.Add(1)
		return p.queue.Result(i), context.Cause(ctx)
	}
	return p.queue.Result(i), nil
}

// Close ends the pool. From now on calls fail with [ErrClosed], including those that wait in
// the queue; those that run in C finish. Close waits for them, and for the threads to leave
// C, until ctx ends, and then returns an error that wraps context.Cause(ctx). The pool still
// closes when C returns. Close may be called again, to wait again, and returns nil once
// everything has ended.
//
// The Go runtime ends the threads right after that. A pool that is not closed keeps its
// threads even if nothing refers to it any more.
func (p *Pool) Close(ctx context.Context) error {
	if p == nil || p.slots == nil {
		return errors.New("offload: this Pool was not made by New")
	}
	p.once.Do(func() {
		close(p.closing)
		p.queue.Close()
		outside.Do(func() { go p.end() })
	})
	select {
	case <-p.closed:
		return nil
	default:
	}
	select {
	case <-p.closed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("offload: pool %s: %d calls are still in C: %w", p.options.Name, p.Stats().Busy, context.Cause(ctx))
	}
}

// end frees the queue once its threads have ended and no call has a slot.
func (p *Pool) end() {
	p.queue.Wait()
	for range cap(p.free) {
		<-p.free
	}
	last := p.Stats()
	last.Threads = 0
	p.mu.Lock()
	p.last = last
	p.queue.Free()
	p.queue = nil
	p.mu.Unlock()
	close(p.closed)
}

// Stats returns the pool's figures; after Close, the last ones.
func (p *Pool) Stats() Stats {
	if p == nil || p.slots == nil {
		return Stats{}
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	s := p.last
	if p.queue != nil {
		f := p.queue.Figures()
		s = Stats{
			Name: p.options.Name, Threads: p.options.Threads, Busy: f.Busy, Queued: f.Queued, Done: f.Done,
			Waited: f.Waited, MaxWaited: f.WaitedMost, Ran: f.Ran, MaxRan: f.RanMost,
			Longest: f.Longest, LongestFunc: nameOf(f.LongestFn),
		}
	}
	s.Waiting = int(p.waiting.Load())
	s.Cancelled, s.Rejected, s.ThreadsEnded = p.cancelled.Load(), p.rejected.Load(), p.threadsEnded.Load()
	return s
}
