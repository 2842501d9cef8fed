//go:build cgo

package coro

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/seamgo/seam/internal/bubble"
	"github.com/seamgo/seam/internal/bubble/outside"
)

// ExecutorOptions are the options of an [Executor]. The zero value is ready to use.
type ExecutorOptions struct {
	// Threads is how many threads share the calls. 0: half of GOMAXPROCS, at least 1 and
	// at most 4. A thread that goes to sleep in the kernel keeps a processor from Go's
	// scheduler for some ten microseconds, so as many threads as processors would stop
	// the program for that long.
	Threads int

	// OnePerThread gives each call a thread of its own from start to end; further calls wait
	// until a thread is free. It is for libraries that keep things for each thread which
	// must not be shared and that seam_keep can't move. A call made inside another one, by
	// an upcall, takes a second thread. No call runs on its caller's thread, and if Threads
	// is 0 there are 16.
	OnePerThread bool

	// Inline is how many calls may run on their callers' threads instead, as with Locked,
	// while no others are under way. That saves the way to another thread and back.
	// 0: 1. -1: none.
	Inline int

	// Queue is how many calls may be under way; further ones wait. 0: no limit. A call
	// made inside another one, by an upcall, counts too. With OnePerThread, Threads is the
	// limit.
	Queue int
}

// An Executor runs coroutines on a few threads, many on each. A coroutine stays on the
// thread where it started, and a wait leaves the thread to others. With package netio it is
// the way to run libraries that block in system calls.
//
// The coroutines of a thread share its thread-local variables, except errno and what
// seam_keep has registered: a library's last error may be another call's after a wait.
// ExecutorOptions.OnePerThread is for libraries that can't bear it.
//
// Go functions that C calls and offloaded C functions run on the goroutine that made the
// call. Each costs two wake-ups: if there are many, Locked is better.
type Executor struct {
	workers  []*worker
	inline   int64
	underWay atomic.Int64
	waiting  atomic.Int64 // for room
	next     atomic.Uint32
	room     chan *worker // a token for each further call that may be under way: its thread, or nil if it shares one; nil without a limit
	inBubble bool         // made in one: there its calls sleep by the bubble's clock

	// admitted is twice the number of admitted calls, plus one when the executor is closed.
	// (A sync.WaitGroup must not be used both inside and outside of a bubble.)
	admitted atomic.Int64
	idle     chan struct{} // closed when it is closed and no call is left
}

// NewExecutor starts the threads of an executor.
func NewExecutor(o ExecutorOptions) (*Executor, error) {
	if o.Threads < 0 || o.Inline < -1 || o.Queue < 0 {
		return nil, fmt.Errorf("coro: ExecutorOptions %+v: want numbers of 0 or more (Inline: or -1)", o)
	}
	if o.OnePerThread && (o.Inline > 0 || o.Queue > 0) {
		return nil, fmt.Errorf("coro: ExecutorOptions %+v: want no Inline and no Queue with OnePerThread", o)
	}
	switch {
	case o.Threads > 0:
	case o.OnePerThread:
		o.Threads = 16
	default:
		o.Threads = min(max(1, runtime.GOMAXPROCS(0)/2), 4)
	}
	switch {
	case o.OnePerThread:
		o.Inline = -1
	case o.Inline == 0:
		o.Inline = 1
	}
	x := &Executor{inline: int64(o.Inline), inBubble: bubble.Inside(), idle: make(chan struct{})}
	if fast { // the fallback has a thread for each call
		var err error
		outside.Do(func() { err = x.start(o.Threads) })
		if err != nil {
			x.stop()
			return nil, err
		}
	}
	if o.OnePerThread {
		o.Queue = o.Threads
	}
	if o.Queue > 0 {
		x.room = make(chan *worker, o.Queue)
		for i := range o.Queue {
			var w *worker
			if o.OnePerThread && fast {
				w = x.workers[i]
			}
			x.room <- w
		}
	}
	return x, nil
}

// start starts the threads.
func (x *Executor) start(n int) error {
	for range n {
		w, err := newWorker()
		if err != nil {
			return err
		}
		x.workers = append(x.workers, w)
		go w.run()
	}
	return nil
}

// Runner returns a Runner that runs coroutines on the executor.
func (x *Executor) Runner() Runner { return Runner{mode: modeExecutor, host: unsafe.Pointer(x)} }

// Close ends the executor: new calls fail with ErrClosed. It waits for the calls under way
// and then ends the threads, so a Go function that C called through the executor must not
// call it. Close may be called again.
func (x *Executor) Close() error {
	if before := x.admitted.Or(1); before == 0 {
		close(x.idle)
	}
	<-x.idle
	x.stop()
	return nil
}

// stop ends the threads.
func (x *Executor) stop() {
	for _, w := range x.workers {
		w.stop()
	}
}

// Stats returns the executor's figures.
func (x *Executor) Stats() ExecutorStats {
	return ExecutorStats{Threads: len(x.workers), Calls: int(x.underWay.Load()), Waiting: int(x.waiting.Load())}
}

// admit lets a call in once there is room, and returns the thread that is its own, or nil.
// Every admitted call must leave.
func (x *Executor) admit(ctx context.Context) (*worker, error) {
	for {
		n := x.admitted.Load()
		if n&1 != 0 {
			return nil, ErrClosed
		}
		if x.admitted.CompareAndSwap(n, n+2) {
			break
		}
	}
	if x.room == nil {
		return nil, nil
	}
	x.waiting.Add(1)
	defer x.waiting.Add(-1)
	select {
	case own := <-x.room:
		return own, nil
	case <-ctx.Done():
		x.dismiss()
		return nil, context.Cause(ctx)
	}
}

func (x *Executor) leave(own *worker) {
	if x.room != nil {
		x.room <- own
	}
	x.dismiss()
}

// dismiss undoes what admit counted.
func (x *Executor) dismiss() {
	if x.admitted.Add(-2) == 1 {
		close(x.idle)
	}
}

// run runs an admitted call.
func (x *Executor) run(k *call, own *worker) (int64, error) {
	n := x.underWay.Add(1)
	defer x.underWay.Add(-1)
	switch {
	case !fast:
		return k.run()
	case own != nil:
		k.c.hasThread()
		return k.serveFrom(own)
	case n <= x.inline && !pulled():
		k.runner.mode = modeLocked
		k.c.hasThread()
		return k.runLocked()
	}
	return k.serveFrom(x.workers[x.next.Add(1)%uint32(len(x.workers))])
}
