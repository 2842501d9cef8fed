package compare

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// adjusters are the times by which others can be set right, each with the name of its
// experiment. There are none where the runs are from machines that differ or of different
// versions of Go: a base that moves for that reason tells nothing of how a row follows it.
func (t *Table) adjusters(pairs []pair) map[*series]string {
	for _, d := range t.Differences {
		if d.Machine || d.Fact == result.KeyGo {
			return nil
		}
	}
	bases := map[*series]string{}
	for _, p := range pairs {
		if isTime(p.new.unit) && (t.Old.bases[p.new.name] || t.New.bases[p.new.name]) {
			bases[p.new] = experimentOf(p.new.name)
		}
	}
	return bases
}

// experimentOf is the part of a name that all rows of an experiment share. They are
// measured in the same processes.
func experimentOf(name string) string {
	experiment, _, _ := strings.Cut(name, "/")
	return experiment
}

// basesFor are the bases that a row can be set right by, with those of other experiments,
// which confirm them. A base is compared as it is.
func (t *Table) basesFor(row pair, pairs []pair, m metric) []stats.Base {
	if _, is := t.adjust[row.new]; is || m.nature != stats.Time || !isTime(row.new.unit) {
		return nil
	}
	var list []stats.Base
	for _, p := range pairs {
		if experiment, is := t.adjust[p.new]; is {
			list = append(list, stats.Base{
				Pair:   stats.Pair{A: p.old.Sample, B: p.new.Sample},
				Beside: experiment == experimentOf(row.new.name) && p.new.scope == row.new.scope && p.old.scope == row.old.scope,
			})
		}
	}
	return list
}

// adjusted is how many rows were compared at an equal speed of the machine.
func (t *Table) adjusted() (n int) {
	for _, r := range t.Rows {
		if r.Adjusted {
			n++
		}
	}
	return n
}

// writeAdjusted says what the column means.
func (t *Table) writeAdjusted(w *text.Writer) {
	if n := t.adjusted(); n > 0 {
		w.Line(text.Plain, fmt.Sprintf("%s compared at equal speed of the machine (column adjusted): from the time of a row in a process is taken what the base in that process was slower or faster by. Interval and verdict are of that.", quantity.Plural(n, "row is", "rows are")))
	}
}
