package switches

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// run builds an experiment from medians by kind and working set; every
// interval is ±1 ns.
func run(medians map[string]float64) *result.Experiment {
	e := &result.Experiment{}
	for n, m := range medians {
		e.Series = append(e.Series, result.Series{Name: n, Unit: "ns/op", Median: m, Lo: m - 1, Hi: m + 1})
	}
	return e
}

func TestBreakDown(t *testing.T) {
	e := run(map[string]float64{
		name("none", 0): 2, name("none", 65536): 400,
		name("goroutine", 0): 102, name("goroutine", 65536): 560,
	})
	explain(e)
	var k kind
	for _, k = range kinds {
		if k.name == "goroutine" {
			break
		}
	}
	c, ok := breakDown(e, k, 65536)
	if !ok || c.direct.value != 100 || c.indirect.value != 60 || c.touching.value != 400 {
		t.Errorf("got %+v %v, want direct 100, indirect 60, touching 400", c, ok)
	}
	if len(e.Charts) != 2 || e.Charts[0].Kind != result.Bars || e.Charts[1].Kind != result.Stacked {
		t.Fatalf("got charts %+v, want bars and one stack", e.Charts)
	}
	parts := e.Charts[1].Stacks[0].Parts
	if len(parts) != 3 || parts[0].Value != 100 || parts[1].Value != 60 || parts[2].Value != 400 {
		t.Errorf("stack has parts %+v", parts)
	}
}

func TestExplain(t *testing.T) {
	base := map[string]float64{name("none", 0): 2, name("none-c", 0): 2, name("none", 65536): 400, name("none-c", 65536): 400}
	tests := []struct {
		name    string
		medians map[string]float64
		want    string // in findings and notes
		not     string
	}{
		{"address space", map[string]float64{"process/0": 2502, "thread/0": 2002}, "the change of address space is 500 ns of it", "Unexpected"},
		{"address space too small", map[string]float64{"process/0": 2003, "thread/0": 2002}, "too small to measure", "Unexpected"},
		{"order upside down", map[string]float64{"process/0": 1502, "thread/0": 2002}, "Unexpected: process (pipe) (1.50 µs) came out cheaper", ""},
		{"near the published figure", map[string]float64{"goroutine/0": 132}, "goroutine (Gosched) 130 ns", "published"},
		{"far from the published figure", map[string]float64{"process/0": 1002}, "The published figure for process (pipe) is 3.50 µs (2019), here it is 1.00 µs", ""},
		{"indirect", map[string]float64{"thread/0": 2002, "thread/65536": 2900}, "64 KB each: thread (pipe) 500 ns.", "below zero"},
		{"indirect below zero", map[string]float64{"thread/0": 2002, "thread/65536": 2300}, "below zero means", ""},
		{"indirect too small", map[string]float64{"thread/0": 2002, "thread/65536": 2401}, "64 KB each: too small to tell for thread (pipe).", "below zero"},
		{"price of a thread", map[string]float64{"thread/0": 2002, "goroutine/0": 102}, "one thread switch you get 20 goroutine switches", ""},
		{"system call", map[string]float64{"syscall/0": 202, "goroutine/0": 102}, "costs 200 ns without any switch, 2.0 times", ""},
		{"no figure without its baseline", map[string]float64{"thread/16384": 2002}, "", "Indirect"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			medians := map[string]float64{}
			for n, m := range base {
				medians[n] = m
			}
			for n, m := range tt.medians {
				k, ws, _ := strings.Cut(n, "/")
				medians["Switch/kind="+k+"/ws="+ws] = m
			}
			e := run(medians)
			explain(e)
			labtest.Says(t, labtest.Said(e), tt.want, tt.not)
		})
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	empty := &result.Experiment{}
	explain(empty)
	labtest.SaysNothing(t, empty)
	// Each kind missing in turn, and each kind alone.
	for _, missing := range kinds {
		without, alone := map[string]float64{}, map[string]float64{}
		for _, k := range kinds {
			for _, ws := range sizes {
				if k.name == missing.name {
					alone[name(k.name, ws)] = 100
				} else {
					without[name(k.name, ws)] = 100
				}
			}
		}
		explain(run(without))
		explain(run(alone))
	}
	notMeasured := &result.Experiment{Series: []result.Series{{Name: name("process", 0), Unit: "ns/op", NotMeasured: "no permission"}}}
	explain(notMeasured)
	if len(notMeasured.Charts) != 0 {
		t.Error("a chart of what was not measured")
	}
}
