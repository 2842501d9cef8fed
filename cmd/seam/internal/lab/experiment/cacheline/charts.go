package cacheline

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (t table) charts() []result.Chart {
	var list []result.Chart
	for _, c := range []struct {
		title, caption string
		names          []string
	}{
		{"A call with one of many structs", "In a large array, in random order. The hollow mark is the published figure.", t.names(cold)},
		{"A call with a struct in the L1 cache", "64 structs side by side.", t.names(hot)},
		{"Two threads, each with its own", "The mean of both threads, one call or one addition.", sharingNames()},
	} {
		chart := result.Chart{Kind: result.Bars, Title: c.title, Caption: c.caption, Unit: "ns"}
		for _, n := range c.names {
			if s := t.Find(n, unitTime); s != nil {
				chart.Bars = append(chart.Bars, s.Bar())
			}
		}
		if len(chart.Bars) > 1 {
			list = append(list, chart)
		}
	}
	if c, ok := t.grid("Times by layout", "The median of one call.", timeColumns()); ok {
		list = append(list, c)
	}
	const caption = "Lines of a struct in an array: by the addresses of this run, and by the layout alone. Split: structs on more lines than their fields need, and fields on two lines."
	if c, ok := t.grid("Lines by layout", caption, lineColumns()); ok {
		list = append(list, c)
	}
	return list
}

func (t table) names(place string) (list []string) {
	for _, s := range sets {
		for _, shape := range shapes {
			for _, layout := range layouts {
				if s.place == place {
					list = append(list, name(layout, shape, s))
				}
			}
		}
	}
	return list
}

func sharingNames() (list []string) {
	for _, via := range []string{viaLeaf, viaCgo} {
		for _, s := range sharings {
			list = append(list, s.name(via))
		}
	}
	for _, s := range counters {
		list = append(list, s.name(viaCounter))
	}
	return list
}

// A column is a head and what is under it: a figure and how it is written.
type column struct {
	head, unit, format string
	name               func(layout, shape string) string
}

// lineColumns and timeColumns are the two tables; together they are too wide for a page.
func lineColumns() []column {
	return []column{
		{"bytes", unitSize, "%.0f", linesName},
		{"lines", unitLines, "%.2f", linesName},
		{"by layout", unitLayout, "%.2f", linesName},
		{"split", unitSplit, "%.0f %%", linesName},
		{"fields split", unitFields, "%.1f %%", linesName},
	}
}

func timeColumns() (list []column) {
	for _, s := range sets {
		list = append(list, column{s.place + " " + s.via, unitTime, "%.1f ns", func(layout, shape string) string { return name(layout, shape, s) }})
	}
	return list
}

// grid is a row for each struct and layout.
func (t table) grid(title, caption string, columns []column) (result.Chart, bool) {
	g := &result.Table{Head: []string{"struct", "layout"}}
	for _, c := range columns {
		g.Head = append(g.Head, c.head)
	}
	for _, shape := range shapes {
		for _, layout := range layouts {
			row, found := []string{shape, layout}, false
			for _, c := range columns {
				cell := quantity.Missing
				if s := t.Find(c.name(layout, shape), c.unit); s != nil {
					cell, found = fmt.Sprintf(c.format, s.Median), true
				}
				row = append(row, cell)
			}
			if found {
				g.Rows = append(g.Rows, row)
			}
		}
	}
	return result.Chart{Kind: result.Grid, Title: title, Caption: caption, Table: g}, len(g.Rows) > 0
}
