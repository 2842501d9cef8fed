// Package rt is the Go side of a program in which the garbage collector runs at
// calls of C. It becomes a part of package runtime/cgo: so it imports nothing that
// runtime/cgo does not, except in collector.go, and all names begin with Seam or seam.
//
// A call of C that is about to be made notes its pointers, collects garbage, and waits
// until finalizers and cleanups have been called. One of these that gives C a pointer
// of a call in progress has an object in its hands that nobody kept alive for that
// call. It is recorded, and made to wait until the call is over: so the program goes
// on where it would work on freed memory.
package rt

import (
	"sync"
	"sync/atomic"
	"unsafe"

	record "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record/rt"
)

//go:generate go run ../../../../.. layout --write --header ../c/seam_stress_impl.h "--cflags=-I ../../record/c"

// A seamStressRequest is what Go tells C and asks of it.
//
//seam:layout struct seam_stress_request
type seamStressRequest struct {
	op     int32
	off    int32
	text   unsafe.Pointer
	length uintptr
	now    uint64
}

const (
	seamStressNap = iota
	seamStressClock
	seamStressText
	seamStressFreed
	seamStressCollected
)

// What only package runtime can do. collector.go sets them; where a build could not
// have it, nothing is done.
var (
	seamGosched func()
	seamCollect func() *atomic.Int32
)

// A seamStressCall is a call of C in progress.
type seamStressCall struct {
	id       uint64
	name     string
	pointers [6]uintptr // as numbers, which keep nothing alive
	pcs      []uintptr
	met      atomic.Bool // a finalizer waits for its end
}

// A seamStressPlace is a stack that calls C.
type seamStressPlace struct {
	calls     uint32
	finalizer bool // a finalizer or a cleanup called it
}

type seamStressState struct {
	off  atomic.Bool
	turn sync.Mutex // of who collects
	sync.Mutex
	places map[uint64]*seamStressPlace
	calls  map[uint64]*seamStressCall
	known  map[uint64]bool // what has been recorded
	next   uint64
	start  uint64 // when the first call was made, by C's clock
	spent  uint64 // since then, in the collector; of who has the turn
}

var seamStress seamStressState

// seamStressAlways is how many calls of one stack collect garbage in any case. The
// others do so as long as less than half of the time has gone there.
const seamStressAlways = 8

// seamStressPlaces is how many stacks are told apart; calls from others go as they are.
const seamStressPlaces = 1 << 16

