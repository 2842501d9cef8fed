package dl

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// With SEAM_TRACE=FILE the calls of each function are counted and timed, for seam plan --bind, which says
// which functions can be leaves. The counters lie in the file itself, by mapping it, so that however the
// program ends they are there. Nothing is called as a leaf meanwhile: what a call does is to be found out.

const (
	traceMagic = "seam dl trace 1\n"
	traceHead  = 4096
	traceMost  = 4096 // functions

	traceLate = 5 * time.Microsecond // more than a call of a leaf takes, but for 1 in 1,000,
	traceSlow = 50 * time.Microsecond
)

// tracing is nil where nothing is traced, as on other systems than Linux.
var tracing *tracer

// A traced is what is known of a function's calls. cmd/seam/internal/bind/trace.go reads it.
type traced struct {
	library   [64]byte
	name      [120]byte
	calls     atomic.Uint64
	ns        atomic.Uint64 // in all
	longest   atomic.Uint64
	late      atomic.Uint64 // of more than traceLate
	slow      atomic.Uint64 // of more than traceSlow
	callbacks atomic.Uint64 // in which it called Go
	timed     atomic.Uint64
	_         [16]byte
}

// A traceHeader is the beginning of the file.
type traceHeader struct {
	magic [len(traceMagic)]byte
	used  atomic.Uint64 // of the functions

	// The machine and Go's scheduler make calls late, too. So in the place of every eighth call one of a C
	// function that returns at once is timed.
	controls, controlsLate, controlsSlow atomic.Uint64
}

// A tracer is the file.
type tracer struct {
	*traceHeader
	all     *[traceMost]traced
	running sync.Map // goroutine → *traced, the innermost

	mu    sync.Mutex
	known map[[2]string]*traced

	control func() *function
}

// newControl makes the function of the controls; nil if there can't be one.
func newControl() *function {
	at, err := errnoLocation()
	if err != nil {
		return nil
	}
	f, err := newFunction(nil, "control", at, reflect.TypeFor[struct {
		Result uintptr `dl:"result"`
	}](), false)
	if err != nil {
		return nil
	}
	return f
}

// of returns the place of a function; nil if there is none left.
func (t *tracer) of(f *function) *traced {
	if x := f.traced.Load(); x != nil {
		return x
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := [2]string{f.lib.name, f.name}
	x := t.known[key]
	if n := t.used.Load(); x == nil && n < traceMost && len(f.name) <= len(x.name) {
		x = &t.all[n]
		copy(x.library[:], f.lib.name[max(0, len(f.lib.name)-len(x.library)):]) // its end says more
		copy(x.name[:], f.name)
		t.used.Store(n + 1)
		t.known[key] = x
	}
	f.traced.Store(x)
	return x
}

// begin notes that a call of f begins, and returns what notes its end.
func (t *tracer) begin(f *function) (end func()) {
	x := t.of(f)
	if x == nil {
		return func() {}
	}
	g := goroutine()
	timed := x.calls.Add(1)%8 != 0
	if !timed {
		t.measure()
	}
	outer, nested := t.running.Swap(g, &running{})
	start := time.Now()
	return func() {
		took := time.Since(start)
		inner, _ := t.running.LoadAndDelete(g)
		if nested { // in a callback
			t.running.Store(g, outer)
		}
		if inner.(*running).called {
			x.callbacks.Add(1)
		}
		if !timed {
			return
		}
		x.timed.Add(1)
		x.ns.Add(uint64(took))
		if took > traceLate {
			x.late.Add(1)
		}
		if took > traceSlow {
			x.slow.Add(1)
		}
		for was := x.longest.Load(); uint64(took) > was && !x.longest.CompareAndSwap(was, uint64(took)); was = x.longest.Load() {
		}
	}
}

// measure times a call of the control.
func (t *tracer) measure() {
	f := t.control()
	if f == nil {
		return
	}
	var result uintptr
	start := time.Now()
	f.announce(unsafe.Pointer(&result), false)
	took := time.Since(start)
	t.controls.Add(1)
	if took > traceLate {
		t.controlsLate.Add(1)
	}
	if took > traceSlow {
		t.controlsSlow.Add(1)
	}
}

// A running is a call that isn't over. Its goroutine alone looks at it.
type running struct{ called bool }

// callback notes that C has called Go.
func (t *tracer) callback() {
	if r, ok := t.running.Load(goroutine()); ok {
		r.(*running).called = true
	}
}
