//go:build cgo && linux

package coro

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// ExecutorOptions are how many threads an [Executor] may use. 0 stands for the
// default.
type ExecutorOptions struct {
	// Threads are those that share all calls: by default half of GOMAXPROCS, 1 at least
	// and 4 at most. One that sleeps in the kernel keeps a processor from Go's scheduler
	// for some ten microseconds; as many as there are processors would stop the program
	// for that long.
	Threads int
	// Inline is up to how many calls run on the threads of their callers instead, as
	// with Locked, while no others are under way: that saves the way to another thread
	// and back. 1 by default; -1 for none.
	Inline int
	// Queue is up to how many calls may be under way; more wait. 0 for no limit.
	Queue int
}

// An Executor runs coroutines on a few threads, many on each. A coroutine always
// goes on on the thread where it began, so thread-local variables and errno are
// right; a wait leaves the thread to others. It is the way to run libraries that
// block in system calls, with package netio.
//
// Go functions that C calls, and offloaded ones, run on the goroutine that made the
// call; each costs two wake-ups. Where they are many, Locked is the better way.
type Executor struct {
	workers  []*worker
	inline   int64
	underWay atomic.Int64
	next     atomic.Uint32
	room     chan struct{} // one token for each call under way; nil without a limit

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
}

// NewExecutor starts the threads of an executor.
func NewExecutor(o ExecutorOptions) (*Executor, error) {
	if o.Threads < 0 || o.Inline < -1 || o.Queue < 0 {
		return nil, fmt.Errorf("coro: ExecutorOptions %+v: want numbers of 0 or more (Inline: or -1)", o)
	}
	if o.Threads == 0 {
		o.Threads = min(max(1, runtime.GOMAXPROCS(0)/2), 4)
	}
	if o.Inline == 0 {
		o.Inline = 1
	}
	x := &Executor{inline: int64(o.Inline)}
	if o.Queue > 0 {
		x.room = make(chan struct{}, o.Queue)
	}
	if !fast {
		return x, nil // the fallback has a thread for each call
	}
	for range o.Threads {
		w, err := newWorker()
		if err != nil {
			for _, w := range x.workers {
				w.post(message{kind: msgStop})
				<-w.ended
			}
			return nil, err
		}
		x.workers = append(x.workers, w)
		go w.run()
	}
	return x, nil
}

// Runner returns the executor as a way to run coroutines.
func (x *Executor) Runner() Runner { return Runner{mode: modeExecutor, exec: x} }

// Close ends the executor: new calls get ErrClosed. It waits until the calls under
// way have ended, then ends the threads. Close may be called again.
func (x *Executor) Close() error {
	x.mu.Lock()
	first := !x.closed
	x.closed = true
	x.mu.Unlock()
	x.calls.Wait()
	if first {
		for _, w := range x.workers {
			w.post(message{kind: msgStop})
		}
	}
	for _, w := range x.workers {
		<-w.ended
	}
	return nil
}

// Calls returns how many calls are under way, waiting for room not counted.
func (x *Executor) Calls() int { return int(x.underWay.Load()) }

func (x *Executor) enter() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	x.calls.Add(1)
	return true
}

// run runs a call that has begun.
func (x *Executor) run(k *call) {
	k.result, k.err = 0, nil
	if !x.enter() {
		k.refuse(ErrClosed)
		return
	}
	defer x.calls.Done()
	if x.room != nil {
		select {
		case x.room <- struct{}{}:
		case <-k.ctx.Done():
			k.refuse(nil)
			return
		}
		defer func() { <-x.room }()
	}
	n := x.underWay.Add(1)
	defer x.underWay.Add(-1)
	if !fast {
		k.run()
		return
	}
	if n <= x.inline {
		k.runInline()
		return
	}
	w := x.workers[x.next.Add(1)%uint32(len(x.workers))]
	k.mu.Lock()
	k.exec.worker = w
	k.mu.Unlock()
	k.serveFrom(w)
}

// runInline runs the call on its caller's thread.
func (k *call) runInline() {
	k.runner.mode = modeLocked
	k.c.flags = 0
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	k.run()
}

// execState is what an executor knows of a call. But for side, it is the worker's as
// long as the coroutine is.
type execState struct {
	worker  *worker // set under call.mu, for cancellation
	waiters []waiter
	waits   waitKind
	due     time.Duration // when a wait ends, or forever
	heap    int           // place among the timers
	ready   bool          // in the worker's list; guarded by worker.readyMu
}

// A side says who has a call.
type side = int32

const (
	withWorker side = iota
	asksCaller      // for its request to be served
	hasEnded        // C has returned
	gaveUp          // it was abandoned
)

