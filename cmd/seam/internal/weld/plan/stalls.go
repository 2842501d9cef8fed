package plan

import (
	"math"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// A machine takes the processor away from any code now and then: for interrupts and,
// on a virtual machine, for the host, whose work the kernel counts as the time of
// whatever was running. A function of 10 ns that is called ten million times gets
// its share of that: some calls take a hundred microseconds, which says nothing
// about the function. Their rate distinguishes them from its own slow calls: the
// machine hits all functions alike, in proportion to the time spent in them.

// What is assumed of a machine where the trace says little.
const (
	leastRate = 10.0                   // long calls in a second spent in C, on any machine
	mostRate  = 250.0                  // no machine does more: a busy host was measured at 120 to 250
	leastHit  = 500 * time.Microsecond // how long such a call is, on any machine
	bracketNS = 30.0                   // a call is exposed while the clock is read, too
	accident  = 0.05                   // below this chance so many long calls are not the machine's doing
)

// stalls is what the quick functions of a trace say about the machine.
type stalls struct {
	calls           float64 // that were long
	seconds         float64 // in C
	longest, second uint64  // the longest two of different functions, in ns
}

// machineStalls looks at the functions that are quick except in the longest 1 % of
// their calls.
func (o Options) machineStalls(all map[string]*calltrace.Function) stalls {
	var s stalls
	for _, f := range all {
		if !o.quick(f) {
			continue
		}
		s.calls += float64(o.long(f))
		s.seconds += exposure(f)
		if b := f.MaxBusyNS; b > s.longest {
			s.longest, s.second = b, s.longest
		} else if b > s.second {
			s.second = b
		}
	}
	return s
}

func (o Options) quick(f *calltrace.Function) bool {
	return f.Calls > 0 && f.P99NS < uint64(o.P999) && f.Callbacks == 0 && f.Abandoned == 0 && f.Blocked == 0
}

// exposure is how many seconds the machine had to hit a call of f.
func exposure(f *calltrace.Function) float64 {
	return (float64(f.TotalNS) + bracketNS*float64(f.Calls)) / 1e9
}

// explain reports whether the machine can account for the n long calls of f, and how
// many it would be expected to cause. The rate is that of the other functions: f's own
// calls are no evidence. A proven function can't wait and calls nothing unknown, so
// the machine is the likelier cause, up to the highest rate that a machine has.
func (s stalls) explain(f *calltrace.Function, n uint64, quick, proven bool) (expected float64, can bool) {
	longest := s.longest
	if quick {
		s.calls -= float64(n)
		s.seconds -= exposure(f)
		if f.MaxBusyNS == s.longest {
			longest = s.second
		}
	}
	rate := leastRate
	if s.seconds > 0 {
		// A trace too short to have met many stalls does not prove that there
		// are few.
		rate = min(max(s.calls/s.seconds, leastRate), mostRate)
	}
	if proven {
		rate = mostRate
	}
	expected = rate * exposure(f)
	return expected, f.MaxBusyNS <= max(longest, uint64(leastHit)) && atLeast(n, expected) > accident
}

// atLeast is the chance of n events or more where mean are expected (Poisson).
func atLeast(n uint64, mean float64) float64 {
	if n == 0 {
		return 1
	}
	if float64(n) > mean+20*math.Sqrt(mean)+50 {
		return 0
	}
	term, sum := math.Exp(-mean), 0.0
	for k := range n {
		sum += term
		term *= mean / float64(k+1)
	}
	return max(0, 1-sum)
}
