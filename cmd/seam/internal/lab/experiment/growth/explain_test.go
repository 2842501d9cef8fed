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
		for _, bad := range []string{"NaN", "Inf", " –", "%!"} {
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
