package barrier

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (f analysis) charts() {
	n := f.typical(markedName)
	for _, c := range []struct {
		title, caption, unit, shown string
		named                       func(string, int) string
		n                           int
	}{
		{"Storing a reference while the collector marks", fmt.Sprintf("Into a table of %s, over and over.", quantity.Number(float64(n))), "ns/op", "ns", markedName, n},
		{"A collection with 100,000 references", "Wall time of runtime.GC, next to 100,000 objects of 64 bytes. The first bar is without references.", unitWall, "ns", cost(unitWall), 100_000},
	} {
		chart := result.Chart{Kind: result.Bars, Title: c.title, Caption: c.caption, Unit: c.shown}
		for _, k := range kinds {
			if s := f.Find(c.named(k.name, c.n), c.unit); s != nil {
				b := s.Bar()
				b.Label = k.label
				chart.Bars = append(chart.Bars, b)
			}
		}
		f.Draw(chart)
	}
	if p := f.largest(); p != nil {
		f.Charts = append(f.Charts, result.Chart{Kind: result.Flame, Title: "Where the time goes under collections: " + p.Label, Profile: p,
			Caption: f.samples() + "CPU time of a goroutine that stores references and of the collector, which starts again as soon as it is done. Callers are above what they call; width is time."})
	}
	f.Draw(f.oneReference(), f.oneCollection())
}

// largest is the profile with the most time in it: processes may disagree about which
// references cost most.
func (f analysis) largest() *result.Profile {
	var largest *result.Profile
	for i := range f.Profiles {
		if p := &f.Profiles[i]; largest == nil || p.Total() > largest.Total() {
			largest = p
		}
	}
	return largest
}

// samples says how many there were, where that is known.
func (f analysis) samples() string {
	s := f.Find(profileName, "count")
	if s == nil {
		return ""
	}
	sum := 0.0
	for _, x := range s.Samples {
		sum += x.Value
	}
	return fmt.Sprintf("%s samples. ", quantity.Tick(sum, ""))
}

// A cell is a column of a table: which series, in which unit.
type cell struct {
	named func(string, int) string
	unit  string
}

// row adds what was measured with n references of a kind to a table.
func (f analysis) row(t *result.Table, k kind, n int, cells []cell) {
	var list []lab.Cell
	for _, c := range cells {
		list = append(list, lab.Cell{Name: c.named(k.name, n), Unit: c.unit,
			Write: func(v float64) string { return quantity.Format(v, c.unit) }})
	}
	f.Row(t, []string{k.label, quantity.Compact(float64(n))}, list)
}

func (f analysis) oneReference() result.Chart {
	t := &result.Table{Head: []string{"references", "n", "store", "while marking", "renew"}}
	for _, n := range sizes {
		for _, k := range kinds {
			f.row(t, k, n, []cell{{restName, "ns/op"}, {markedName, "ns/op"}, {renewName, "ns/op"}})
		}
	}
	return result.Chart{Kind: result.Grid, Title: "One reference", Table: t,
		Caption: "Storing it while the collector is idle and while it marks; dropping it and making another."}
}

// costs is the column of what a collection costs in a unit.
func costs(unit string) cell { return cell{cost(unit), unit} }

func cost(unit string) func(string, int) string {
	return func(kind string, n int) string { return costName(kind, n, unit) }
}

func (f analysis) oneCollection() result.Chart {
	t := &result.Table{Head: []string{"references", "n", "time", "CPU", "mark", "pauses", "longest", "heap"}}
	for _, n := range slices.Backward(sizes) {
		for _, k := range kinds {
			f.row(t, k, n, []cell{costs(unitWall), costs(unitCPU), costs(unitMark), costs(unitPause), costs(unitLong), costs(unitMemory)})
		}
	}
	return result.Chart{Kind: result.Grid, Title: "One collection", Table: t,
		Caption: "Next to n objects of 64 bytes. Heap is the bytes of one reference."}
}
