package lifetime

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (t analysis) charts() {
	for _, c := range []struct{ group, title, caption string }{
		{toC, "Bytes to C, one call", "C looks at the first and the last byte."},
		{fromC, "Bytes from C, one call", "C writes all bytes, Go looks at the first and the last."},
		{keep, "A Go value to C and back", "With one cgo call, which hands back what it is given."},
	} {
		chart := result.Chart{Kind: result.Bars, Title: c.title, Caption: c.caption, Unit: "ns"}
		for _, w := range ways() {
			if s := t.Find(w.name(), unitTime); s != nil && w.group == c.group {
				chart.Bars = append(chart.Bars, s.Bar())
			}
		}
		t.Draw(chart)
	}
	t.Draw(t.grid(toC), t.grid(fromC), t.grid(keep))
}

// grid is time, memory and verdict of a group's idioms in one table. A verdict on several
// values takes a row for each: the table must fit a page.
func (t analysis) grid(group string) result.Chart {
	bytes, heads := sizes, []string{"idiom"}
	if group == keep {
		bytes = []int{0}
	}
	of, caption := "", "Go: allocations of a call and their bytes. malloc: the bytes asked of it."
	for _, n := range bytes {
		if n == 0 {
			heads = append(heads, "time")
			continue
		}
		heads = append(heads, fmt.Sprintf("%d B", n))
		of = fmt.Sprintf(" Both with %d bytes.", n) // the last
	}
	g := &result.Table{Head: append(heads, "Go", "malloc", "the compiler")}
	for _, d := range idioms {
		if d.group != group {
			continue
		}
		row, found := []string{d.label}, false
		add := func(cell string) {
			if cell == "" {
				cell = quantity.Missing
			} else {
				found = true
			}
			row = append(row, cell)
		}
		for _, n := range bytes {
			add(t.time(way{d, n}))
		}
		last := way{d, bytes[len(bytes)-1]}
		add(t.goMemory(last))
		add(t.cMemory(last))
		text, _ := t.verdict(d)
		values := strings.Split(short(text), "; ")
		add(values[0])
		if !found {
			continue
		}
		g.Rows = append(g.Rows, row)
		for _, more := range values[1:] {
			next := make([]string, len(row))
			next[len(row)-1] = more
			g.Rows = append(g.Rows, next)
		}
	}
	return result.Chart{
		Kind:    result.Grid,
		Title:   "Time, memory and verdict: " + group,
		Caption: caption + of + " The last column is what the compiler says of the function's values, and where they are passed to.",
		Table:   g,
	}
}

var passed = regexp.MustCompile(`\(passed to ([^)]+)\)`)

// short is a verdict in fewer letters: it leaves out the package of the function that
// a value is passed to, unless that is C.
func short(text string) string {
	return passed.ReplaceAllStringFunc(text, func(all string) string {
		name := passed.FindStringSubmatch(all)[1]
		if !strings.HasPrefix(name, "C.") {
			name = name[strings.LastIndexByte(name, '.')+1:]
		}
		return "(to " + name + ")"
	})
}

// The cells are empty where there is no figure.

func (t analysis) time(w way) string {
	if ns, ok := t.Median(w.name(), unitTime); ok {
		return quantity.Time(ns)
	}
	return ""
}

func (t analysis) goMemory(w way) string {
	allocs, ok := t.Median(w.name(), unitAllocs)
	size, okSize := t.Median(w.name(), unitGo)
	switch {
	case !ok || !okSize:
		return ""
	case allocs < 1:
		return "0"
	}
	return fmt.Sprintf("%.0f: %.0f B", allocs, size)
}

func (t analysis) cMemory(w way) string {
	switch c, ok := t.Median(w.name(), unitC); {
	case !ok:
		return ""
	case c < 1:
		return "0"
	default:
		return fmt.Sprintf("%.0f B", c)
	}
}
