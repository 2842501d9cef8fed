package report

import (
	"fmt"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// summaryLines is how many experiments a summary says something of.
const summaryLines = 12

// WriteSummary writes what several experiments say, one line each where one has room, and how
// to see more. A run of all of them has more than a thousand lines of tables.
func WriteSummary(w io.Writer, run *result.Run, o text.Options) error {
	t := &report{text.New(w, o), false}
	for _, s := range warnings(run) {
		t.warn(s)
	}
	shown, left := 0, 0
	for i := range run.Experiments {
		e := &run.Experiments[i]
		switch {
		case run.Interrupted && !begun(e): // a warning names it
		case !begun(e):
			t.Line(text.Bold, clean(e.Name))
			t.unmeasured(e)
		case shown == summaryLines:
			left++
		default:
			shown++
			head := clean(e.Name)
			said := cleanAll([]string{e.Advice})
			if len(said) == 0 {
				said = cleanAll(e.Findings)
			}
			if len(said) == 0 {
				said = []string{fmt.Sprintf("%d cases were measured.", len(e.Series))}
			}
			t.Paragraph(text.Plain, fmt.Sprintf("%-10s ", head), said[0])
		}
	}
	more := "Tables: --all, or one experiment by name. With charts: --html FILE."
	if left > 0 {
		more = fmt.Sprintf("%d more experiments were measured. ", left) + more
	}
	t.Line(text.Faint, more)
	return t.Flush()
}
