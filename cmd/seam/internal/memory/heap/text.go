package heap

import (
	"fmt"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// TextOptions say how much of a report is shown.
type TextOptions struct {
	text.Options
	All bool // all stacks
}

// shown is how many stacks the table has.
const shown = 12

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	t := text.New(w, o.Options)
	for _, m := range r.Missing {
		t.Line(text.Caution, "Nothing was recorded "+m+".")
	}
	t.Line(text.Bold, r.Sentence())
	style := text.Plain
	if r.Verdict.Class.Grows() {
		style = text.Caution
	}
	t.Line(style, r.judged())
	for _, o := range r.Others {
		if o.Class.Grows() {
			t.Line(text.Caution, fmt.Sprintf("Process %d (%s) beside it: what C has allocated and not freed rises until the end, since the first quarter of the run by %s%s.", o.PID, base(o.Exe), size(o.Grew), verdict.StillFilling))
		}
	}
	if a := r.Account; a != nil {
		t.Line(text.Plain, a.Sentence())
	}
	for _, note := range r.Notes {
		t.Line(text.Caution, "Note: "+note+".")
	}
	if len(r.Sites) > 0 {
		t.WriteByte('\n')
		r.table(t, o.All)
	}
	if len(r.Others) > 0 {
		t.Line(text.Faint, fmt.Sprintf("This is process %d, %s; %s recorded beside it, at most %s.", r.PID, base(r.Exe), quantity.Plural(len(r.Others), "other was", "others were"), size(r.Others[0].Peak)))
	}
	return t.Flush()
}

func (r *Report) table(t *text.Writer, all bool) {
	columns := []*text.Column{
		{Head: "live", Rank: 8}, {Head: "blocks", Rank: 3}, {Head: "grew", Rank: 7}, {Head: "at peak", Rank: 2}, {Head: "allocated", Rank: 4}, {Head: "temporary", Rank: 1},
		{Head: "", Left: true, Rank: 5}, {Head: "by", Left: true, Rank: 9, Least: 44},
	}
	for i, p := range r.Sites {
		if i >= shown && !all {
			break
		}
		what := string(p.Class)
		if p.Mapped {
			what = "mmap"
		}
		short := ""
		if p.Short > 0 {
			short = fmt.Sprintf("%.0f %%", 100*float64(p.ShortObjects)/float64(max(1, p.Objects)))
		}
		text.Add(columns, size(p.Live), fmt.Sprint(p.LiveObjects), size(p.Grew), size(p.Peak), size(p.Bytes), short, what, p.String())
	}
	t.Table(text.Table{Columns: columns, Rule: true})
	if n := len(r.Sites) - shown; n > 0 && !all {
		t.Line(text.Faint, fmt.Sprintf("%s more: --all shows them.", quantity.Plural(n, "stack")))
	}
}
