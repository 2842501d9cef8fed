package barrier

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/barrier/cpuprofile"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// A found is the figures of one series: one for each turn.
type found struct {
	name, unit string
	values     []float64
}

func experiment(list []found) *result.Experiment {
	e := &result.Experiment{Name: "barrier"}
	for _, f := range list {
		s := result.Series{Name: f.name, Unit: f.unit, Label: f.name, Median: f.values[1], Lo: f.values[0], Hi: f.values[1]}
		for i, v := range f.values {
			s.Samples = append(s.Samples, result.Sample{Round: i / 4, Block: i % 4, N: 1, Value: v})
		}
		e.Series = append(e.Series, s)
	}
	return e
}

// around is a dozen figures near v, from three processes.
func around(v float64) []float64 {
	list := make([]float64, 12)
	for i := range list {
		list[i] = v * (1 + 0.004*float64(i%3-1))
	}
	return list
}

// quiet is what a quiet machine gives.
func quiet() []found {
	list := []found{{profileName, "count", []float64{40, 60}}}
	for _, k := range kinds {
		store, marked := 0.4, 0.4
		if k.barrier {
			marked = 11
		}
		renew := map[string]float64{kindCgoHandle: 310, kindMemHandle: 68, kindPin: 70, kindPinAll: 71, kindPool: 80}[k.name] + 1.2
		longer := map[string]float64{kindCgoHandle: 16e6, kindPin: 9e6, kindPinAll: 1e6}[k.name]
		list = append(list,
			found{restName(k.name, 1000), "ns/op", around(store)},
			found{markedName(k.name, 1000), "ns/op", around(marked)},
			found{renewName(k.name, 1000), "ns/op", around(renew)},
			found{renewName(k.name, 10), "ns/op", around(renew / 10)})
		for _, n := range sizes {
			more := longer * float64(n) / 100_000
			if n < 100_000 {
				more = 0
			}
			list = append(list,
				found{name(k.name, n), unitMemory, around(8)},
				found{costName(k.name, n, unitLong), unitLong, around(1e5)})
			for unit, v := range map[string]float64{unitWall: 4e6, unitCPU: 5e6, unitMark: 3e6, unitPause: 1e5} {
				with := v + more
				if unit == unitPause {
					with = v + more/20
				}
				list = append(list, found{costName(k.name, n, unit), unit, around(with)}, found{besideName(k.name, n, unit), unit, around(v)})
			}
		}
	}
	return list
}

func without(list []found, gone func(found) bool) (left []found) {
	for _, f := range list {
		if !gone(f) {
			left = append(left, f)
		}
	}
	return left
}

func TestVerdictsAreOfPairs(t *testing.T) {
	e := experiment(quiet())
	explain(e)
	if len(e.Controls) != 12 || e.Controls[0].Verdict != "same" {
		t.Errorf("%d controls, %+v", len(e.Controls), e.Controls)
	}
	verdicts := map[string]string{}
	for _, c := range e.Comparisons {
		if !c.Further && (!strings.HasSuffix(c.Base, "beside") || c.Blocks != 12) {
			t.Errorf("comparison %+v", c)
		}
		verdicts[c.Name+" "+c.Unit] = c.Verdict
	}
	for name, want := range map[string]string{
		"Barrier/refs=pin/n=100000 gc-ns": "slower", "Barrier/refs=c/n=100000/what=mark mark-ns": "same", "Barrier/refs=pin/n=10/what=cpu cpu-ns": "same",
	} {
		if verdicts[name] != want {
			t.Errorf("%s is %s, want %s", name, verdicts[name], want)
		}
	}
	if len(e.Yardsticks) != 1 || e.Yardsticks[0] != "Barrier/refs=none/n=1000/what=store" {
		t.Errorf("yardsticks %q", e.Yardsticks)
	}
}

// Where the control itself differs, little else is proven: not that things are the same
// either.
func TestNoiseProvesNothing(t *testing.T) {
	noisy := quiet()
	for i, f := range noisy {
		if strings.HasSuffix(f.name, "beside") {
			for k := range f.values {
				noisy[i].values[k] *= []float64{0.2, 1, 5, 2}[k%4]
			}
		}
	}
	e := experiment(noisy)
	explain(e)
	for _, c := range append(e.Comparisons, e.Controls...) {
		if c.Verdict == "same" && !c.Further {
			t.Errorf("%+v", c)
		}
	}
}

func TestCharts(t *testing.T) {
	e := experiment(quiet())
	small, large := result.Profile{Name: "a", Unit: "ns", Kinds: []string{"k"}}, result.Profile{Name: "b", Unit: "ns", Kinds: []string{"k"}}
	result.Build(&small).Add(1, result.Call{Function: "f"})
	result.Build(&large).Add(2, result.Call{Function: "f"})
	e.Profiles = []result.Profile{small, large}
	shares := result.Profile{Name: "c", Label: "pins", Unit: "ns", Kinds: []string{"Go code", cpuprofile.Barrier.String(), cpuprofile.Mark.String()}}
	b := result.Build(&shares)
	b.Add(30, result.Call{Function: "f"})
	b.Add(70, result.Call{Function: "f"}, result.Call{Function: "g", Kind: 1})
	e.Profiles = append(e.Profiles, shares)
	explain(e)
	var kinds []result.ChartKind
	for _, c := range e.Charts {
		kinds = append(kinds, c.Kind)
		if c.Kind == result.Flame && (c.Profile.Name != "c" || !strings.HasPrefix(c.Caption, "100 samples.")) {
			t.Errorf("the flame graph is of %s: %s", c.Profile.Name, c.Caption)
		}
	}
	labtest.FullRows(t, e)
	want := []result.ChartKind{result.Bars, result.Bars, result.Flame, result.Grid, result.Grid}
	if len(kinds) != len(want) {
		t.Fatalf("charts are of the kinds %v, want %v", kinds, want)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Errorf("charts are of the kinds %v, want %v", kinds, want)
		}
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	empty := &result.Experiment{}
	explain(empty)
	labtest.SaysNothing(t, empty)
	all := quiet()
	for i := range all {
		all[i].values = all[i].values[:2] // of one process, since there are many to be explained
	}
	for _, f := range all {
		explain(experiment([]found{f}))
	}
	for _, k := range kinds {
		explain(experiment(without(all, func(f found) bool { return strings.Contains(f.name, "="+k.name+"/") })))
	}
	for _, unit := range []string{unitWall, unitCPU, unitMark, unitPause, unitLong, unitMemory, "ns/op"} {
		explain(experiment(without(all, func(f found) bool { return f.unit == unit })))
	}
	withheld := &result.Experiment{Series: []result.Series{{Name: profileName, NotMeasured: "no sample in 1 s"}}}
	explain(withheld)
	if !strings.Contains(labtest.Said(withheld), "There is no flame graph: no sample in 1 s.") {
		t.Errorf("says %s", labtest.Said(withheld))
	}
}
