// Package rt is the Go side of a traced program. It becomes a part of package
// runtime/cgo: so it imports nothing that runtime/cgo does not, and all names
// begin with Seam or seam.
package rt

import (
	"sync"
	"sync/atomic"
	"unsafe"

	record "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record/rt"
)

//go:generate go run ../../../../.. layout --write --header ../c/seam_trace.h --header ../c/seam_trace_impl.h "--cflags=-I ../../record/c -I ../../../../../../../internal/csys"

// SeamTraceSite is a C function as the stubs of one package call it.
type SeamTraceSite struct {
	Functions unsafe.Pointer // the package's functions, in C
	Index     uint32
	Enter     unsafe.Pointer // seam_trace_go, under a name of the package's own

	seen atomic.Int32
}

// A sample of the calls is timed from Go: the first of every function, and then
// about one of seamTraceEvery.
const (
	seamTraceFirst = 64
	seamTraceEvery = 64
)

// seamTraceCountdown decides which call is next. Goroutines are spread over several
// by the addresses of their stacks, so that they don't share a cache line.
var seamTraceCountdown [64]struct {
	left   atomic.Int32
	random atomic.Uint32
	_      [56]byte
}

// SeamTraceEnter comes before a call. It returns 0 for most calls, and else
// what SeamTraceLeave has to be given.
func SeamTraceEnter(s *SeamTraceSite) uint64 {
	var here byte
	if s.seen.Load() >= seamTraceFirst && seamTraceCountdown[uintptr(unsafe.Pointer(&here))>>12%64].left.Add(-1) > 0 {
		return 0
	}
	return seamTraceSample(s, uintptr(unsafe.Pointer(&here))>>12%64)
}

//go:noinline
func seamTraceSample(s *SeamTraceSite, at uintptr) uint64 {
	weight := uint64(1)
	if s.seen.Load() < seamTraceFirst {
		s.seen.Add(1)
	} else {
		weight = seamTraceEvery
		// A random distance, so that no pattern of the program is met
		// always at the same place. Xorshift; what races lose is no loss.
		d := &seamTraceCountdown[at]
		r := d.random.Load()
		if r == 0 {
			r = 2463534242 + uint32(at)
		}
		r ^= r << 13
		r ^= r >> 17
		r ^= r << 5
		d.random.Store(r)
		d.left.Store(int32(r%(2*seamTraceEvery-1)) + 1)
	}
	if seamTraceEmpty.Load() == 0 {
		seamTraceCalibrate(s)
	}
	q := seamTraceRequest{op: seamTraceBegin, index: s.Index, functions: s.Functions}
	seamTraceC(s, &q)
	// The weight is hidden in the time's lowest bit.
	return q.now<<1 | weight&1
}

// A seamTraceRequest is what Go asks of C.
//
//seam:layout struct seam_trace_request
type seamTraceRequest struct {
	op        int32
	index     uint32
	functions unsafe.Pointer
	now       uint64
	span      uint64
	caller    unsafe.Pointer
	weight    uint64
	ns        uint64
	cost      uint64
	crossing  int64
	text      unsafe.Pointer
	length    uintptr
}

const (
	seamTraceBegin = iota
	seamTraceEnd
	seamTraceNewCaller
	seamTraceCount
	seamTraceNewText
	seamTraceCallback
)

func seamTraceC(s *SeamTraceSite, q *seamTraceRequest) {
	record.SeamCgocall(s.Enter, uintptr(unsafe.Pointer(q)))
}

// seamTracePrice has C call a Go function that does nothing, once in the process. The request
// is no goroutine's, whose stack may move when Go is called.
var (
	seamTracePrice        sync.Once
	seamTracePriceRequest seamTraceRequest
)

func seamTraceNothing(unsafe.Pointer) {}

func seamTraceAskPrice(s *SeamTraceSite) {
	nothing := seamTraceNothing
	q := &seamTracePriceRequest
	q.op, q.index, q.functions = seamTraceCallback, s.Index, s.Functions
	q.text = **(**unsafe.Pointer)(unsafe.Pointer(&nothing)) // crosscall2 wants the code's address
	seamTraceC(s, q)
}

// seamTraceEmpty is the time from a begin to an end with nothing in between.
var seamTraceEmpty atomic.Uint64