// serveFrom is the caller's side of a call that a worker runs: it serves what may
// block or run Go code of the user.
func (k *call) serveFrom(w *worker) {
	k.side.Store(withWorker)
	over := false
	defer func() {
		if !over {
			// A panic or Goexit is on its way, see settle.
			k.ending = ePanic
			if exiting() {
				k.ending = eGoexit
			}
			k.c.status = k.ending
			k.drainOn(w)
		}
		k.mu.Lock()
		k.exec = execState{waiters: k.exec.waiters[:0]}
		k.mu.Unlock()
	}()
	w.post(message{call: k, kind: msgRun})
	for !over {
		<-k.wake
		switch k.side.Load() {
		case hasEnded, gaveUp:
			over = true
		case asksCaller:
			k.c.status = k.answer()
			if k.ending != 0 {
				k.drainOn(w)
				over = true
				break
			}
			k.side.Store(withWorker)
			w.post(message{call: k, kind: msgRun})
		}
	}
}

// drainOn has the worker drain the coroutine and waits until it has.
func (k *call) drainOn(w *worker) {
	k.side.Store(withWorker)
	w.post(message{call: k, kind: msgDrain})
	for k.side.Load() == withWorker {
		<-k.wake
	}
}

// handOver gives the call to its caller.
func (k *call) handOver(to side) {
	k.side.Store(to)
	k.poke()
}

type msgKind int8

const (
	msgRun    msgKind = iota // resume it
	msgDrain                 // resume it until it ends, refusing everything
	msgCancel                // its context has ended
	msgStop                  // end the thread
)

type message struct {
	call  *call
	kind  msgKind
	epoch uint64 // msgCancel: of the call, which may have ended since
}

type waitKind int8

const (
	waitsNot waitKind = iota
	waitsFD
	waitsTime
)

// A worker is one thread of an executor.
type worker struct {
	*poller
	alarm *alarm // ends its sleep
	ended chan struct{}

	mu     sync.Mutex
	inbox  []message
	asleep atomic.Bool

	// Only the worker's own goroutine uses these, but for ready under readyMu: who
	// closes a descriptor may make a coroutine ready.
	spare   []message
	timers  timerHeap
	readyMu sync.Mutex
	ready   []*call
	running []*call
	stop    bool
}

func newWorker() (*worker, error) {
	p, err := newPoller()
	if err != nil {
		return nil, err
	}
	a, err := takeAlarm()
	if err != nil {
		p.close()
		return nil, err
	}
	w := &worker{poller: p, alarm: a, ended: make(chan struct{})}
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(a.fd)}
	if errno := epollCtl(p.epfd, syscall.EPOLL_CTL_ADD, int32(a.fd), &ev); errno != 0 {
		p.close()
		a.put()
		return nil, fmt.Errorf("coro: epoll_ctl: %w", errno)
	}
	return w, nil
}

// post hands the worker a message. It may be called with call.mu held.
func (w *worker) post(m message) {
	w.mu.Lock()
	w.inbox = append(w.inbox, m)
	w.mu.Unlock()
	if w.asleep.Swap(false) {
		w.alarm.ring()
	}
}

// makeReady is called with a shard locked, when what a coroutine waits for has come.
func (w *worker) makeReady(k *call) {
	w.readyMu.Lock()
	if !k.exec.ready {
		k.exec.ready = true
		w.ready = append(w.ready, k)
	}
	w.readyMu.Unlock()
	if w.asleep.Swap(false) {
		w.alarm.ring()
	}
}

// unready forgets that the coroutine is ready: its wait has ended.
func (w *worker) unready(k *call) {
	w.readyMu.Lock()
	defer w.readyMu.Unlock()
	if k.exec.ready {
		k.exec.ready = false
		w.ready = slices.DeleteFunc(w.ready, func(other *call) bool { return other == k })
	}
}

// run is the worker's goroutine. Its thread ends with it.
func (w *worker) run() {
	runtime.LockOSThread() // and never unlocked: the thread's C state is of no use to others
	defer close(w.ended)
	defer w.poller.close()
	for !w.stop {
		w.takeInbox()
		w.takeReady()
		w.takeTimers()
		w.takeEvents()
	}
	// Only the inbox could hold something, and only of calls that don't exist.
	w.alarm.put()
}

func (w *worker) takeInbox() {
	w.mu.Lock()
	list := w.inbox
	w.inbox = w.spare[:0]
	w.mu.Unlock()
	for _, m := range list {
		k := m.call
		switch m.kind {
		case msgRun:
			w.resume(k)
		case msgDrain:
			w.drain(k)
		case msgCancel:
			if w.waits(k, m.epoch) {
				w.endWait(k, k.canceled())
			}
		case msgStop:
			w.stop = true
		}
	}
	clear(list)
	w.spare = list
}

