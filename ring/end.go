package ring

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// end is what Reader and Writer have in common. It belongs to one goroutine at a time,
// except for life and bell, which others use to end a wait.
type end struct {
	ctl      *control
	data     unsafe.Pointer
	capacity uint64
	mask     uint64

	mine    *side          // what this end tells the other
	theirs  *side          // and the other this one
	watched *atomic.Uint64 // the position that the other moves
	seen    uint64         // it, when last looked at
	onClose error          // what the other's closing means
	ahead   *uint64        // what a spinner keeps in its cache: a reader's next header, or nothing new

	bell  bell  // wakes this end
	other waker // wakes the other
	life  *life
	spin  spinner
	sync  *annotations
	mem   *memory
	final error // why this end can't be used any more
}

// A waker makes an end look again.
type waker interface{ wake() }

// A bell is how an end sleeps.
type bell interface {
	waker
	// sleep calls e.arm, and unless that returns true sleeps until wake is called or ctx
	// ends. It may return for no reason.
	sleep(ctx context.Context, e *end)
}

// life is what ends the waits of an end, or of both ends of a connection.
type life struct{ ended atomic.Pointer[error] }

// end sets why. The first reason stays, but for a close on this side: the caller of Close is
// told so from then on, whatever the peer did before.
func (l *life) end(why error) {
	if why == ErrClosed {
		l.ended.Store(&why)
	} else {
		l.ended.CompareAndSwap(nil, &why)
	}
}

func (l *life) err() error {
	if p := l.ended.Load(); p != nil {
		return *p
	}
	return nil
}

// over returns why nothing more will come, or nil.
func (e *end) over() error {
	err := e.life.err()
	if err == nil || err == ErrGone {
		switch state := e.theirs.state.Load(); {
		case state&aborted != 0:
			return ErrGone
		case state&closed != 0: // a peer that closes and then hangs up has closed
			return e.onClose
		}
	}
	return err
}

// failed returns why this end can't be used, or nil.
func (e *end) failed() error {
	err := e.life.err()
	if e.final != nil && err != ErrClosed {
		return e.final
	}
	return err
}

// tell is called after a position has been published by Swap. It wakes the other end if
// that sleeps: see the argument in docs/design/ring.md.
func (e *end) tell() {
	if e.theirs.state.Load()&waits != 0 {
		e.wake()
	}
}

//go:noinline
func (e *end) wake() {
	if e.theirs.state.And(^uint32(waits))&waits != 0 {
		e.mine.wakes.Add(1)
		e.other.wake()
		e.spin.woke = true
	}
}

// arm says that this end is going to sleep, and returns true if it must not.
func (e *end) arm() bool {
	e.mine.state.Or(waits)
	if e.watched.Load() == e.seen && e.over() == nil {
		return false
	}
	e.mine.state.And(^uint32(waits))
	return true
}

// await returns nil when the other end has moved its position from e.seen. An error is
// final, or that of ctx. All that this end has done must be published before.
func (e *end) await(ctx context.Context) (err error, final bool) {
	var begin time.Time
	if ctx != noWait {
		var moved bool
		if begin, moved = e.spin.until(e.watched, e.seen, e.ahead); moved {
			return nil, false
		}
	}
	for {
		over := e.over()
		if e.watched.Load() != e.seen {
			if !begin.IsZero() {
				e.spin.learn(time.Since(begin))
			}
			return nil, false // what was published before the end counts
		}
		if over != nil {
			return over, true
		}
		if ctx == noWait {
			return errEmpty, false
		}
		if err := ctx.Err(); err != nil {
			return err, false
		}
		e.mine.sleeps.Add(1)
		e.bell.sleep(ctx, e)
	}
}

// shut ends the use of this end for good, and tells the other one. It returns why. What
// touches the ring's memory must come before.
func (e *end) shut(why error) error {
	if e.final == nil {
		e.final = why
		if e.mine.state.Or(closed)&closed == 0 {
			e.tell()
		}
	} else if why == ErrClosed {
		e.final = why
	}
	return e.final
}

