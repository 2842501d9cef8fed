//go:build cgo && linux

package coro

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/bubble"
)

// execState is what an executor knows of a call. It belongs to the worker for as long as
// the coroutine does.
type execState struct {
	worker  *worker // set under call.mu, for cancellation
	waiters []waiter
	waits   waitKind
	due     time.Duration // when a wait ends, or forever
	heap    int           // place among the timers
	ready   bool          // in the worker's list; guarded by worker.readyMu
	bubbled bool          // the caller sleeps for it, by the clock of their bubble
	thread  bool          // the caller's thread waits for it: epoll takes its descriptors not
}

// A side says who has a call, and why.
type side = int32

const (
	withWorker side = iota
	asksCaller      // to serve its request
	hasEnded        // C has returned
	gaveUp          // it was abandoned
)

// serveFrom is the caller's side of a call that a worker runs: it serves the requests that
// may block or run the user's Go code.
func (k *call) serveFrom(w *worker) (int64, error) {
	defer k.end()
	k.watch() // here: the worker must not touch a context that may be a bubble's
	k.start()
	k.mu.Lock()
	k.exec.worker = w
	k.mu.Unlock()
	k.exec.bubbled = k.runner.executor().inBubble && bubble.Inside()
	k.c.owned()
	k.c.below().mailbox = uint64(uintptr(unsafe.Pointer(w.mail)))
	k.side.Store(withWorker)
	over := false
	defer func() {
		if !over {
			// A panic or Goexit is unwinding the goroutine, see settle.
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
	return k.result, k.failure()
}

// drainOn makes the worker drain the coroutine and waits until it has.
func (k *call) drainOn(w *worker) {
	k.side.Store(withWorker)
	w.post(message{call: k, kind: msgDrain})
	for {
		<-k.wake
		switch k.side.Load() {
		case hasEnded, gaveUp:
			return
		case asksCaller: // what is never refused
			k.c.status = k.answer()
			k.side.Store(withWorker)
			w.post(message{call: k, kind: msgRun})
		}
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
	epoch uint64 // msgCancel: that of the call, which may have ended since
}

type waitKind int8

const (
	waitsNot waitKind = iota
	waitsFD
	waitsTime
	waitsC    // for C that wakes it: see native/wake.c
	waitsTurn // for the others of its worker
)

// A worker is one thread of an executor.
type worker struct {
	*poller
	waker *waker // ends its sleep
	mail  *mailbox
	ended chan struct{}

	mu    sync.Mutex
	inbox []message

	// Only the worker's own goroutine uses these, except ready, under readyMu: closing a
	// descriptor may make a coroutine ready.
	spare    []message
	timers   timerHeap
	pausing  map[*control]*call // those that wait for C
	turns    []*call
	readyMu  sync.Mutex
	ready    []*call
	running  []*call
	stopping bool
}

func newWorker() (*worker, error) {
	p, err := newPoller()
	if err != nil {
		return nil, err
	}
	a := takeWaker()
	if a.fd < 0 {
		p.close()
		return nil, errors.New("coro: no descriptor left for an executor's thread")
	}
	w := &worker{poller: p, waker: a, ended: make(chan struct{}), pausing: map[*control]*call{}}
	// Others post to a worker that has ended, too: its mailbox goes with the worker.
	mail := native.NewMailbox(a.fd)
	w.mail = (*mailbox)(mail)
	runtime.AddCleanup(w, native.FreeMailbox, mail)
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(a.fd)}
	if errno := epollCtl(p.epfd, syscall.EPOLL_CTL_ADD, int32(a.fd), &ev); errno != 0 {
		p.close()
		a.put()
		return nil, fmt.Errorf("coro: epoll_ctl: %w", errno)
	}
	return w, nil
}

// stop ends the worker's thread. It may be called again.
func (w *worker) stop() {
	w.post(message{kind: msgStop})
	<-w.ended
}

// post hands the worker a message. It may be called with call.mu held.
func (w *worker) post(m message) {
	w.mu.Lock()
	w.inbox = append(w.inbox, m)
	w.mu.Unlock()
	w.rouse()
}

// rouse ends the worker's sleep, if it sleeps.
func (w *worker) rouse() {
	if atomic.SwapUint32(&w.mail.asleep, 0) != 0 {
		w.waker.wake()
	}
}

// makeReady is called with a descriptor's lock held when what a coroutine waits for is
// there.
func (w *worker) makeReady(k *call) {
	w.readyMu.Lock()
	if !k.exec.ready {
		k.exec.ready = true
		w.ready = append(w.ready, k)
	}
	w.readyMu.Unlock()
	w.rouse()
}

// unready takes the coroutine off the ready list: its wait has ended.
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
	runtime.LockOSThread() // never unlocked: the thread's C state is of no use to others
	defer close(w.ended)
	defer w.poller.close()
	for !w.stopping {
		w.takeInbox()
		w.takeMail()
		w.takeReady()
		w.takeTimers()
		w.takeEvents()
		w.takeTurns()
	}
	// Only the inbox may still hold something, and only for calls that have ended.
	w.waker.put()
}

// takeMail goes on with those that C has woken.
func (w *worker) takeMail() {
	w.mail.take(func(c *control) {
		if k := w.pausing[c]; k != nil {
			w.endWait(k, 0)
		}
	})
}

// takeTurns goes on with those that let others run.
func (w *worker) takeTurns() {
	for range len(w.turns) {
		k := w.turns[0]
		w.turns = w.turns[1:]
		w.endWait(k, 0)
	}
	if len(w.turns) == 0 {
		w.turns = nil
	}
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
			w.stopping = true
		}
	}
	clear(list)
	w.spare = list
}

