package cacheline

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func (t analysis) draw() {
	for _, c := range []struct {
		title, caption string
		names          []string
	}{
		{"A call with one of many structs", "In a large array, in random order. The hollow mark is the published figure.", t.names(cold)},
		{"A call with a struct in the L1 cache", "64 structs side by side.", t.names(hot)},
		{"Two threads, each with its own", "The mean of both threads, one call or one addition.", sharingNames()},
	} {
		t.Draw(t.Bars(result.Chart{Title: c.title, Caption: c.caption, Unit: "ns"}, unitTime, c.names...))
	}
	t.grid("Times by layout", "The median of one call.", timeColumns())
	const caption = "Lines of a struct in an array: by the addresses of this run, and by the layout alone. Split: structs on more lines than their fields need, and fields on two lines."
	t.grid("Lines by layout", caption, lineColumns())
}

func (t analysis) names(place string) (list []string) {
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
func (t analysis) grid(title, caption string, columns []column) {
	g := &result.Table{Head: []string{"struct", "layout"}}
	for _, c := range columns {
		g.Head = append(g.Head, c.head)
	}
	for _, shape := range shapes {
		for _, layout := range layouts {
			var cells []lab.Cell
			for _, c := range columns {
				cells = append(cells, lab.Cell{Name: c.name(layout, shape), Unit: c.unit,
					Write: func(v float64) string { return fmt.Sprintf(c.format, v) }})
			}
			t.Row(g, []string{shape, layout}, cells)
		}
	}
	t.Draw(result.Chart{Kind: result.Grid, Title: title, Caption: caption, Table: g})
}
