package growth

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

type key struct{ name, unit string }

// figures are a machine's that copies 10 bytes per ns, looks up a frame in 50 ns, adjusts a
// pointer in 2 ns, takes 500 ns for a new stack, and 1 µs for a page fault.
func figures() map[key]float64 {
	m := map[key]float64{{startName, unitBytes}: 2048}
	sum := 0.0
	for _, size := range all {
		used := float64(size/2) - 1000
		copied := used / 10
		grown := 500 + copied
		sum += grown
		const call = 10
		m[key{growName(size), unitTime}] = call + grown
		m[key{growName(size) + fewPart, unitTime}] = call + grown + 20
		m[key{growName(size) + manyPart, unitTime}] = call + grown + 2*used/float64(word)
		m[key{growName(size) + framesPart, unitTime}] = call + grown + 50*used/100
		m[key{againName(size), unitTime}] = call
		m[key{copyName(size), unitTime}] = copied
		m[key{makeName(size), unitTime}] = 2 * copied
		m[key{freshName(size), unitTime}] = 900 + sum
		m[key{sameName(size), unitTime}] = 600
		m[key{usedName(size), unitBytes}] = used
		m[key{framesName(size, ""), unitCount}] = 10
		m[key{framesName(size, framesPart), unitCount}] = 10 + used/100
		if size >= leastNew {
			faults := float64(size / 2 / pageSize)
			m[key{newName(size), unitTime}] = call + grown + 1000*faults
			m[key{faultsName(newName(size)), unitFaults}] = faults
			m[key{faultsName(growName(size)), unitFaults}] = 0
		}
	}
	for _, size := range shrunk {
		m[key{shrinkName(size), unitShrink}] = 1000
		m[key{shrinkName(size) + "/what=used", unitBytes}] = float64(size) * 3 / 16
	}
	return m
}

func experiment(m map[key]float64) *result.Experiment {
	e := &result.Experiment{Name: "growth"}
	for k, v := range m {
		e.Series = append(e.Series, result.Series{Name: k.name, Unit: k.unit, Label: k.name, Median: v, Lo: 0.9 * v, Hi: 1.1 * v})
	}
	return e
}

func explained(change func(map[key]float64)) (e *result.Experiment, text string) {
	m := figures()
	if change != nil {
		change(m)
	}
	e = experiment(m)
	explain(e)
	return e, labtest.Said(e)
}

