package growth

import (
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// timed makes an operation of f, which is run without collections, among idle goroutines.
func timed(n int, f func(n int) time.Duration) *lab.Op {
	return &lab.Op{
		N: n,
		Time: func(n int) time.Duration {
			defer quiet()()
			return f(n)
		},
		Close: stopIdle,
	}
}

// quiet keeps the collector from starting by itself until the function that it returns
// is called: a collection would move stacks, and be part of some price.
func quiet() func() {
	old := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(old) }
}

// ready starts the idle goroutines and finds the edge from which a call leads to a stack of size.
func ready(size, room uintptr) (depth uintptr, err error) {
	startIdle()
	depth, err = edge(size, room)
	if err != nil {
		stopIdle()
	}
	return depth, err
}

// check says what is wrong with a descent that should have grown its stack to size, and
// moved it moves times while it was timed.
func (d *descent) check(size uintptr, moves int) {
	if d.moved != moves || d.used <= size/4 && size > 4*least || d.used >= size/2 {
		panic(fmt.Errorf("growing a stack to %d bytes: it moved %d times, not %d, with %d bytes in use: this would be the time of another case",
			size, d.moved, moves, d.used))
	}
}

// batch is how many growths to size make a sample. Each takes a goroutine that goes all the way,
// so there are fewer of them where the way is long.
func batch(size uintptr) int {
	return int(min(64, max(1, (2<<20)/size)))
}

// setupGrow times the growth to size alone: that of n goroutines, one after the other. What it
// frees and takes are stacks of those before.
func setupGrow(size, depth uintptr, s shape) *lab.Op {
	d := &descent{shape: s, depth: depth, do: grow}
	return timed(batch(size), func(n int) time.Duration {
		var sum time.Duration
		warm(d, size)
		for range n {
			alone(d)
			d.check(size, 1)
			sum += d.took
		}
		return sum
	})
}

// warm makes descents until one of them has next to no page faults: the memory that they
// take may have gone back to the system. Usually one is enough; where memory is laid out
// differently from before, it takes two or three.
func warm(d *descent, size uintptr) {
	const most = 5
	for range most {
		before := pageFaults()
		alone(d)
		if faults := pageFaults() - before; faults <= int64(size/pageSize/50) {
			return
		}
	}
}

// pageSize is that of most machines. Where it is larger, fewer faults are seen.
const pageSize = 4 << 10

// setupAgain times the same call where the stack has grown.
func setupAgain(size, depth uintptr) *lab.Op {
	return timed(20_000, func(n int) time.Duration {
		d := &descent{depth: depth, do: repeat, calls: n}
		alone(d)
		d.check(size, 0)
		return d.took
	})
}

// setupNew is setupGrow with memory that the system has to provide.
func setupNew(size, depth uintptr) *lab.Op {
	d := &descent{depth: depth, do: grow}
	return timed(1, func(n int) time.Duration {
		var sum time.Duration
		for range n {
			// All stacks that the goroutine outgrows on its way are less, together, than
			// the one that it grows to: so that one is none of theirs.
			debug.FreeOSMemory()
			alone(d)
			d.check(size, 1)
			sum += d.took
		}
		return sum
	})
}

// A way is how often a stack has to move until it is of size. That is the same for all
// goroutines, except in builds whose frames are too large for the smallest stack: there a new
// goroutine starts with the smallest, and one that takes over what another left with more.
type way struct {
	size      uintptr
	few, many int
}

func wayTo(size uintptr) way {
	doublings := func(from uintptr) int { return bits.Len64(uint64(size / from / 2)) }
	few := doublings(startSize())
	return way{size, few, max(few, doublings(least))}
}

// check refuses a descent that moved its stack more or less often.
func (w way) check(d *descent) {
	if d.moves < w.few || d.moves > w.many {
		panic(fmt.Errorf("on the way to %d bytes a stack moved %d times, not %d: this would be the time of another case", w.size, d.moves, w.few))
	}
}

// setupFresh times goroutines that are started, go down to size, and end.
func setupFresh(size, depth uintptr) *lab.Op {
	return timed(batch(size), func(n int) time.Duration {
		d := &descent{depth: depth, do: grow}
		warm(d, size)
		way := wayTo(size)
		start := clock()
		for range n {
			alone(d)
			way.check(d)
		}
		return clock() - start
	})
}

// setupSame times one goroutine that does again and again what those of setupFresh do, on a
// stack that has grown.
func setupSame(size, depth uintptr) *lab.Op {
	return timed(batch(size), func(n int) time.Duration {
		d := &descent{depth: depth, do: grow}
		work, done := make(chan struct{}), make(chan struct{})
		go func() {
			for range work {
				d.run()
				done <- struct{}{}
			}
			close(done)
		}()
		defer func() {
			close(work)
			<-done
		}()
		again := func() {
			work <- struct{}{}
			<-done
		}
		again() // grows
		start := clock()
		for range n {
			again()
			if d.moves != 0 {
				panic(fmt.Errorf("a stack of %d bytes moved %d times, though it had grown", size, d.moves))
			}
		}
		return clock() - start
	})
}

// setupCopy times copying as many bytes as are in use when the stack is grown to size.
func setupCopy(size, depth uintptr) *lab.Op {
	from, to := written(depth), written(depth)
	return &lab.Op{
		Run: func(n int) {
			for range n {
				copy(to, from)
			}
		},
		Close: func() {
			from, to = nil, nil
			stopIdle()
		},
	}
}

// written is memory that has been written to. Before that, all pages of a large
// allocation can be one and the same, full of zeros and always in the cache.
func written(n uintptr) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) | 1
	}
	return b
}

// setupMake times allocations of size bytes, all pages of which are touched, in memory that
// was used before. Collecting them is not in the price.
func setupMake(size, _ uintptr) *lab.Op {
	return timed(max(2, batch(size)), func(n int) time.Duration {
		made(size, n)
		kept = nil
		runtime.GC()
		took := made(size, n)
		kept = nil
		runtime.GC()
		return took
	})
}

func made(size uintptr, n int) time.Duration {
	start := clock()
	for range n {
		kept = make([]byte, size)
		for i := uintptr(0); i < size; i += pageSize {
			kept[i] = 1
		}
	}
	return clock() - start
}

// kept makes the compiler allocate.
var kept []byte
