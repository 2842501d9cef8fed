//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/internal/torture/cside"
	"github.com/seamgo/seam/mem"
)

// A stage is what a coroutine finds in C memory, and what Go does beside it.
type stage struct {
	m     *machine
	o     *op
	c     *cside.Call
	steps []cside.Step

	frames  []*frame
	handles []mem.Handle
	close   []func()
	beside  sync.WaitGroup
}

// stage prepares the steps of an operation. clear must be called, also if it fails.
func (m *machine) stage(ctx context.Context, o *op, own bool) (*stage, error) {
	s := &stage{m: m, o: o}
	s.c = (*cside.Call)(cside.Alloc(unsafe.Sizeof(cside.Call{})))
	p := cside.Alloc(uintptr(len(o.steps)) * unsafe.Sizeof(cside.Step{}))
	s.steps = unsafe.Slice((*cside.Step)(p), len(o.steps))
	*s.c = cside.Call{Steps: p, Count: int64(len(o.steps)), Func: m.upcall.ID(), Seed: o.value, Depth: o.depth, Frame: o.frame}
	if !m.fast {
		s.c.Fallback = 1
	}
	if m.fast && (o.kind == stepwise || o.way == floating || o.way == oneThread) {
		s.c.Shares = 1
	}
	if o.hasStepwise() {
		s.c.Loose = 1
	}
	for i, step := range o.steps {
		to := &s.steps[i]
		*to = cside.Step{Op: int32(step.code), N: step.n, Value: step.value, FD: -1}
		if step.code == cside.Round && !m.fast {
			to.Op = cside.Value // in the fallback, rounding stays with the thread, and with those that it starts
		}
		if step.kid != nil {
			f := &frame{owner: o, kid: step.kid, ctx: ctx, own: own && step.code == cside.Upcall}
			h, err := m.frames.New(f)
			if err != nil {
				return s, err
			}
			s.frames, s.handles = append(s.frames, f), append(s.handles, h)
			to.Kid = uint64(h)
		}
		if err := s.wire(step, to); err != nil {
			return s, err
		}
	}
	return s, nil
}

// clear takes the stage down and looks at what C left there.
func (s *stage) clear() {
	for _, f := range s.close {
		f()
	}
	s.beside.Wait()
	for _, h := range s.handles {
		if err := s.m.frames.Delete(h); err != nil {
			s.m.wrong(s.o, "its handle: %v", err)
		}
	}
	if s.c.Begun != s.c.Ended || s.c.Begun > 1 {
		s.m.wrong(s.o, "C began %d times and came to its end %d times", s.c.Begun, s.c.Ended)
	}
	if s.c.Damaged != 0 {
		s.m.wrong(s.o, "the canaries on its stack are damaged")
	}
	if s.c.Wrong != 0 {
		s.m.wrong(s.o, "step %d, %s: in C %s", s.c.Wrong-1, stepNames[s.o.steps[s.c.Wrong-1].code], cside.Reasons[s.c.Reason])
	}
	steps := s.c.Steps
	if !cside.Free(unsafe.Pointer(s.c)) || !cside.Free(steps) {
		s.m.wrong(s.o, "the canaries around its arguments are damaged")
	}
}

// outcome is the hash that C computed, or why there is none, given what the call returned.
func (s *stage) outcome(code int64, err error) (uint64, error) {
	if err == nil && code != 0 {
		if code != s.c.Code {
			s.m.wrong(s.o, "C returned %d, Go got %d", s.c.Code, code)
		}
		for _, f := range s.frames {
			if f.err != nil && (code == cside.Failed || f.kid != nil) {
				return 0, f.err
			}
		}
		errno := syscall.Errno(cside.Errno - code)
		if code == cside.NoMemory || code < cside.Errno && (errno == syscall.EMFILE || errno == syscall.ENOMEM || errno == syscall.ENFILE) {
			return 0, fmt.Errorf("%w: step %d, status %d", errScarce, s.c.At, code)
		}
		return 0, fmt.Errorf("step %d: C returned %d, errno %d", s.c.At, code, s.c.Error)
	}
	for _, f := range s.frames {
		if err == nil && f.err != nil { // of a callback
			err = f.err
		}
	}
	return s.c.Hash, err
}

func (m *machine) runner(o *op) coro.Runner {
	return m.ways[o.way].With(coro.Options{Name: "torture", StackSize: o.stack})
}

func (m *machine) call(ctx context.Context, o *op) (uint64, error) {
	ctx = context.WithValue(ctx, ownerKey{}, o)
	s, err := m.stage(ctx, o, true)
	defer s.clear()
	if err != nil {
		return 0, err
	}
	return s.outcome(m.runner(o).Call(ctx, cside.Run, unsafe.Pointer(s.c)))
}

func (m *machine) generate(ctx context.Context, o *op) (uint64, error) {
	ctx = context.WithValue(ctx, ownerKey{}, o)
	s, err := m.stage(ctx, o, true)
	defer s.clear()
	if err != nil {
		return 0, err
	}
	g := coro.Generate[uint64](m.runner(o), cside.Run, unsafe.Pointer(s.c))
	h, n := o.value, int64(0)
	values := g.Values(ctx)
	if o.kind == pull {
		next, stop := iter.Pull(values)
		defer stop()
		for n < o.n {
			v, ok := next()
			if !ok {
				break
			}
			h = mix(h, v)
			n++
		}
		stop()
	} else {
		for v := range values {
			h = mix(h, v)
			if n++; n == o.n {
				break
			}
		}
	}
	if n == o.n { // the loop was left
		return h, g.Err()
	}
	hash, err := s.outcome(g.Result(), g.Err())
	if err == nil && hash != o.hash() {
		m.wrong(o, "C computed %#x, want %#x", hash, o.hash())
	}
	return h, err
}

// stepwise resumes a Coroutine by hand, now and then from another goroutine, and may
// close it before its end.
func (m *machine) stepwise(ctx context.Context, o *op) (_ uint64, err error) {
	s, err := m.stage(ctx, o, false)
	defer s.clear()
	if err != nil {
		return 0, err
	}
	co, err := coro.New(cside.Run, unsafe.Pointer(s.c), coro.Options{Name: "stepwise", StackSize: o.stack})
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := co.Close(); e != nil && err == nil {
			err = e
		}
		if _, e := co.Resume(0); !errors.Is(e, coro.ErrClosed) && !errors.Is(e, coro.ErrFinished) {
			m.wrong(o, "after its end Resume says %v", e)
		}
	}()
	status := 0
	for n := int64(0); ; n++ {
		if n == o.n {
			return o.want(), nil // and never mind what becomes of it
		}
		var req coro.Request
		if resume := func() { req, err = co.Resume(status) }; n%3 == 2 {
			var wg sync.WaitGroup
			wg.Go(resume)
			wg.Wait()
		} else {
			resume()
		}
		if err != nil {
			return 0, err
		}
		if req.Kind == coro.Done {
			return s.outcome(req.Result, nil)
		}
		if status, err = co.Serve(); err != nil {
			return 0, err
		}
	}
}

// hasStepwise reports whether there is a Coroutine below o. On a thread where another
// coroutine is in an upcall, one that is resumed by hand may end on another thread or in
// another order. Then the x87 control word of the outer one is lost: Locked does not
// pay for keeping it at each upcall.
func (o *op) hasStepwise() bool {
	for _, s := range o.steps {
		if s.kid != nil && s.kid.hasStepwise() {
			return true
		}
	}
	return o.kind == stepwise || slices.ContainsFunc(o.kids, (*op).hasStepwise)
}
