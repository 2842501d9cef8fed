package errorpath

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (t analysis) charts() {
	for _, c := range []struct {
		title, caption, label, unit, chartUnit string
	}{
		{"Time of one decode", "Types are decoded in turn; more types have more objects and messages, which costs all layouts alike.", "time of a decode", unitTime, "ns"},
		{"Code of the decoders in use", t.cacheCaption(), "bytes of code", unitCode, "B"},
		{"L1 instruction misses of one decode", "Counted by " + t.counter() + ".", "misses of a decode", unitMisses, ""},
	} {
		chart := result.Chart{Kind: result.Lines, Title: c.title, Caption: c.caption, XLabel: "struct types in rotation", YLabel: c.label, Unit: c.chartUnit}
		if c.unit == unitTime {
			chart.Marks = t.marks()
		}
		points := 0
		for _, l := range layouts {
			line := result.Line{Label: l, Look: 1 + slices.Index(layouts, l)}
			for _, n := range t.sizes() {
				if s := t.Find(name(l, n), c.unit); s != nil && s.Median > 0 {
					line.Points = append(line.Points, result.Point{X: float64(n), Y: s.Median, Lo: s.Lo, Hi: s.Hi})
				}
			}
			if points = max(points, len(line.Points)); len(line.Points) > 0 {
				chart.Lines = append(chart.Lines, line)
			}
		}
		if points > 1 {
			t.Draw(chart)
		}
	}
	t.Draw(t.grid())
}

func (t analysis) cacheCaption() string {
	if t.cache == 0 {
		return "Without the run-time library."
	}
	return fmt.Sprintf("Without the run-time library. The L1 instruction cache has %s.", quantity.Bytes(t.cache))
}

// marks is where the code of bare outgrows the cache, on the line between two
// measured sizes.
func (t analysis) marks() []result.Mark {
	var last float64
	var lastTypes int
	for _, n := range t.sizes() {
		code, ok := t.median(layouts[0], n, unitCode)
		if !ok || t.cache == 0 {
			return nil
		}
		if code > t.cache {
			if lastTypes == 0 {
				return nil
			}
			share := (t.cache - last) / (code - last)
			return []result.Mark{{X: float64(lastTypes) + share*float64(n-lastTypes), Label: "bare fills the L1i"}}
		}
		last, lastTypes = code, n
	}
	return nil
}

// grid is everything in one table.
func (t analysis) grid() result.Chart {
	g := &result.Table{Head: []string{"types", "layout", "ns", "vs bare", "95 %", "code", "of L1i", "L1i misses"}}
	for _, n := range t.sizes() {
		for _, l := range layouts {
			s := t.Find(name(l, n), unitTime)
			if s == nil {
				continue
			}
			row := []string{fmt.Sprint(n), l, quantity.Number(s.Median), "–", "–", "–", "–", "–"}
			if c := t.Compared(name(l, n)); c != nil && c.Ratio > 0 {
				row[3], row[4] = quantity.NearOne(c.Ratio), quantity.Interval(c.Lo, c.Hi, "×")
			}
			if code, ok := t.median(l, n, unitCode); ok {
				row[5] = quantity.Bytes(code)
				if t.cache > 0 {
					row[6] = fmt.Sprintf("%.2g×", code/t.cache)
				}
			}
			if m, ok := t.median(l, n, unitMisses); ok {
				row[7] = fmt.Sprintf("%.1f", m)
			}
			g.Rows = append(g.Rows, row)
		}
	}
	return result.Chart{
		Kind:    result.Grid,
		Title:   "Error paths by layout and number of types",
		Caption: "Time and misses are of one decode; code is that of all decoders in use.",
		Table:   g,
	}
}
