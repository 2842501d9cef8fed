package plan

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// shown is how many functions of a kind the summary has at most.
const shown = 10

// leastWords is how narrow a column of words may become.
const leastWords = 20

// WriteText writes a summary for people: how many leaves there are, which gain
// most, and which often called functions stay with cgo and why.
func (r *Result) WriteText(w io.Writer, o text.Options) error {
	t := text.New(w, o)
	direct := r.Direct()
	by, gain, earlier := map[Basis]int{}, Range{}, 0
	for _, d := range direct {
		gain = gain.plus(d.Gain)
		if d.Basis == Earlier {
			earlier++
		}
		if d.Mode == Leaf {
			by[d.Basis]++
		}
	}
	bases := fmt.Sprintf("%d proven, %d observed", by[Proven], by[Observed])
	if by[Earlier] > 0 {
		bases += fmt.Sprintf(", %d earlier", by[Earlier])
	}
	if by[Kept] > 0 {
		bases += fmt.Sprintf(", %d kept", by[Kept])
	}
	coro, park, head := "", "", "Leaf"
	if n := r.count(Coro); n > 0 {
		coro, head = fmt.Sprintf("%d coro, ", n), "Leaf and coro"
	}
	if n := r.count(Park); n > 0 {
		park = fmt.Sprintf("%d park, ", n)
	}
	t.Line(text.Plain, fmt.Sprintf("%d functions: %d leaf (%s), %s%s%d cgo", len(r.Decisions), r.count(Leaf), bases, coro, park, len(r.Decisions)-len(direct)-r.count(Park)))
	if earlier > 0 {
		t.Line(text.Plain, quantity.Plural(earlier, "line stays as an earlier trace had it: this one has too few calls of its function",
			"lines stay as an earlier trace had them: this one has too few calls of their functions")+".")
	}
	t.Line(text.Plain, r.gained(head, gain))
	if views := r.viewed(); views != "" {
		t.Line(text.Plain, views)
	}
	if reused := r.reused(); reused != "" {
		t.Line(text.Plain, reused)
	}
	some := direct[:min(shown, len(direct))]
	columns := []*text.Column{
		{Head: "function", Left: true, Least: leastWords, Wrap: true},
		{Left: true, StyleOf: func(row int) lipgloss.Style {
			if some[row].Basis == Proven {
				return text.Good
			}
			return text.Plain
		}},
		{Head: "calls"},
		{Head: "saves"},
		{Head: "of the program", Style: text.Bold},
	}
	for _, d := range some {
		saved := quantity.Missing
		if d.Gain.Lo > 0 {
			saved = quantity.Time(d.Gain.Lo)
		}
		share := quantity.Missing
		if s := d.Gain.of(r.Program); s.Hi > 0 {
			share = s.String()
		}
		what := string(d.Basis)
		if d.Mode == Coro {
			what = string(Coro)
		}
		text.Add(columns, short(d.Entry), what, quantity.Compact(float64(d.Calls)), saved, share)
	}
	list(t, head, columns, len(direct)-len(some))
	if r.Program.Hi > 0 && len(some) > 0 {
		t.Line(text.Faint, "Shares are of processor time without tracing, which a trace tells only within bounds; their upper end has the allocations that a leaf may save. seam weld --compare measures it.")
	}
	r.writeParked(t)

	var others []Decision
	for _, d := range r.Decisions {
		if d.Mode == Cgo && d.Calls > 0 {
			others = append(others, d)
		}
	}
	slices.SortStableFunc(others, func(a, b Decision) int {
		return cmp.Or(-cmp.Compare(a.Stake, b.Stake), -cmp.Compare(a.Calls, b.Calls), strings.Compare(a.Path(), b.Path()))
	})
	some = others[:min(shown, len(others))]
	columns = []*text.Column{
		{Head: "function", Left: true, Least: leastWords, Wrap: true},
		{Head: "because", Left: true, Least: leastWords, Wrap: true},
		{Head: "calls"},
		{Head: "at stake"},
	}
	for _, d := range some {
		text.Add(columns, short(d.Entry), d.Comment, quantity.Compact(float64(d.Calls)), r.stake(d.Stake))
	}
	list(t, "Stay with cgo, those that could save most", columns, len(others)-len(some))
	writeWaysOut(t, some)
	return t.Flush()
}

// writeParked writes those that take most threads first.
func (r *Result) writeParked(t *text.Writer) {
	var parked []Decision
	for _, d := range r.Decisions {
		if d.Mode == Park && d.Waited != "" {
			parked = append(parked, d)
		}
	}
	slices.SortStableFunc(parked, func(a, b Decision) int {
		return cmp.Or(-cmp.Compare(a.AtOnce, b.AtOnce), -cmp.Compare(a.Calls, b.Calls), strings.Compare(a.Path(), b.Path()))
	})
	columns := []*text.Column{
		{Head: "function", Left: true, Least: leastWords, Wrap: true},
		{Head: "waits in", Left: true, Least: leastWords, Wrap: true},
		{Head: "calls"},
		{Head: "threads at once", Style: text.Bold},
	}
	some := parked[:min(shown, len(parked))]
	for _, d := range some {
		text.Add(columns, short(d.Entry), d.Waited, quantity.Compact(float64(d.Calls)), quantity.Count(uint64(d.AtOnce)))
	}
	list(t, "Park, so that waiting takes no thread", columns, len(parked)-len(some))
	if len(parked) > 0 {
		t.Line(text.Plain, "Parking saves threads. Where C's stacks are deep it may take more memory than it saves; threads: 16, in place of the park lines, bounds both, and calls beyond that wait in Go. A parked call is handed to another thread and back, which takes 10 µs or more: where calls wait shortly, the program may be slower. seam weld --compare shows both.")
	}
	var local []string
	for _, d := range parked {
		local = append(local, d.local...)
	}
	if slices.Sort(local); len(local) > 0 {
		t.Line(text.Plain, "Libraries that wait here and have data for each thread, which parked calls of one thread share while they wait: "+
			strings.Join(slices.Compact(local), ", ")+".")
	}
}

// stake is what a function could have saved.
func (r *Result) stake(ns float64) string {
	share := exactly(ns).of(r.Program)
	switch {
	case ns == 0:
		return quantity.Missing
	case share.Hi > 0:
		return fmt.Sprintf("%s (%s)", quantity.Time(ns), share)
	}
	return quantity.Time(ns)
}

// writeWaysOut says, for each kind of reason, what can be done about it.
func writeWaysOut(t *text.Writer, list []Decision) {
	told := map[string]bool{}
	for _, d := range list {
		reason, way := d.Why.WayOut()
		if way == "" || told[reason] {
			continue
		}
		if len(told) == 0 {
			t.WriteString("\n")
		}
		told[reason] = true
		t.Line(text.Faint, reason+": "+way+".")
	}
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// short is a function with the end of its import path: "go-sqlite3.sqlite3_step".
func short(e Entry) string {
	parts := strings.Split(e.Package, "/")
	n := len(parts) - 1
	if n > 0 && majorVersion.MatchString(parts[n]) {
		n--
	}
	return quantity.Printable(strings.Join(parts[n:], "/") + "." + e.Func)
}

// list writes a table under a title. more is how many rows it leaves out.
func list(t *text.Writer, title string, columns []*text.Column, more int) {
	if len(columns[0].Cells) == 0 {
		return
	}
	t.WriteString("\n")
	t.Line(text.Bold, title)
	t.Table(text.Table{Columns: columns, Rule: true})
	if more > 0 {
		t.Line(text.Faint, fmt.Sprintf("and %d more", more))
	}
}