func TestExplain(t *testing.T) {
	_, all := explained(nil)
	_, quick := explained(func(m map[key]float64) {
		for k := range m {
			for _, gone := range []string{"16384", "65536", "131072", "524288", "2097152", "4194304", "8388608"} {
				if strings.Contains(k.name, "to="+gone+"/") {
					delete(m, k)
				}
			}
		}
		for _, p := range []string{fewPart, manyPart, framesPart} {
			delete(m, key{growName(16<<20) + p, unitTime})
		}
	})
	_, unclear := explained(func(m map[key]float64) {
		m[key{shrinkName(32 << 10), unitShrink}] = -3
	})
	_, none := explained(func(m map[key]float64) {
		for k := range m {
			if k.unit != unitBytes {
				delete(m, k)
			}
		}
	})
	_, slow := explained(func(m map[key]float64) {
		m[key{copyName(16 << 20), unitTime}] = 1e9
	})
	_, fast := explained(func(m map[key]float64) {
		m[key{copyName(16 << 20), unitTime}] /= 2
	})
	for _, tt := range []struct{ name, said, want, not string }{
		{"memmove that takes longer", slow, "bytes per ns; memmove alone, between two slices in other memory, took longer here. The same call", "memmove alone at"},
		{"doublings", all, "Growing a stack costs 605 ns to 4 KB, 810 ns to 8 KB, 2.04 µs to 32 KB", ""},
		{"speed", all, "The last copies what was in use at 9.99 bytes per ns; memmove alone was not shown to take a different time. The same call with enough room costs 10.0 ns.", ""},
		{"memmove that takes less", fast, "at 9.99 bytes per ns, memmove alone at 20.0 bytes per ns. The same call", "shown"},
		{"the first", all, "growing to 4 KB takes 605 ns, of which memmove of the 1.02 KB in use is 105 ns", ""},
		{"where copying is most", all, "From 16 KB on, copying is the larger part", ""},
		{"pointers", all, "growing to 16 MB costs 839 µs", ""},
		{"a pointer", all, "nothing but such pointers (2.00 ns a pointer)", ""},
		{"a frame", all, "many small frames (83,886 of them, 50.0 ns each)", ""},
		{"pointers, quick", quick, "What is on the stack matters most: growing to 1 MB costs", ""},
		{"new memory", all, "growing to 16 MB costs 2.89 ms instead of 839 µs: 2,048 page faults instead of 0 are 71 % of it, 1.00 µs each", ""},
		{"all the way", all, "A goroutine that ends with a stack of 16 MB pays 1.68 ms altogether, once; its 13 doublings one by one add up to 1.68 ms. One allocation of as much costs 1.68 ms", ""},
		{"all the way, quick", quick, "ends with a stack of 16 MB pays 1.68 ms altogether, once. One", "one by one"},
		{"shrinks", all, "from 32 KB 1.00 µs (6.00 KB copied, 16 KB given back), from 1 MB", "too little"},
		{"shrinks that can't be told", unclear, "from 32 KB too little to tell", "from 32 KB -"},
		{"advice", all, "take 1 % of a processor: 8 KB 1.71 µs (5,833), 32 KB 4.97 µs (2,011)", "16 MB 1.68 ms (5"},
		{"start", all, "Goroutines started with 2 KB here", ""},
		{"what was published", all, "A published log (2020, Go 1.13.8)", ""},
		{"nothing measured but the start", none, "Goroutines started with 2 KB here", "published"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			labtest.Says(t, tt.said, tt.want, tt.not)
		})
	}
}

func TestCharts(t *testing.T) {
	e, _ := explained(nil)
	if len(e.Charts) != 3 {
		t.Fatalf("%d charts", len(e.Charts))
	}
	for i, lines := range []int{7, 6} {
		c := e.Charts[i]
		if c.Kind != result.Lines || len(c.Lines) != lines {
			t.Errorf("%s: %d lines", c.Title, len(c.Lines))
		}
		for _, l := range c.Lines {
			for _, p := range l.Points {
				if p.X <= 0 || p.Y <= 0 || p.Lo > p.Y || p.Hi < p.Y {
					t.Errorf("%s, %s: %+v", c.Title, l.Label, p)
				}
			}
		}
	}
	if speed := e.Charts[1].Lines[5].Points[3].Y; speed < 9.99 || speed > 10.01 {
		t.Errorf("memmove copies %v bytes per ns", speed)
	}
	grid := e.Charts[2]
	if len(grid.Table.Rows) != len(all) {
		t.Errorf("%d rows", len(grid.Table.Rows))
	}
	labtest.FullRows(t, e)
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	empty := &result.Experiment{}
	explain(empty)
	labtest.SaysNothing(t, empty)
	for k, v := range figures() {
		if strings.Contains(k.name, "to=") && !strings.Contains(k.name, "to=4096/") && !strings.Contains(k.name, "to=16777216/") {
			continue // like those
		}
		explain(experiment(map[key]float64{k: v}))
		_, text := explained(func(m map[key]float64) { delete(m, k) })
		_, zero := explained(func(m map[key]float64) { m[k] = 0 })
		for _, bad := range []string{"NaN", "Inf", "–", "%!"} {
			if strings.Contains(text+zero, bad) {
				t.Errorf("without %v it says %q:\n%s\n%s", k, bad, text, zero)
			}
		}
	}
}

// What a run leaves unmeasured must not be looked for under another name.
func TestExplainKnowsTheNames(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Experiment.Cases(lab.Normal) {
		names[c.Name] = true
	}
	for k := range figures() {
		if k.unit == unitTime && !names[k.name] {
			t.Errorf("no case gives %s", k.name)
		}
	}
}
