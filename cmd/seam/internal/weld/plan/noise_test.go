package plan

import (
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// quickFunction was called calls times for ns each, long of them for 80 µs.
func quickFunction(calls, ns, long uint64) *calltrace.Function {
	return &calltrace.Function{
		Calls: calls, TotalNS: calls * ns, P99NS: ns, P999NS: ns, MaxBusyNS: 80_000,
		Histogram: []calltrace.Bin{{UpToNS: ns, Calls: calls - long}, {UpToNS: 80_000, Calls: long}},
	}
}

// traceOn is a trace on a machine whose control spun for a second.
func traceOn(stalls ...calltrace.Bin) []Trace {
	return []Trace{{File: &calltrace.File{Machine: &calltrace.Machine{SpunNS: 1e9, Stalls: stalls, Lost: stalls}}}}
}

func TestWhatTheMachineDoesIsTakenOff(t *testing.T) {
	o := Options{}.withDefaults()
	for _, c := range []struct {
		name   string
		traces []Trace
		others []*calltrace.Function
		f      *calltrace.Function
		why    string
	}{
		{"a long call in 20,000", nil, nil, quickFunction(20_000_000, 20, 1000), ""},
		{"one in 5,000, and nobody else has any", nil, nil, quickFunction(2_000_000, 20, 400),
			"ran for 50.0 µs or longer 400 times, of which the machine explains 1.0 (limit of the others 1 in 10,000)"},
		{"others have them too", nil, []*calltrace.Function{quickFunction(200_000, 900, 45)}, quickFunction(200_000, 900, 60), ""},
		{"the control has them too", traceOn(calltrace.Bin{UpToNS: 90_000, Calls: 2000}), nil, quickFunction(2_000_000, 20, 400), ""},
		{"the control has shorter ones only", traceOn(calltrace.Bin{UpToNS: 9000, Calls: 2000}), nil, quickFunction(2_000_000, 20, 400),
			"ran for 50.0 µs or longer 400 times, of which the machine explains 1.0 (limit of the others 1 in 10,000)"},
		{"a machine that nobody would trace on", traceOn(calltrace.Bin{UpToNS: 90_000, Calls: 2_000_000}), nil, quickFunction(2_000_000, 20, 40_000),
			"ran for 50.0 µs or longer 40k times, of which the machine explains 20000.0 (limit of the others 1 in 10,000)"},
	} {
		all := map[string]*calltrace.Function{"f": c.f}
		for i, f := range c.others {
			all[string(rune('a'+i))] = f
		}
		if why := (rule{Options: o, machine: o.noiseOf(c.traces, all)}).observed(c.f, open); why.String() != c.why {
			t.Errorf("%s: %q\nwant %q", c.name, why, c.why)
		}
	}
}

// The 99.9th percentile is that of the calls that the machine left alone.
func TestSlowCallsOfTheMachine(t *testing.T) {
	o := Options{P999: time.Microsecond}.withDefaults()
	slow := func(calls, above uint64) *calltrace.Function {
		return &calltrace.Function{
			Calls: calls, TotalNS: calls * 500, P50NS: 500, P99NS: 600, P999NS: 4000,
			Histogram: []calltrace.Bin{{UpToNS: 600, Calls: calls - above}, {UpToNS: 4000, Calls: above}},
		}
	}
	busy := traceOn(calltrace.Bin{UpToNS: 3000, Calls: 1000})
	preempted := slow(1_000_000, 1500)
	preempted.Preempted = 600
	for _, c := range []struct {
		name   string
		traces []Trace
		f      *calltrace.Function
		slow   bool
	}{
		{"a quiet machine", traceOn(), slow(1_000_000, 1500), true},
		{"few of them", traceOn(), slow(1_000_000, 900), false},
		{"a busy one", busy, slow(1_000_000, 1500), false},
		{"a busy one, and too many", busy, slow(1_000_000, 2500), true},
		{"off the processor", traceOn(), preempted, false},
		{"no control", nil, slow(1_000_000, 1500), true},
	} {
		f := c.f
		f.P999NS = quantile(f.Histogram, f.Calls, 0.999)
		if got := (rule{Options: o, machine: o.noiseOf(c.traces, nil)}).slow(f); got != c.slow {
			t.Errorf("%s: slow is %v", c.name, got)
		}
	}
	// A trace of a slow use is not excused by the others' quick use.
	f := slow(1_000_000, 10)
	if !(rule{Options: o}).slow(f) {
		t.Error("the slow use has drowned")
	}
}

// Slow functions say nothing of the machine.
func TestSlowFunctionsAreNoEvidence(t *testing.T) {
	o := Options{}.withDefaults()
	slow := quickFunction(100_000, 20, 50_000)
	slow.P99NS = 80_000
	if n := o.noiseOf(nil, map[string]*calltrace.Function{"slow": slow}); n.calls != 0 || n.seconds != 0 {
		t.Errorf("%+v", n)
	}
}

func TestRates(t *testing.T) {
	n := Options{}.noiseOf(append(traceOn(calltrace.Bin{UpToNS: 1000, Calls: 5}, calltrace.Bin{UpToNS: 9000, Calls: 3}), traceOn(calltrace.Bin{UpToNS: 9000, Calls: 1})...), nil)
	for limit, want := range map[time.Duration]float64{500: 4.5, 1000: 4.5, 1001: 2, 9001: 0} {
		if got := n.rate(n.stalls, limit); got != want {
			t.Errorf("%v stalls of %v a second, want %v", got, limit, want)
		}
	}
}

// malloc is malloc, whatever one program's trace says of its slowest calls.
func TestAllocators(t *testing.T) {
	slow := func(f *calltrace.Function) { f.Calls, f.P999NS, f.MaxBusyNS = 12, 40_000, 90_000 }
	for _, c := range []struct {
		name string
		seen func(*calltrace.Function)
		mode Mode
	}{
		{"free", slow, Leaf}, {"_CMalloc", slow, Leaf}, {"release", slow, Cgo},
		{"free", func(f *calltrace.Function) { f.Calls = 0 }, Cgo},
		{"free", func(f *calltrace.Function) { f.Callbacks = 1 }, Cgo},
		{"free", func(f *calltrace.Function) { f.Blocked = 2 }, Cgo},
		{"free", func(f *calltrace.Function) { f.Blocked = 1 }, Leaf},
	} {
		seen := with(quick(c.name), c.seen)
		if d := (rule{Options: Options{}.withDefaults()}).decide("m", oneInt(c.name), &seen, nil); d.Mode != c.mode {
			t.Errorf("%s: %s # %s", c.name, d.Mode, d.Comment)
		}
	}
}
