package growth

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Looks of the lines: the same thing has the same in both charts.
const (
	lookLarge = 1 + iota
	lookFew
	lookMany
	lookFrames
	lookNew
	lookCopy
	lookMake
)

// A curve is one line of the charts.
type curve struct {
	label string
	look  int
	name  func(uintptr) string
	grows bool // the price of the call itself is to be taken off
}

func part(p string) func(uintptr) string {
	return func(size uintptr) string { return growName(size) + p }
}

var curves = []curve{
	{"large frames", lookLarge, growName, true},
	{"few pointers", lookFew, part(fewPart), true},
	{"many pointers", lookMany, part(manyPart), true},
	{"many frames", lookFrames, part(framesPart), true},
	{"new memory", lookNew, newName, true},
	{"memmove", lookCopy, copyName, false},
}

func (f analysis) of(c curve, size uintptr) (price, bool) {
	if c.grows {
		return f.price(c.name(size), size)
	}
	if s := f.Find(c.name(size), unitTime); s != nil && s.Median > 0 {
		return price{s.Median, s.Lo, s.Hi}, true
	}
	return price{}, false
}

func (f analysis) times() result.Chart {
	c := result.Chart{
		Kind: result.Lines, Title: "The cost of a doubling", XLabel: "bytes of the new stack", YLabel: "time", Unit: "ns",
		Caption: "The cost of a call that the stack has no room for, beyond the same call with room. Half of the new stack was in use. Memmove and make are shown for comparison.",
	}
	for _, k := range append(curves[:len(curves):len(curves)], curve{"make", lookMake, makeName, false}) {
		line := result.Line{Label: k.label, Look: k.look, Dashed: !k.grows}
		for _, size := range all {
			if p, ok := f.of(k, size); ok {
				line.Points = append(line.Points, result.Point{X: float64(size), Y: p.value, Lo: p.lo, Hi: p.hi})
			}
		}
		if len(line.Points) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	return c
}

func (f analysis) speeds() result.Chart {
	c := result.Chart{
		Kind: result.Lines, Title: "Bytes copied per nanosecond", XLabel: "bytes of the new stack", YLabel: "bytes per ns",
		Caption: "Bytes in use before the growth over its cost.",
	}
	for _, k := range curves {
		line := result.Line{Label: k.label, Look: k.look, Dashed: !k.grows}
		for _, size := range all {
			used, ok1 := f.positive(usedName(size), unitBytes)
			p, ok2 := f.of(k, size)
			if !ok1 || !ok2 {
				continue
			}
			point := result.Point{X: float64(size), Y: used / p.value}
			if p.lo > 0 {
				point.Lo, point.Hi = used/p.hi, used/p.lo
			}
			line.Points = append(line.Points, point)
		}
		if len(line.Points) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	return c
}

func (f analysis) grid() result.Chart {
	t := &result.Table{Head: []string{"to", "in use", "first", "few pointers", "many", "many frames", "new memory", "faults", "all the way", "make"}}
	for _, size := range all {
		row, some := []string{bytes(size)}, false
		add := func(v float64, unit string, ok bool) {
			cell := quantity.Missing
			if ok {
				if cell, some = quantity.Format(v, unit), true; unit == unitBytes {
					cell = amount(v)
				}
			}
			row = append(row, cell)
		}
		used, ok := f.Median(usedName(size), unitBytes)
		add(used, unitBytes, ok)
		for _, k := range curves {
			if k.grows {
				p, ok := f.of(k, size)
				add(p.value, "ns", ok)
			}
		}
		faults, ok := f.Median(faultsName(newName(size)), unitFaults)
		add(faults, "count", ok)
		way, ok := f.way(size)
		add(way, "ns", ok)
		made, ok := f.Median(makeName(size), unitTime)
		add(made, "ns", ok)
		if some {
			t.Rows = append(t.Rows, row)
		}
	}
	return result.Chart{Kind: result.Grid, Title: "Every doubling", Table: t,
		Caption: "Without the cost of the call itself. Faults are page faults with new memory. All the way: a fresh goroutine with all its doublings, less the same work on a goroutine that has grown. Make: one allocation of the same size, touched."}
}
