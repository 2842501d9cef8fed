package growth

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// shrunk are the sizes that stacks are halved from.
var shrunk = []uintptr{32 << 10, 1 << 20, 16 << 20}

// shrinks is how often each probe has the stacks halved.
const shrinks = 4

// A sleeper is a goroutine that grows its stack, comes back up, and waits with between an
// eighth and a quarter of it in use: a collection halves it once and not twice.
type sleeper struct {
	deep, flat descent
	told       chan order
	done       chan struct{}
	moves      int // of its stack since it was last asked
	over       bool
}

type order int

const (
	rise order = iota // come up, grow the stack again, and wait again
	tell              // say how often the stack has moved
)

func newSleeper(size, depth uintptr) *sleeper {
	s := &sleeper{told: make(chan order), done: make(chan struct{})}
	s.deep = descent{depth: depth, do: grow}
	s.flat = descent{depth: size * 3 / 16, do: park}
	return s
}

// live grows and waits until told is closed.
func (s *sleeper) live() {
	s.flat.wait = s.sleep
	if _, ok := <-s.told; !ok {
		return
	}
	for !s.over {
		s.deep.run()
		s.flat.run()
	}
}

// sleep waits at the bottom. It notices by the address of a variable that its stack has
// moved.
func (s *sleeper) sleep() {
	var here byte
	last := address(&here)
	s.done <- struct{}{}
	for o := range s.told {
		if now := address(&here); now != last {
			last = now
			s.moves++
		}
		use(unsafe.Pointer(&here))
		if o == rise {
			return
		}
		s.done <- struct{}{}
	}
	s.over = true
}

// probeShrink times collections that have stacks to halve, and those after them that have not.
func probeShrink(ctx context.Context, size uintptr) ([]lab.Metric, error) {
	depth, err := ready(size, roomClock)
	if err != nil {
		return nil, err
	}
	defer stopIdle()
	defer quiet()()
	sleepers := make([]*sleeper, max(2, min(128, (16<<20)/size)))
	var gone sync.WaitGroup
	for i := range sleepers {
		s := newSleeper(size, depth)
		sleepers[i] = s
		gone.Go(s.live)
	}
	defer gone.Wait()
	defer func() {
		for _, s := range sleepers {
			close(s.told)
		}
	}()
	var list []lab.Metric
	for range shrinks {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, s := range sleepers {
			s.told <- rise
			<-s.done
			s.deep.check(size, 1)
		}
		with, err := collect(sleepers, 1)
		if err != nil {
			return nil, err
		}
		without, err := collect(sleepers, 0)
		if err != nil {
			return nil, err
		}
		list = append(list,
			lab.Metric{Unit: unitShrink, Value: float64(with-without) / float64(len(sleepers))},
			lab.Metric{Name: shrinkName(size) + "/state=first", Unit: unitGC, Value: float64(with), Label: fmt.Sprintf("collection that halves %d stacks of %s", len(sleepers), bytes(size))},
			lab.Metric{Name: shrinkName(size) + "/state=again", Unit: unitGC, Value: float64(without), Label: fmt.Sprintf("the collection after it, %d stacks", len(sleepers))},
			lab.Metric{Name: shrinkName(size) + "/what=used", Unit: unitBytes, Value: float64(sleepers[0].flat.used), Label: "copied to a stack half of " + bytes(size)})
	}
	return list, nil
}

// collect times a collection, in which all stacks are to move that often.
func collect(sleepers []*sleeper, moves int) (time.Duration, error) {
	start := clock()
	runtime.GC()
	took := clock() - start
	for _, s := range sleepers {
		s.moves = 0
		s.told <- tell
		<-s.done
		if s.moves != moves {
			return 0, lab.Skip("a collection moved a stack %d times, not %d: has GODEBUG=gcshrinkstackoff=1 been set?", s.moves, moves)
		}
	}
	return took, nil
}
