package plan

import (
	"math"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// quickFunction was called calls times for ns each, long of them for 80 µs.
func quickFunction(calls, ns, long uint64) *calltrace.Function {
	return &calltrace.Function{
		Calls: calls, TotalNS: calls * ns, P99NS: ns, P999NS: ns, MaxBusyNS: 80_000,
		Histogram: []calltrace.Bin{{UpToNS: ns, Calls: calls - long}, {UpToNS: 80_000, Calls: long}},
	}
}

func TestMachineExplainsWhatItDoesToAll(t *testing.T) {
	o := Options{}.withDefaults()
	for _, c := range []struct {
		name   string
		others []*calltrace.Function
		f      *calltrace.Function
		can    bool
	}{
		{"a quiet machine and one long call in a second", nil, quickFunction(20_000_000, 20, 1), true},
		{"a quiet machine and a hundred of them", nil, quickFunction(20_000_000, 20, 100), false},
		{"a quiet machine and one long call in few", nil, quickFunction(20_000, 20, 1), false},
		{"a busy machine, which hits all alike", []*calltrace.Function{quickFunction(20_000_000, 20, 100)}, quickFunction(20_000_000, 20, 110), true},
		{"a busy machine, which hits one more than all others", []*calltrace.Function{quickFunction(20_000_000, 20, 100)}, quickFunction(20_000_000, 20, 150), false},
		{"a machine that nobody would trace on", []*calltrace.Function{quickFunction(20_000_000, 20, 5000)}, quickFunction(20_000_000, 20, 5000), false},
		{"longer than what the machine does to others", []*calltrace.Function{quickFunction(20_000_000, 20, 10)},
			func() *calltrace.Function { f := quickFunction(20_000_000, 20, 1); f.MaxBusyNS = 600_000; return f }(), false},
		{"as long as what the machine does to others",
			[]*calltrace.Function{func() *calltrace.Function { f := quickFunction(20_000_000, 20, 1); f.MaxBusyNS = 8_000_000; return f }()},
			func() *calltrace.Function { f := quickFunction(20_000_000, 20, 1); f.MaxBusyNS = 600_000; return f }(), true},
		// A function is no evidence for itself.
		{"alone and often long", nil, quickFunction(1_000_000, 20, 40), false},
	} {
		all := map[string]*calltrace.Function{"f": c.f}
		for i, f := range c.others {
			all[string(rune('a'+i))] = f
		}
		n := o.long(c.f)
		expected, can := o.machineStalls(all).explain(c.f, n, o.quick(c.f), false)
		if can != c.can {
			t.Errorf("%s: explained is %v (%d long calls, %.2f expected)", c.name, can, n, expected)
		}
	}
}

// What can't wait is given the benefit of the doubt, up to a rate that no machine
// has.
func TestProvenFunctionAlone(t *testing.T) {
	o := Options{}.withDefaults()
	for long, want := range map[uint64]bool{17: true, 500: false} {
		f := quickFunction(2_000_000, 20, long)
		all := map[string]*calltrace.Function{"f": f}
		if _, can := o.machineStalls(all).explain(f, long, true, true); can != want {
			t.Errorf("%d long calls: explained is %v", long, can)
		}
		if _, can := o.machineStalls(all).explain(f, long, true, false); can {
			t.Errorf("%d long calls of a function that is not proven were explained", long)
		}
	}
}

// Slow functions say nothing of the machine.
func TestSlowFunctionsAreNoEvidence(t *testing.T) {
	o := Options{}.withDefaults()
	slow := quickFunction(100_000, 20, 50_000)
	slow.P99NS = 80_000
	s := o.machineStalls(map[string]*calltrace.Function{"slow": slow})
	if s.calls != 0 || s.seconds != 0 || s.longest != 0 {
		t.Errorf("%+v", s)
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		mean float64
		want float64
	}{
		{0, 0, 1}, {1, 0, 0}, {1, 1, 1 - math.Exp(-1)}, {2, 1, 1 - 2*math.Exp(-1)}, {1000, 1, 0},
		{100, 100, 0.513}, {130, 100, 0.0023}, {600, 600, 0.505},
	} {
		if got := atLeast(c.n, c.mean); math.Abs(got-c.want) > 0.002 {
			t.Errorf("P(N >= %d | %v) = %v, want %v", c.n, c.mean, got, c.want)
		}
	}
}