func seamTraceCalibrate(s *SeamTraceSite) {
	var took [31]uint64
	for i := range took {
		q := seamTraceRequest{op: seamTraceBegin, index: s.Index, functions: s.Functions}
		seamTraceC(s, &q)
		before := q.now
		q.op = seamTraceEnd
		seamTraceC(s, &q)
		ns := q.now - before
		k := i
		for ; k > 0 && took[k-1] > ns; k-- {
			took[k] = took[k-1]
		}
		took[k] = ns
	}
	seamTraceEmpty.Store(took[len(took)/2] + 1)
	seamTracePrice.Do(func() { seamTraceAskPrice(s) })
	if record.SeamVersion != "" {
		seamTraceText(s, seamTraceNewText, []byte("go\x00"+record.SeamVersion+"\x00"))
	}
	seamTraceText(s, seamTraceNewText, []byte("main\x00"+record.SeamMain+"\x00"))
}

func seamTraceText(s *SeamTraceSite, op int32, text []byte) unsafe.Pointer {
	q := seamTraceRequest{op: op, index: s.Index, functions: s.Functions,
		text: unsafe.Pointer(unsafe.SliceData(text)), length: uintptr(len(text))}
	seamTraceC(s, &q)
	return q.caller
}

// seamTraceKnown has the callers that the record knows, by a hash of the
// function and the stack.
var seamTraceKnown struct {
	sync.Mutex
	callers map[uint64]unsafe.Pointer
}

const seamTraceMaxCallers = 1 << 13

// SeamTraceLeave comes after a call for which SeamTraceEnter returned begin.
//
//go:noinline
func SeamTraceLeave(s *SeamTraceSite, begin uint64) {
	q := seamTraceRequest{op: seamTraceEnd, index: s.Index, functions: s.Functions}
	seamTraceC(s, &q)
	// The same again tells what the way back from begin and the way to end
	// take, which the time from begin to end has on top of the call.
	again := seamTraceRequest{op: seamTraceEnd, index: s.Index, functions: s.Functions}
	seamTraceC(s, &again)
	end := q.now
	empty := again.now - end
	if usual := seamTraceEmpty.Load(); empty > 2*usual {
		empty = usual // interrupted
	}
	q.op = seamTraceCount
	q.weight = 1
	if begin&1 == 0 {
		q.weight = seamTraceEvery
	}
	q.ns = 0
	if ns := end - begin>>1; ns > empty {
		q.ns = ns - empty
	}
	q.crossing = -1
	if q.span != 0 {
		q.crossing = 0
		if q.ns > q.span {
			q.crossing = int64(q.ns - q.span)
		}
	}
	known := true
	if record.SeamCallers != nil {
		var pcs [48]uintptr
		// Leave out Callers, this function and the stub.
		q.caller, known = seamTraceCaller(s, pcs[:record.SeamCallers(3, pcs[:])])
	}
	// What this took, with the way into C and back that is still to come. A
	// new stack takes long, but only once.
	if known {
		seamTraceC(s, &again)
		q.cost = again.now - end + 2*empty
	}
	seamTraceC(s, &q)
}

// seamTraceCaller finds or makes the place where a stack's calls are counted.
func seamTraceCaller(s *SeamTraceSite, pcs []uintptr) (c unsafe.Pointer, known bool) {
	hash := record.SeamHash(uintptr(unsafe.Pointer(s)), pcs)
	k := &seamTraceKnown
	k.Lock()
	c, known = k.callers[hash]
	full := len(k.callers) >= seamTraceMaxCallers
	k.Unlock()
	if known {
		return c, true
	}
	var text []byte
	if !full {
		text = record.SeamFrames(pcs)
	}
	// Two goroutines may come here with one stack: both count, in two places.
	if full {
		text = []byte("[other callers]\x00\x000\x00")
		hash = uint64(uintptr(unsafe.Pointer(s)))
		k.Lock()
		c, known = k.callers[hash]
		k.Unlock()
		if known {
			return c, true
		}
	}
	c = seamTraceText(s, seamTraceNewCaller, text)
	k.Lock()
	if k.callers == nil {
		k.callers = map[uint64]unsafe.Pointer{}
	}
	k.callers[hash] = c
	k.Unlock()
	return c, false
}