// waits reports whether the call of that epoch waits on this worker. It may have ended, and
// the struct serve another call.
func (w *worker) waits(k *call, epoch uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.epoch == epoch && k.exec.worker == w && (k.exec.waits == waitsFD || k.exec.waits == waitsTime)
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
		if k.c.op == opSleep || k.c.op == opPause {
			status = 0
		}
		w.endWait(k, status)
	}
}

// takeEvents polls epoll, and sleeps in it if there is nothing else to do.
func (w *worker) takeEvents() {
	var events [128]syscall.EpollEvent
	n := epollNow(w.epfd, events[:])
	if n == 0 {
		atomic.SwapUint32(&w.mail.asleep, 1)
		if w.idle() {
			n = w.sleep(events[:])
		}
		atomic.SwapUint32(&w.mail.asleep, 0)
	}
	for i := range events[:n] {
		if events[i].Fd == int32(w.waker.fd) {
			w.waker.clear()
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
	return len(w.inbox) == 0 && len(w.ready) == 0 && len(w.turns) == 0 && atomic.LoadUint64(&w.mail.first) == 0 && !w.stopping
}

// sleep blocks the thread in epoll_wait. As in any blocking system call, others get its
// processor.
func (w *worker) sleep(events []syscall.EpollEvent) int {
	ms := -1
	if len(w.timers) > 0 {
		// Rounded up: a wait may end late but not early.
		ms = int(max(0, min(w.timers[0].exec.due-now()+time.Millisecond-1, time.Hour)) / time.Millisecond)
	}
	n, _, errno := syscall.Syscall6(syscall.SYS_EPOLL_PWAIT, uintptr(w.epfd), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(ms), 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// resume runs a coroutine until it waits, makes a request that its caller must serve, or
// ends.
func (w *worker) resume(k *call) {
	c := k.c
	for {
		resume(c)
		switch c.op {
		case opDone:
			k.finish()
			k.handOver(hasEnded)
			return
		case opPause:
			w.pause(k)
			return
		case opBlocks:
			if c.n == 0 && c.flags&sharesThread != 0 {
				k.handOver(asksCaller) // whose thread it may block
				return
			}
			c.status = k.answer()
			continue
		}
		if k.ending != 0 {
			if k.refused() {
				k.abandon()
				k.handOver(gaveUp)
				return
			}
			continue
		}
		switch c.op {
		case opWaitFD, opWaitFDs, opSleep:
			if k.exec.bubbled && k.onlyTime() {
				k.handOver(asksCaller)
				return
			}
			if k.cancelled() {
				c.status = k.canceled()
			} else if status, over := w.begin(k); status == eUnpollable {
				k.exec.thread = true
				k.handOver(asksCaller)
				return
			} else if over {
				c.status = status
			} else {
				return
			}
			if k.ending != 0 {
				k.watched()
			}
		default:
			k.handOver(asksCaller)
			return
		}
	}
}

// pause begins a wait that C ends. It ends sooner if others must run, and with n = 0 as soon as
// they have.
func (w *worker) pause(k *call) {
	if k.c.n == 0 {
		k.exec.waits, k.exec.due = waitsTurn, forever
		w.turns = append(w.turns, k)
		return
	}
	w.pausing[k.c] = k
	w.until(k, waitsC, k.timeout())
}

// until waits for at most timeout.
func (w *worker) until(k *call, kind waitKind, timeout time.Duration) {
	k.exec.waits, k.exec.due = kind, forever
	if due := after(timeout); due != forever {
		k.exec.due = due
		w.timers.push(k)
	}
}

// onlyTime reports whether the coroutine waits for no descriptor.
func (k *call) onlyTime() bool {
	if k.c.op == opSleep {
		return true
	}
	fds, _ := k.wanted()
	return len(fds) == 0
}

// drain is call.drain on the worker's thread, where a coroutine that needs a lock must wait for
// others.
func (w *worker) drain(k *call) {
	k.watched()
	w.resume(k)
}

// begin begins a wait. over means that there is nothing to wait for.
func (w *worker) begin(k *call) (status int32, over bool) {
	timeout, kind := k.timeout(), waitsTime
	if k.c.op != opSleep {
		var fds []pollFD
		if fds, timeout = k.wanted(); len(fds) > 0 {
			if k.c.op == opWaitFD && fds[0].fd < 0 {
				return eBadFD, true
			}
			kind = waitsFD
			var status int32
			var over bool
			native.Waits(1) // before watch looks at what was closed
			if k.exec.waiters, status, over = w.watch(k, fds, w.makeReady); over {
				native.Waits(-1)
				w.unready(k)
				return k.woken(k.exec.waiters, status), true
			}
		}
	}
	w.until(k, kind, timeout)
	return 0, false
}

// endWait ends a wait and resumes the coroutine.
func (w *worker) endWait(k *call, status int32) {
	if k.exec.due != forever {
		w.timers.remove(k)
	}
	switch k.exec.waits {
	case waitsFD:
		w.leave(k.exec.waiters)
		w.unready(k)
		native.Waits(-1)
	case waitsC:
		delete(w.pausing, k.c)
	}
	k.exec.waits = waitsNot
	k.c.status = status
	if k.ending != 0 {
		k.watched()
	}
	w.resume(k)
}
