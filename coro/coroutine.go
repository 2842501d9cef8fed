//go:build cgo

package coro

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// A Coroutine is a C function that the caller resumes step by step, serving its requests
// itself where [Call] would serve them. It belongs to no goroutine: each Resume may come
// from another goroutine, and so from another thread, but only one at a time.
//
// Close it, or resume it until it is done. If the garbage collector finds it before that,
// it is reported on standard error and its stack is lost.
type Coroutine struct {
	k       *call
	state   atomic.Int32
	cleanup runtime.Cleanup
}

// States of a Coroutine.
const (
	coroutineReady = iota
	coroutineRunning
	coroutineFinished
	coroutineClosed
)

// A Kind says what a coroutine asks for.
type Kind int

const (
	Done    Kind = iota // nothing: its function has returned
	Upcall              // a call of a Go function
	Yield               // a value for the goroutine that resumes it
	WaitFD              // to wait for a descriptor
	WaitFDs             // to wait for several descriptors (poll, select)
	Sleep               // to wait for some time
	Offload             // to run a C function on an ordinary thread
)

var kinds = [...]string{"done", "upcall", "yield", "wait for a descriptor", "wait for descriptors", "sleep", "offload"}

func (k Kind) String() string {
	if k >= 0 && int(k) < len(kinds) {
		return kinds[k]
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// A Request is what a coroutine has switched to Go for.
type Request struct {
	Kind    Kind
	Result  int64          // Done: what the function returned
	ID      uint64         // Upcall: the ID of the registered function
	Pointer unsafe.Pointer // Upcall: argument; Yield: value; valid until the next Resume
	FD      int            // WaitFD
	Events  uint32         // WaitFD: SEAM_READ (1), SEAM_WRITE (4)
	Timeout time.Duration  // WaitFD, WaitFDs: the most to wait, no limit if below 0; Sleep: how long
}

// New returns a coroutine that will run fn(co, arg). See [Runner.Call] for both.
func New(fn, arg unsafe.Pointer, o Options) (*Coroutine, error) {
	if fn == nil {
		return nil, ErrNoFunction
	}
	class, err := stackClass(o.StackSize)
	if err != nil {
		return nil, err
	}
	r := Runner{mode: modeFloating, class: int8(class - defaultClass), name: cName(o.Name)}
	k, err := r.begin(context.Background(), fn, arg, nil)
	if err != nil {
		return nil, err
	}
	k.watch()
	co := &Coroutine{k: k}
	co.cleanup = runtime.AddCleanup(co, lost, k)
	return co, nil
}

// lost reports a coroutine that was not closed.
func lost(k *call) {
	abandoned.Add(1)
	os.Stderr.WriteString("seam: coro: a Coroutine was neither closed nor resumed until it was done: its stack is lost\n")
}

// Resume continues the coroutine until its next request. status answers its last one: 0 or
// a negative SEAM_E… code of coro.h, or for WaitFD the events found (0 for those that it
// waits for). The first Resume starts the function and ignores status.
//
// Resume returns ErrFinished if the function has returned, ErrClosed if the coroutine is
// closed, and ErrRunning if another goroutine, or a request that is being served, has it.
func (co *Coroutine) Resume(status int) (Request, error) {
	if !co.state.CompareAndSwap(coroutineReady, coroutineRunning) {
		return Request{}, co.stateError()
	}
	k := co.k
	c := k.c
	switch {
	case !k.started:
		k.start()
		k.started = true
	case c.op == opWaitFD && status > 0:
		c.status, c.events = 0, uint32(status)
	default:
		c.status = int32(status)
	}
	for k.resume(); c.op == opPause || c.op == opBlocks; k.resume() {
		c.status = k.answer() // C waits for a lock: to the caller it still runs
	}
	r := Request{Kind: Kind(c.op)}
	if c.op == opDetach {
		r.Kind = Offload
	}
	switch r.Kind {
	case Done:
		k.finish()
		r.Result = k.result
		co.free(coroutineFinished)
		return r, nil
	case Upcall:
		r.ID, r.Pointer = c.id, c.argument()
	case Yield:
		r.Pointer = c.argument()
	case WaitFD:
		r.FD, r.Events, r.Timeout = int(int32(c.id)), c.events, time.Duration(c.n)
	case WaitFDs, Sleep:
		r.Timeout = time.Duration(c.n)
	}
	co.state.Store(coroutineReady)
	return r, nil
}

func (co *Coroutine) stateError() error {
	switch co.state.Load() {
	case coroutineFinished:
		return ErrFinished
	case coroutineClosed:
		return ErrClosed
	}
	return ErrRunning
}

// Serve does what Call would do for the coroutine's request and returns the status for
// Resume. It has no context, so nothing cancels it, and only C learns the error of a
// function registered by RegisterContext.
func (co *Coroutine) Serve() (status int, err error) {
	if !co.state.CompareAndSwap(coroutineReady, coroutineRunning) {
		return 0, co.stateError()
	}
	defer co.state.Store(coroutineReady)
	if !co.k.started {
		return 0, nil
	}
	status = int(co.k.answer())
	if status == 0 && co.k.c.op == opWaitFD {
		status = int(co.k.c.events)
	}
	return status, nil
}

// Close ends the coroutine: all its requests fail with SEAM_ESTOPPED until it returns. A
// coroutine that was never resumed is not started. While Resume or Serve runs, Close does
// nothing and returns ErrRunning. Further calls of Close do nothing.
func (co *Coroutine) Close() error {
	if !co.state.CompareAndSwap(coroutineReady, coroutineRunning) {
		if err := co.stateError(); err == ErrRunning {
			return err
		}
		return nil
	}
	k := co.k
	if !k.started {
		co.free(coroutineClosed)
		return nil
	}
	k.ending = eStopped
	k.c.status = eStopped
	k.err = nil
	k.drain()
	err := k.err
	co.free(coroutineClosed)
	return err
}

func (co *Coroutine) free(state int32) {
	co.cleanup.Stop()
	k := co.k
	co.k = nil
	k.end()
	co.state.Store(state)
}
