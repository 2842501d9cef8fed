package lab

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// A Bench is the lab's stopwatch. Workers use it for timed cases; a Probe gets
// one to time things in the same way.
type Bench struct {
	Mode  Mode
	Round int // of the process, from 0
	Rand  *rand.Rand
	// Stretch is how long a sample should take. It is far above the cost and
	// the resolution of the clock (tens of ns) and below the scheduler's tick,
	// so that most samples are free of preemption.
	Stretch time.Duration

	profile func(result.Profile) // of the case that is probed; nil: nobody listens
}

// Profile adds a profile to the result. Those of one name are added up, from all
// processes of the experiment.
func (b *Bench) Profile(p result.Profile) {
	if b.profile != nil {
		b.profile(p)
	}
}

// NewBench returns a stopwatch for a mode, with all its chances drawn from seed.
func NewBench(mode Mode, seed uint64) *Bench {
	return &Bench{
		Mode:    mode,
		Rand:    rand.New(rand.NewPCG(seed, 0x5ea3)),
		Stretch: ByMode(mode, time.Millisecond, 2*time.Millisecond, 5*time.Millisecond),
	}
}

// clock is time since an arbitrary start, monotonic.
func clock() time.Duration { return time.Since(clockStart) }

var clockStart = time.Now()

// sample runs n operations and returns nanoseconds per operation.
func sample(op *Op, n int) float64 { return float64(op.take(n)) / float64(n) }

// take runs n operations and tells how long they took.
func (op *Op) take(n int) time.Duration {
	if op.Time != nil {
		return op.Time(n)
	}
	start := clock()
	op.Run(n)
	return clock() - start
}

// maxOps bounds the operations of a sample: an operation that seems to take no
// time at all is a bug of the experiment, not a reason to run for ever.
const maxOps = 1 << 30

// Calibrate chooses how many operations make a sample of Stretch, warming the
// case up on the way. It is the case's own N where that is set.
func (b *Bench) Calibrate(op *Op) int {
	if op.N > 0 {
		op.take(1)
		return op.N
	}
	n := 1
	for {
		d := op.take(n)
		if d >= b.Stretch || n >= maxOps {
			return n
		}
		// Grow towards Stretch by what was seen, at most 16-fold a step since
		// the first calls are the slowest.
		grow := 16.0
		if d > 0 {
			grow = min(grow, 1.1*float64(b.Stretch)/float64(d))
		}
		n = min(maxOps, max(n+1, int(float64(n)*grow)))
	}
}

// Time returns nanoseconds per operation from one calibrated sample.
func (b *Bench) Time(op *Op) float64 { return sample(op, b.Calibrate(op)) }

// Observe is called with every sample of a block: which arm, how many
// operations, nanoseconds per operation.
type Observe func(block, arm, n int, nsPerOp float64)

// Blocks runs the arms in palindromic blocks until the budget is spent, at
// least least blocks, and stops early when ctx is done. Each arm gives two
// samples a block. The order is drawn anew for every block.
func (b *Bench) Blocks(ctx context.Context, arms []*Op, least int, budget time.Duration, observe Observe) {
	n := make([]int, len(arms))
	order := make([]int, len(arms))
	for i, op := range arms {
		n[i] = b.Calibrate(op)
		order[i] = i
	}
	end := clock() + budget
	for block := 0; block < least || clock() < end; block++ {
		b.Rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for k := range 2 * len(order) {
			if ctx.Err() != nil {
				return
			}
			arm := order[min(k, 2*len(order)-1-k)]
			observe(block, arm, n[arm], sample(arms[arm], n[arm]))
		}
	}
}

// Ratio runs a and c in paired blocks and returns, for each block, the time of
// a over the time of c.
func (b *Bench) Ratio(ctx context.Context, a, c *Op, blocks int) []float64 {
	sums := make([][2]float64, 0, blocks)
	b.Blocks(ctx, []*Op{a, c}, blocks, 0, func(block, arm, _ int, ns float64) {
		for len(sums) <= block {
			sums = append(sums, [2]float64{})
		}
		sums[block][arm] += ns
	})
	ratios := make([]float64, 0, len(sums))
	for _, s := range sums {
		if s[0] > 0 && s[1] > 0 {
			ratios = append(ratios, s[0]/s[1])
		}
	}
	return ratios
}