// SeamStressEnter comes before a call of C, with the pointers that it is given. Enter is
// the C function seam_stress_go under a name of the package's own. The result is for
// SeamStressLeave; 0 if there is nothing to leave.
//
//go:noinline
func SeamStressEnter(enter unsafe.Pointer, name string, pointers ...unsafe.Pointer) uint64 {
	s := &seamStress
	if s.off.Load() || record.SeamCallers == nil || seamCollect == nil {
		return 0
	}
	call := &seamStressCall{name: name}
	n := 0
	for _, p := range pointers {
		if p != nil && n < len(call.pointers) {
			call.pointers[n] = uintptr(p)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	pcs := make([]uintptr, 48)
	call.pcs = pcs[:record.SeamCallers(2, pcs)] // without Callers and this function
	s.Lock()
	if s.places == nil {
		s.places, s.calls, s.known = map[uint64]*seamStressPlace{}, map[uint64]*seamStressCall{}, map[uint64]bool{}
		s.Unlock()
		seamStressSend(enter, seamStressText, []byte("go\x00"+record.SeamVersion+"\x00"))
		now := seamStressSend(enter, seamStressClock, nil)
		s.Lock()
		if s.start == 0 {
			s.start = now
		}
	}
	hash := record.SeamHash(0, call.pcs)
	place := s.places[hash]
	if place == nil && len(s.places) >= seamStressPlaces {
		s.Unlock()
		return 0
	}
	if place == nil {
		place = &seamStressPlace{finalizer: seamStressFinalizes(call.pcs)}
		s.places[hash] = place
	}
	place.calls++
	if place.finalizer {
		used := s.whoUses(call)
		s.Unlock()
		if used != nil {
			seamStressMeet(enter, used, call)
		}
		return 0
	}
	s.next++
	call.id = s.next
	s.calls[call.id] = call
	always := place.calls <= seamStressAlways
	s.Unlock()
	seamStressCollect(enter, call, always)
	return call.id
}

// SeamStressLeave comes after the call.
func SeamStressLeave(id uint64) {
	if id == 0 {
		return
	}
	s := &seamStress
	s.Lock()
	delete(s.calls, id)
	s.Unlock()
}

// seamStressCollect collects garbage, if it is this call's turn, and waits until
// finalizers have been called or one has met the call. The wait ends by itself, since a
// finalizer may wait for something that only this goroutine does.
func seamStressCollect(enter unsafe.Pointer, call *seamStressCall, always bool) {
	s := &seamStress
	if !s.turn.TryLock() {
		return // another goroutine collects: for this one too, unless it has begun already
	}
	defer s.turn.Unlock()
	before := seamStressSend(enter, seamStressClock, nil)
	if !always && s.spent > (before-s.start)/2 {
		return
	}
	left := seamCollect()
	for i := 0; i < 200 && left.Load() > 0 && !call.met.Load(); i++ {
		if i < 20 {
			seamGosched()
		} else {
			seamStressSend(enter, seamStressNap, nil)
		}
	}
	s.spent += seamStressSend(enter, seamStressCollected, nil) - before
}

// whoUses is a call in progress with a pointer that this one is given too; nil if there
// is none. The lock is held.
func (s *seamStressState) whoUses(call *seamStressCall) *seamStressCall {
	for _, other := range s.calls {
		for _, p := range call.pointers {
			if p == 0 {
				break
			}
			for _, q := range other.pointers {
				if p == q {
					return other
				}
			}
		}
	}
	return nil
}

// seamStressMeet records that a finalizer is about to give C what a call in progress
// uses, and waits until that has ended, or a second.
func seamStressMeet(enter unsafe.Pointer, used, free *seamStressCall) {
	s := &seamStress
	hash := record.SeamHash(uintptr(record.SeamHash(0, used.pcs)), free.pcs)
	s.Lock()
	known := s.known[hash] || len(s.known) >= 1000
	s.known[hash] = true
	s.Unlock()
	if !known {
		text := append(append([]byte(used.name), 0), free.name...)
		text = append(append(text, 0), record.SeamFrames(used.pcs)...)
		text = append(append(text, 0), record.SeamFrames(free.pcs)...) // an empty string between them
		seamStressSend(enter, seamStressFreed, text)
	}
	used.met.Store(true)
	for range 1000 {
		s.Lock()
		_, inProgress := s.calls[used.id]
		s.Unlock()
		if !inProgress {
			return
		}
		seamStressSend(enter, seamStressNap, nil)
	}
}

// seamStressFinalizes reports whether a finalizer or a cleanup has made the stack.
func seamStressFinalizes(pcs []uintptr) bool {
	text := record.SeamFrames(pcs)
	for _, name := range []string{"runtime.runFinalizers", "runtime.runfinq", "runtime.runCleanups"} {
		for i := 0; i+len(name) < len(text); i++ {
			if (i == 0 || text[i-1] == 0) && string(text[i:i+len(name)]) == name && text[i+len(name)] == 0 {
				return true
			}
		}
	}
	return false
}

func seamStressSend(enter unsafe.Pointer, op int32, text []byte) uint64 {
	q := seamStressRequest{op: op, text: unsafe.Pointer(unsafe.SliceData(text)), length: uintptr(len(text))}
	record.SeamCgocall(enter, uintptr(unsafe.Pointer(&q)))
	if q.off != 0 {
		seamStress.off.Store(true)
	}
	return q.now
}
