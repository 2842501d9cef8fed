package plan

import (
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// A machine takes the processor away from any code now and then: for interrupts and,
// on a virtual machine, for the host, whose work the kernel counts as the time of
// whatever was running. A function of 10 ns that is called ten million times gets
// its share of that: some calls take a hundred microseconds, which says nothing
// about the function. How many is known from two sides: a control that did nothing but
// read the clock while the program was traced, and the other quick functions.
//
// Whether the rest is too much is no question of significance: such a test decides by
// chance wherever the noise is near. A share of long calls is tolerated that is far
// above what is left of the noise and far below what would do harm.
const (
	leastRate = 10.0  // long calls in a second spent in C, on any machine
	mostRate  = 250.0 // what other functions may say: a busy host was measured at 120 to 250
	bracketNS = 30.0  // a call is exposed while the clock is read, too
	after     = 2.0   // calls above --p999 for each stall: the next one finds cold caches
	mostNoise = 0.01  // of a function's calls: a machine that does more is none to trace on
)

// noise is what the traces say about the machine.
type noise struct {
	calls, seconds float64 // of the quick functions: long calls, and time in C

	spun         float64 // seconds of the control
	stalls, lost []calltrace.Bin
}

// noiseOf looks at the control, and at the functions that are quick except in the longest
// 1 % of their calls.
func (o Options) noiseOf(traces []Trace, all map[string]*calltrace.Function) noise {
	var n noise
	for _, f := range all {
		if o.quick(f) {
			n.calls += float64(o.long(f))
			n.seconds += exposure(f)
		}
	}
	for _, t := range traces {
		if m := t.File.Machine; m != nil {
			n.spun += float64(m.SpunNS) / 1e9
			n.stalls, n.lost = addBins(n.stalls, m.Stalls), addBins(n.lost, m.Lost)
		}
	}
	return n
}

func (o Options) quick(f *calltrace.Function) bool {
	return f.Calls > 0 && f.P99NS < uint64(o.P999) && f.Callbacks == 0 && f.Abandoned == 0 && f.Blocked == 0
}

// exposure is how many seconds the machine had to hit a call of f.
func exposure(f *calltrace.Function) float64 {
	return (float64(f.TotalNS) + bracketNS*float64(f.Calls)) / 1e9
}

// longOf is how many calls of f the machine is expected to have made as long as max. The
// other functions' rate is without f: its own calls are no evidence.
func (n noise) longOf(f *calltrace.Function, own uint64, quick bool, limit time.Duration) float64 {
	if quick {
		n.calls -= float64(own)
		n.seconds -= exposure(f)
	}
	rate := leastRate // a trace too short to have met many stalls doesn't prove that there are few
	if n.seconds > 0 {
		rate = max(rate, min(n.calls/n.seconds, mostRate))
	}
	return n.of(f, max(rate, n.rate(n.stalls, limit)))
}

// slowOf is how many calls of f the machine is expected to have moved above a limit, by the
// clock on the wall.
func (n noise) slowOf(f *calltrace.Function, limit time.Duration) float64 {
	room := limit - min(time.Duration(f.P50NS), limit/2)
	preempted := float64(f.Preempted) + n.of(f, after*n.rate(n.stalls, room))
	return min(max(preempted, n.of(f, after*n.rate(n.lost, room))), mostNoise*float64(f.Calls))
}

// of is what a rate makes of f's calls.
func (n noise) of(f *calltrace.Function, rate float64) float64 {
	return min(rate*exposure(f), mostNoise*float64(f.Calls))
}

// rate is how often in a second the control stood still for so long.
func (n noise) rate(bins []calltrace.Bin, limit time.Duration) float64 {
	if n.spun <= 0 {
		return 0
	}
	return float64(atLeast(bins, uint64(limit))) / n.spun
}

// atLeast counts the calls of a histogram in bins that end at a value or above.
func atLeast(bins []calltrace.Bin, ns uint64) (calls uint64) {
	for _, b := range bins {
		if b.UpToNS >= ns {
			calls += b.Calls
		}
	}
	return calls
}
