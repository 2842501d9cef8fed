//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/internal/torture/cside"
	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/offload"
)

// The ways to run a coroutine. Those of a bubble come first: a thread of an executor
// serves calls of other bubbles too.
var wayNames = [...]string{"locked", "floating", "executor", "one thread", "inline"}

const (
	floating   = 1 // and locked before it
	bubbleWays = 2
	oneThread  = 3
)

// A machine is what the operations of a program run on.
type machine struct {
	t      *testing.T
	scarce bool // descriptors and memory may run out
	fast   bool // coroutines have stacks of their own
	// With asynctimerchan=1 there are no bubbles.
	noBubbles bool

	ways    [len(wayNames)]coro.Runner
	threads []*coro.Executor
	pool    *offload.Pool
	buffers *mem.Pool
	frames  mem.Handles[frame]
	upcall  *coro.Registered

	cleanups, cleaned atomic.Int64
}

// A frame is an operation that C will ask for by number, and what became of it.
type frame struct {
	owner, kid *op
	ctx        context.Context // for who gets none
	own        bool            // it gets that of owner
	err        error
}

func newMachine(t *testing.T, scarce bool) *machine {
	m := &machine{t: t, scarce: scarce, fast: coro.Status().Path == coro.PathAssembly,
		noBubbles: strings.Contains(os.Getenv("GODEBUG"), "asynctimerchan=1")}
	m.ways[0], m.ways[1] = coro.Locked, coro.Floating
	for i, o := range []coro.ExecutorOptions{{Threads: 2}, {Threads: 1, Inline: -1}, {Threads: 1, Inline: 1000}} {
		x, err := coro.NewExecutor(o)
		if err != nil {
			t.Fatal(err)
		}
		m.threads = append(m.threads, x)
		m.ways[2+i] = x.Runner()
	}
	if !cside.Keep() {
		t.Fatal("thread-local state can't be registered")
	}
	var err error
	if m.pool, err = offload.New(offload.Options{Threads: 3, Queue: 4, Name: "torture"}); err != nil {
		t.Fatal(err)
	}
	if m.buffers, err = mem.NewPool(mem.Class{Size: 4096, Count: 8}, mem.Class{Size: 256 << 10, Count: 2}); err != nil {
		t.Fatal(err)
	}
	m.upcall = coro.RegisterContext(m.serve)
	cside.OnCallback = m.callback
	return m
}

// close ends everything and looks at what is left.
func (m *machine) close() {
	for _, x := range m.threads {
		if s := x.Stats(); s.Calls != 0 || s.Waiting != 0 {
			m.t.Errorf("executor: %+v", s)
		}
		if err := x.Close(); err != nil {
			m.t.Error("executor: ", err)
		}
	}
	if err := m.pool.Close(context.Background()); err != nil {
		m.t.Error(err)
	}
	if s := m.pool.Stats(); s.Busy != 0 || s.Queued != 0 || s.Waiting != 0 {
		m.t.Errorf("offload: %+v", s)
	}
	if err := m.buffers.Close(); err != nil {
		m.t.Error(err)
	}
	m.upcall.Free()
	if n := m.frames.Len(); n != 0 {
		m.t.Errorf("%d handles are left", n)
	}
	s := coro.ReadStats()
	for _, stack := range s.Stacks {
		if stack.InUse != 0 {
			m.t.Errorf("stacks: %+v", stack)
		}
	}
	if s.Waiting != 0 || s.Abandoned != 0 {
		m.t.Errorf("coroutines: %+v", s)
	}
}

// wrong reports an operation that did what it must not do.
func (m *machine) wrong(o *op, format string, args ...any) {
	m.t.Errorf("operation %d (%s): %s", o.id, kindNames[o.kind], fmt.Sprintf(format, args...))
}

// A bang is what bombs panic and fail with.
type bang struct{ id int }

func (b bang) Error() string { return fmt.Sprintf("bomb %d", b.id) }

// errStopped is the cause with which contexts end.
var errStopped = errors.New("torture: cancelled")

// errScarce says that C ran out of something.
var errScarce = errors.New("torture: C has no memory or descriptors")

// scarcity reports whether err says that something has run out, when it may.
func (m *machine) scarcity(err error) bool {
	if !m.scarce {
		return false
	}
	for _, e := range []error{errScarce, coro.ErrNoStack, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, os.ErrDeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// may reports whether an operation may fail with err.
func (m *machine) may(ctx context.Context, err error) bool {
	var b bang
	return errors.As(err, &b) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) || m.scarcity(err)
}

// run does an operation and judges it.
func (m *machine) run(ctx context.Context, o *op) (uint64, error) {
	v, err := m.do(ctx, o)
	switch {
	case err == nil && v != o.want():
		m.wrong(o, "%#x, want %#x", v, o.want())
	case err != nil && !m.may(ctx, err):
		m.wrong(o, "failed: %v", err)
	}
	return v, err
}

func (m *machine) do(ctx context.Context, o *op) (uint64, error) {
	switch o.kind {
	case leafCall:
		return m.leaf(o)
	case pooled:
		return m.pooled(ctx, o)
	case fill:
		return m.fill(o)
	case arena:
		return m.arena(o)
	case buffer:
		return m.buffer(ctx, o)
	case view:
		return m.view(o)
	case collect:
		return m.collect(o)
	case spawn:
		return m.spawn(o)
	case finalize:
		return m.finalize(o)
	case bubble:
		return m.bubble(o)
	case bomb:
		return m.explode(o)
	case crowd:
		return m.crowd(ctx, o)
	case seq:
		return m.seq(ctx, o)
	case par:
		return m.par(ctx, o)
	case deep:
		return m.deep(ctx, o, o.n)
	case call:
		return m.call(ctx, o)
	case generate, pull:
		return m.generate(ctx, o)
	case stepwise:
		return m.stepwise(ctx, o)
	case catch:
		return m.catch(ctx, o)
	}
	panic("torture: no such operation")
}

type ownerKey struct{}

// serve runs the operation that a coroutine asks for.
func (m *machine) serve(ctx context.Context, u *cside.UpcallArgs) error {
	f, err := m.frames.Get(mem.Handle(u.Kid))
	if err != nil {
		m.t.Errorf("an upcall with handle %#x: %v", u.Kid, err)
		return err
	}
	if u.Before != ^u.After {
		m.wrong(f.owner, "canaries of the argument are %#x and %#x", u.Before, u.After)
	}
	if f.own && ctx.Value(ownerKey{}) != f.owner {
		m.wrong(f.owner, "an upcall has the context of another call")
	}
	if !f.own {
		ctx = f.ctx
	}
	if m.fast && !roundsToNearest() {
		m.wrong(f.owner, "Go rounds as C does")
	}
	u.Out, f.err = m.run(ctx, f.kid)
	return f.err
}

// callback is serve for a step Callback.
func (m *machine) callback(kid uint64) uint64 {
	f, err := m.frames.Get(mem.Handle(kid))
	if err != nil {
		m.t.Errorf("a callback with handle %#x: %v", kid, err)
		return 0
	}
	out, err := m.run(f.ctx, f.kid)
	f.err = err
	return out
}

var one, three = 1.0, 3.0

//go:noinline
func roundsToNearest() bool {
	return one/three == 0x1.5555555555555p-2 && one/-three == -0x1.5555555555555p-2
}