// abort sets a mark that makes what shut tells an abort. An end that has closed has closed.
func (s *side) abort() {
	for {
		state := s.state.Load()
		if state&closed != 0 || s.state.CompareAndSwap(state, state|aborted) {
			return
		}
	}
}

// unwinding reports whether the calling goroutine panics, or ends by [runtime.Goexit] as a test
// does that fails: whether what runs now is a deferred function that nobody returned to.
func unwinding() bool {
	pcs := make([]uintptr, 64)
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		frames := runtime.CallersFrames(pcs[:n])
		for {
			f, more := frames.Next()
			if f.Function == "runtime.gopanic" || f.Function == "runtime.Goexit" {
				return true
			}
			if !more {
				break
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// letGo gives up the ring's memory. If the other end of this process has done so too, it
// is unmapped: no pointer into it stays, for these addresses may become Go's heap, where the
// garbage collector ends a program with pointers to what isn't allocated.
func (e *end) letGo() {
	if e.ctl != nil {
		e.ctl, e.data = nil, nil
		e.mine, e.theirs, e.watched, e.ahead = nil, nil, nil, nil
		e.mem.drop()
	}
}

// Stats returns what the ring has done. Any goroutine may call it at any time.
func (e *end) Stats() Stats { return e.mem.stats() }

// looks is how often a spinner looks before it reads the clock, which takes as long as dozens.
const looks = 192

// shortest is how long a spinner looks where that will be in vain.
const shortest = 300 * time.Nanosecond

// spinner looks for a while before an end sleeps: for its limit, or where it is to judge by
// itself, for twice as long as waits have taken lately. Where they take longer than the limit
// it hardly looks at all, but for every 64th time.
type spinner struct {
	limit  time.Duration
	judges bool
	expect time.Duration // what waits have taken lately, asleep or not
	failed uint          // how often it has looked in vain
	local  bool          // the other end is a goroutine of this process
	woke   bool          // it has just been woken
}

// learn is told what a wait has taken.
func (s *spinner) learn(d time.Duration) {
	s.expect += (min(d, 2*s.limit) - s.expect) / 8
}

// budget is how long to look.
func (s *spinner) budget() time.Duration {
	switch {
	case s.failed%64 == 63:
		return s.limit
	case s.expect > s.limit:
		return min(s.limit, shortest)
	case s.judges:
		return min(s.limit, 2*s.expect+s.limit/8)
	}
	return s.limit
}

// until returns true when word isn't seen any more, or otherwise when it began to wait. After
// the first looks, which are for a peer that is about to move it, it also loads ahead each time
// and ignores it. So the record's line is on its way here as soon as the writer has left it, and
// not only when the position has come: a third of the time of a round trip.
func (s *spinner) until(word *atomic.Uint64, seen uint64, ahead *uint64) (begin time.Time, moved bool) {
	if s.limit == 0 {
		return begin, word.Load() != seen
	}
	for i := 0; i < looks; i++ {
		if word.Load() != seen {
			return begin, true
		}
	}
	begin = time.Now()
	if s.woke && s.local {
		// It waits for this goroutine's processor. Let it have that; another processor
		// continues here.
		runtime.Gosched()
	}
	s.woke = false
	budget := s.budget()
	// Rounds are counted too, each of which takes longer than that: the clock may stand
	// still, in a bubble of testing/synctest always.
	rounds := budget / (32 * time.Nanosecond)
	for took := time.Duration(0); rounds > 0 && took < budget; rounds-- {
		for i := 0; i < looks; i++ {
			if readsAhead {
				atomic.LoadUint64(ahead)
			}
			if word.Load() != seen {
				s.learn(took)
				s.failed = 0
				return begin, true
			}
		}
		took = time.Since(begin)
	}
	s.failed++
	return begin, false
}
