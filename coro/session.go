//go:build cgo

package coro

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seamgo/seam/internal/bubble/outside"
)

// A Session is a thread for C that keeps something for its thread from one call to the next: the
// last error of the call before, a current context (OpenGL, CUDA), the thread that has made an
// object and must destroy it. All calls of its Runner run on that thread, one after the other, and so
// do the Go functions that C calls, at the price of a [Locked] coroutine's.
//
// A call waits for the one under way, and from another goroutine takes two wake-ups. A call that is
// made on the thread already, by a Go function that C has called or in [Session.Do], begins at once.
//
// Where coroutines have no stacks of their own (see [Status]), runtime.Goexit in a Go function that C has
// called leaves C behind, as it does in a cgo callback: C is not told and frees nothing.
type Session struct {
	work chan *visit
	stop chan struct{} // closed by Close
	gone chan struct{} // closed when the thread has ended
	once sync.Once
	me   atomic.Uintptr // the goroutine on the thread
}

// A visit is a function that runs on a session's thread.
type visit struct {
	run   func()
	ended chan struct{}

	panicked any
	exited   bool // by runtime.Goexit

	yield   func(unsafe.Pointer) bool // runs on the goroutine that visits
	yields  chan unsafe.Pointer
	answers chan bool
	ending  int32 // why the loop has ended, if not because it was left
}

// NewSession starts the thread of a session.
func NewSession() *Session {
	var s *Session
	outside.Do(func() {
		s = &Session{work: make(chan *visit), stop: make(chan struct{}), gone: make(chan struct{})}
		go s.serve()
	})
	return s
}

// Runner returns a Runner that runs coroutines on the session's thread.
func (s *Session) Runner() Runner { return Runner{mode: modeSession, host: unsafe.Pointer(s)} }

// Do runs f on the session's thread. In f, calls of the session's Runner begin at once. If f panics or
// ends its goroutine (runtime.Goexit), Do does, with the same value.
//
// It returns ErrClosed if the session is closed, or the cause if ctx ends before f begins.
func (s *Session) Do(ctx context.Context, f func()) error {
	if s.here() {
		f()
		return nil
	}
	return s.visit(ctx, &visit{run: f})
}

// Close ends the session when the call under way has ended: further ones fail with ErrClosed. Its thread
// ends too, and what C keeps for the thread is gone. Close may be called again, but not on the
// thread: it returns an error there.
func (s *Session) Close() error {
	if s.here() {
		return errors.New("coro: Session.Close on the session's own thread, which would wait for itself")
	}
	s.once.Do(func() { close(s.stop) })
	<-s.gone
	return nil
}

// here reports whether the calling goroutine is on the session's thread.
func (s *Session) here() bool { return s.me.Load() == goroutine() }

// goroutine identifies the calling goroutine among those that there are: by its g, or else
// by the number with which its traceback begins.
func goroutine() uintptr {
	if fast {
		return ownG()
	}
	var text [64]byte
	_, number, _ := bytes.Cut(text[:runtime.Stack(text[:], false)], []byte("goroutine "))
	number, _, _ = bytes.Cut(number, []byte(" "))
	n, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil {
		panic("coro: a traceback that begins with " + string(text[:]))
	}
	return uintptr(n)
}

// visit runs v on the thread and returns when it has ended there.
func (s *Session) visit(ctx context.Context, v *visit) error {
	v.ended = make(chan struct{})
	select {
	case s.work <- v:
	case <-s.stop:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for {
		select {
		case p := <-v.yields:
			v.loop(p)
			continue
		case <-v.ended:
		}
		switch {
		case v.panicked != nil:
			panic(v.panicked)
		case v.exited:
			runtime.Goexit()
		}
		return nil
	}
}

// loop runs the body of a loop over values. If it panics, C must return first.
func (v *visit) loop(p unsafe.Pointer) {
	more, returned := false, false
	defer func() {
		if !returned {
			v.ending = ePanic
			if exiting() {
				v.ending = eGoexit
			}
		}
		v.answers <- more
		if !returned {
			<-v.ended
		}
	}()
	more = v.yield(p)
	returned = true
}

// serve is the goroutine on the thread, which ends with it.
func (s *Session) serve() {
	runtime.LockOSThread()
	s.me.Store(goroutine())
	s.loop()
}

func (s *Session) loop() {
	for {
		select {
		case <-s.stop:
			s.me.Store(0)
			close(s.gone)
			return
		case v := <-s.work:
			s.host(v)
		}
	}
}

// host runs what visits. A Goexit can't be stopped, but it runs deferred functions first, so the
// session goes on in one.
func (s *Session) host(v *visit) {
	returned := false
	defer func() {
		if returned {
			close(v.ended)
			return
		}
		v.panicked = recover()
		v.exited = v.panicked == nil
		close(v.ended)
		if v.exited {
			s.loop()
		}
	}()
	v.run()
	returned = true
}

// callIn is Runner.call for the Runner of a session.
func (r Runner) callIn(ctx context.Context, fn, arg unsafe.Pointer, yield func(unsafe.Pointer) bool) (n int64, err error) {
	s := (*Session)(r.host)
	r.host = nil
	r.mode = modeLocked
	if s.here() {
		return r.callHere(ctx, fn, arg, yield, nil)
	}
	v := &visit{}
	if yield != nil {
		v.yield, v.yields, v.answers = yield, make(chan unsafe.Pointer), make(chan bool)
		yield = func(p unsafe.Pointer) bool {
			v.yields <- p
			return <-v.answers
		}
	}
	v.run = func() { n, err = r.callHere(ctx, fn, arg, yield, v) }
	if e := s.visit(ctx, v); e != nil {
		return 0, e
	}
	return n, err
}

// callHere runs a call on this thread.
func (r Runner) callHere(ctx context.Context, fn, arg unsafe.Pointer, yield func(unsafe.Pointer) bool, v *visit) (int64, error) {
	k, err := r.begin(ctx, fn, arg, yield)
	if err != nil {
		return 0, err
	}
	k.visit = v
	h := k.helper
	if h != nil { // the fallback, which would take another thread
		h.here = true
		defer func() {
			if h.panicked != nil {
				panic(h.panicked)
			}
		}()
	}
	return k.runLocked()
}