// waits tells whether the call of that epoch waits on this worker. It may have ended,
// and the struct serve another one.
func (w *worker) waits(k *call, epoch uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.epoch == epoch && k.exec.worker == w && k.exec.waits != waitsNot
}

func (w *worker) takeReady() {
	w.readyMu.Lock()
	w.running, w.ready = w.ready, w.running[:0]
	for _, k := range w.running {
		k.exec.ready = false
	}
	w.readyMu.Unlock()
	for _, k := range w.running {
		if over, status := found(k.exec.waiters); over {
			w.endWait(k, k.woken(k.exec.waiters, status))
		}
	}
	clear(w.running)
}

func (w *worker) takeTimers() {
	if len(w.timers) == 0 {
		return
	}
	t := now()
	for len(w.timers) > 0 && w.timers[0].exec.due <= t {
		k := w.timers[0]
		status := int32(eTimedOut)
		if k.c.op == opSleep {
			status = 0
		}
		w.endWait(k, status)
	}
}

// takeEvents looks at epoll, and sleeps in it where there is nothing else to do.
func (w *worker) takeEvents() {
	var events [128]syscall.EpollEvent
	n := epollNow(w.epfd, events[:])
	if n == 0 {
		w.asleep.Store(true)
		if w.idle() {
			n = w.sleep(events[:])
		}
		w.asleep.Store(false)
	}
	for i := range events[:n] {
		if events[i].Fd == int32(w.alarm.fd) {
			w.alarm.clear()
			continue
		}
		w.deliver(&events[i])
	}
}

func (w *worker) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readyMu.Lock()
	defer w.readyMu.Unlock()
	return len(w.inbox) == 0 && len(w.ready) == 0 && !w.stop
}

// sleep blocks the thread in epoll_wait, as in any blocking system call: others get
// its processor.
func (w *worker) sleep(events []syscall.EpollEvent) int {
	ms := -1
	if len(w.timers) > 0 {
		// Rounded up: a wait may be late but not early.
		ms = int(max(0, min(w.timers[0].exec.due-now()+time.Millisecond-1, time.Hour)) / time.Millisecond)
	}
	n, _, errno := syscall.Syscall6(syscall.SYS_EPOLL_PWAIT, uintptr(w.epfd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(ms), 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// resume runs a coroutine until it waits, asks for something that its caller must
// do, or ends.
func (w *worker) resume(k *call) {
	c := k.c
	for {
		resume(c)
		switch c.op {
		case opDone:
			k.finish()
			k.handOver(hasEnded)
			return
		case opWaitFD, opWaitFDs, opSleep:
			if k.cancelled() {
				c.status = k.canceled()
			} else if status, over := w.begin(k); over {
				c.status = status
			} else {
				return
			}
			if k.ending != 0 {
				w.drain(k)
				return
			}
		default:
			k.handOver(asksCaller)
			return
		}
	}
}

// drain is call.drain on the worker's thread.
func (w *worker) drain(k *call) {
	k.drain()
	if k.done {
		k.handOver(hasEnded)
	} else {
		k.handOver(gaveUp)
	}
}

// begin begins a wait. over means that there was nothing to wait for.
func (w *worker) begin(k *call) (status int32, over bool) {
	timeout, kind := time.Duration(k.c.n), waitsTime
	if k.c.op != opSleep {
		var fds []pollFD
		if fds, timeout = k.wanted(); len(fds) > 0 {
			if k.c.op == opWaitFD && fds[0].fd < 0 {
				return eBadFD, true
			}
			kind = waitsFD
			var status int32
			var over bool
			if k.exec.waiters, status, over = w.watch(k, fds, w.makeReady); over {
				w.unready(k)
				return k.woken(k.exec.waiters, status), true
			}
			native.Waits(1)
		}
	}
	k.exec.waits, k.exec.due = kind, forever
	if timeout != forever {
		k.exec.due = now() + max(0, timeout)
		w.timers.push(k)
	}
	return 0, false
}

// endWait ends a wait and goes on with the coroutine.
func (w *worker) endWait(k *call, status int32) {
	if k.exec.due != forever {
		w.timers.remove(k)
	}
	if k.exec.waits == waitsFD {
		w.leave(k.exec.waiters)
		w.unready(k)
		native.Waits(-1)
	}
	k.exec.waits = waitsNot
	k.c.status = status
	if k.ending != 0 {
		w.drain(k)
		return
	}
	w.resume(k)
}
