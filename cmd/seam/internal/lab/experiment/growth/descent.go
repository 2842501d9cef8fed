package growth

import (
	"math"
	"math/bits"
	"sync"
	"time"
	"unsafe"
)

// A descent takes a goroutine's stack down to a depth and does something there. All it
// knows of the stack it sees from addresses: where the variable of its first frame is
// (the runtime adjusts pointers to it when it moves the stack, but no uintptr), and how
// far below the stack's upper end it has come.
type descent struct {
	shape shape
	depth uintptr // bytes of stack that are to be in use at the bottom
	do    action
	calls int // of action repeat

	last   uintptr // where the first frame was when last looked
	moves  int     // of the stack since the descent began
	frames int
	used   uintptr // bytes that were in use at the bottom

	clock  time.Duration // what reading it costs, to be taken off
	took   time.Duration // of what the action is timed for
	moved  int           // moves meanwhile
	faults int64         // page faults meanwhile, below 0 where they can't be read
	edges  []uintptr     // action measure: how far each stack reached, in order of size
	wait   func()        // action park
}

// A shape is what a stack is filled with on the way down.
type shape int

const (
	plain  shape = iota // large frames of bytes
	linked              // the same frames, each with a pointer to the one above
	full                // the same frames, made of nothing but pointers to the first
	small               // the smallest frames that do the job, and many of them
)

// An action is what is done at the bottom of a descent.
type action int

const (
	grow    action = iota // make one call that the stack has no room for
	repeat                // the same, and then more such calls, which are timed
	count                 // the same, and count its page faults
	park                  // wait
	measure               // nothing: note on the way how deep each stack lets one go
)

// run makes the descent on this goroutine.
//
//go:noinline
func (d *descent) run() {
	var first byte
	d.last, d.moves, d.frames = address(&first), 0, 0
	switch d.shape {
	case linked:
		d.downLinks(&first, &first)
	case full:
		d.downPointers(&first)
	default:
		d.downBytes(&first)
	}
	d.look(&first)
	use(unsafe.Pointer(&first))
}

// address is where v is now. The number stays what it is when the stack moves.
func address(v *byte) uintptr { return uintptr(unsafe.Pointer(v)) }

// least is the smallest stack that any Go gives. All stacks end at a multiple of it.
const least = 2 << 10

// inUse is how many bytes of the stack are in use down to here. The first frame of a
// descent is in the uppermost bytes of its goroutine's stack.
func inUse(first, here *byte) uintptr {
	return (address(first)+least-1)&^(least-1) - address(here)
}

// look counts a move of the stack since the last look.
func (d *descent) look(first *byte) {
	if now := address(first); now != d.last {
		d.last = now
		d.moves++
	}
}

// use keeps v from being optimised away.
//
//go:noinline
func use(unsafe.Pointer) {}

// Room that must be left beyond an array to choose it: what the functions around it take.
// And what a step without an array takes at most.
const (
	roomAround = 128
	roomStep   = 192
)

// Steps that are no frame of an array. The others are the logarithm of its size.
const (
	arrived = iota // at the bottom
	onwards        // a step without an array
)

// next chooses the next step. A frame is at most as large as all above it, so that no
// doubling is left out: where one frame needs it, the runtime skips some.
//
//go:noinline
func (d *descent) next(first, here *byte) (step int) {
	d.frames++
	used := inUse(first, here)
	if d.do == measure {
		d.note(first)
	} else {
		d.look(first)
	}
	d.used = used
	left := uintptr(0)
	if used < d.depth {
		left = d.depth - used
	}
	if left < roomStep {
		return arrived
	}
	most := min(used, largest, left-min(left, roomAround))
	if d.shape == small || most < smallest {
		return onwards
	}
	return bits.Len64(uint64(most)) - 1
}

// note is look of action measure: it keeps how deep the stack before the move reached.
func (d *descent) note(first *byte) {
	if now := address(first); now != d.last {
		d.last = now
		d.moves++
		d.edges = append(d.edges, d.used)
	}
}

//go:noinline
func (d *descent) bottom(first *byte) {
	switch d.do {
	case measure:
	case park:
		d.wait()
	case count:
		d.countGrow(first)
	default:
		d.timeGrow(first)
	}
}

// timeGrow times a call that the stack has no room for, less what the clock costs.
//
//go:noinline
func (d *descent) timeGrow(first *byte) {
	var here byte
	d.used = inUse(first, &here)
	start := clock()
	before := address(first)
	overflow(byte(d.frames))
	after := address(first)
	d.took = clock() - start - d.clock
	d.moved = moves(before, after)
	d.look(first)
	if d.do != repeat {
		return
	}
	start = clock()
	for i := range d.calls {
		overflow(byte(i))
	}
	d.took = clock() - start
	d.moved = moves(after, address(first))
}

func moves(before, after uintptr) int {
	if before != after {
		return 1 // overflow calls nothing, so it outgrows its stack at most once
	}
	return 0
}

// countGrow counts the page faults of a call that the stack has no room for. It stands
// beside timeGrow because reading them takes more stack than the clock does, and so the
// call must be larger.
//
//go:noinline
func (d *descent) countGrow(first *byte) {
	var here byte
	d.used = inUse(first, &here)
	start := pageFaults()
	before := address(first)
	overflowLarge(byte(d.frames))
	after := address(first)
	end := pageFaults()
	d.faults = end - start
	if start < 0 || end < 0 {
		d.faults = -1
	}
	d.moved = moves(before, after)
	d.look(first)
}

// The frames of the calls that go over the edge: larger than what a descent may leave free
// above it, and small beside any stack that is grown to.
const (
	overflowFrame      = 1 << 10
	largeOverflowFrame = 8 << 10
)

// overflow is the call that needs a larger stack. It calls nothing, and so the growth takes
// place on its entry and nowhere else.
//
//go:noinline
//go:norace
func overflow(i byte) byte {
	var a [overflowFrame]byte
	a[i] = 1
	return a[255-i]
}

//go:noinline
//go:norace
func overflowLarge(i byte) byte {
	var a [largeOverflowFrame]byte
	a[i] = 1
	return a[255-i]
}

// clock is time since an arbitrary start, monotonic.
func clock() time.Duration { return time.Since(clockStart) }

var clockStart = time.Now()

// clockCost is what reading the clock costs: the least of some stretches, since something
// else may come in between. Taken as a constant, it can't make a sample worse.
var clockCost = sync.OnceValue(func() time.Duration {
	const reads = 1000
	least := time.Duration(math.MaxInt64)
	for range 5 {
		start := clock()
		for range reads - 1 {
			clock()
		}
		least = min(least, (clock()-start)/reads)
	}
	return least
})
