package buffers

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// More sources, for the sake of what they leave out.
const (
	clearedOnceOf = "stack-cleared-once"
	uncollectedOf = "make-uncollected"
)

// A plan is how one situation is timed for one size.
type plan struct {
	situation
	size int
	mode lab.Mode
}

// timer is how a use is timed.
func (p plan) timer(from string) func(use) timer {
	switch {
	case p.state == stateGC:
		return afterGC
	case from == fromMake && !p.all:
		return func(u use) timer { return collecting(u, p.size, p.cycles()) }
	}
	return warm
}

// cycles is how many of the collector make a sample.
func (p plan) cycles() int {
	return lab.ByMode(p.mode, 1, 2, 4)
}

// cycleBytes is about what is allocated from one collection to the next in a
// program with a small heap: the collector begins before 4 MB are full.
const cycleBytes = 3 << 20

// operations is how many make a sample. They are the same on every machine, and
// fewer than the lab would choose: there are many cases.
func (p plan) operations(from string) int {
	of := lab.ByMode(p.mode, 200*time.Microsecond, 500*time.Microsecond, 2*time.Millisecond)
	bySize := func(bytes int) int { return max(1, bytes/(2*p.size)) }
	switch {
	case p.state == stateGC:
		return 2 * p.cycles() // two collections each, some 100 µs
	case from == uncollectedOf:
		return bySize(cycleBytes) // as much memory as with collections
	case from == fromMake:
		return bySize(p.cycles() * cycleBytes) // on each goroutine
	}
	each := 100 + 0.12*float64(p.size) // ns, on some machine
	if p.io {
		each += 5000
	}
	if p.state == stateFresh {
		each += 1000
	}
	return max(8, int(float64(of)/each))
}

// start sets up a case: buffers from some source, timed in some way.
func (p plan) start(from string, timed func(use) timer) func(context.Context, *lab.Bench) (*lab.Op, error) {
	return func(context.Context, *lab.Bench) (*lab.Op, error) {
		n, err := p.processors()
		if err != nil {
			return nil, err
		}
		var jobs []*job
		closeAll := func() {
			for _, j := range jobs {
				j.close()
			}
		}
		for range n {
			j, err := newJob(p.size, p.io)
			if err != nil {
				closeAll()
				return nil, err
			}
			jobs = append(jobs, j)
		}
		uses, err := open(from, jobs)
		if err == nil {
			err = failed(jobs)
		}
		if err != nil {
			closeAll()
			return nil, err
		}
		if p.state == stateFresh {
			for i, u := range uses {
				uses[i] = fresh(u)
			}
		}
		op := &lab.Op{N: p.operations(from), Close: closeAll}
		run := timed(uses[0])
		if p.all {
			t := newTeam(uses)
			run, op.Close = t.time, func() {
				t.close()
				closeAll()
			}
		}
		op.Time = func(n int) time.Duration {
			if p.state == stateFresh {
				noteStart()
			}
			took := run(n)
			if err := failed(jobs); err != nil {
				panic(err) // the lab reports it in place of the figure
			}
			return took
		}
		return op, nil
	}
}

// failed is what went wrong in the jobs.
func failed(jobs []*job) error {
	for _, j := range jobs {
		if j.err != nil {
			return fmt.Errorf("the work on the buffers: %w", j.err)
		}
	}
	return nil
}

// startSeen is the largest stack that goroutines of this process began with,
// while they were timed. It depends on what the collector last saw, so it must
// be noted at that time.
var startSeen atomic.Uint64

func noteStart() { startSeen.Store(max(startSeen.Load(), subprocess.StartingStack())) }

func probeStart(context.Context, *lab.Bench) ([]lab.Metric, error) {
	noteStart()
	n := startSeen.Load()
	if n == 0 {
		return nil, lab.Skip("this Go does not tell the size of a new stack")
	}
	return []lab.Metric{{Unit: "B", Value: float64(n)}}, nil
}
