package compare

import (
	"fmt"
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A Drift is what the machine did to all rows between the runs, as far as the
// rows themselves can tell. A row is faster or slower only where its interval
// lies outside [stats.Drift.Band], widened for rows that spread more.
type Drift struct {
	stats.Drift
	Rows int // how many rows tell of it; 0: none could
	// Guessed is set where no row is known to be free of the code under test,
	// and the median of all stands in. A change that hit most rows alike looks
	// the same, so a reader must be told.
	Guessed bool
}

// mostGuessed is the largest shift of all rows that is put down to the machine
// without a row that is known to be free of the code under test.
const mostGuessed = 0.05

// driftOf estimates the drift: from the bases of the lab's comparisons where
// the files name them, else from all rows of time together.
func driftOf(pairs []pair, old, new *File) Drift {
	var bases, all []stats.Pair
	for _, p := range pairs {
		if !isTime(p.new.unit) {
			continue
		}
		both := stats.Pair{A: p.old.Sample, B: p.new.Sample}
		all = append(all, both)
		if old.bases[p.new.name] || new.bases[p.new.name] {
			bases = append(bases, both)
		}
	}
	if d, ok := stats.DriftOf(bases); ok {
		return Drift{Drift: d, Rows: len(bases)}
	}
	if d, ok := stats.DriftOfAll(all); ok {
		return Drift{Drift: d, Rows: len(all), Guessed: true}
	}
	return Drift{}
}

// trusted is the drift that verdicts allow for. A shift of all rows that is more
// than a machine drifts, or that they don't share, is not taken for one.
func (d Drift) trusted() stats.Drift {
	if d.Guessed && math.Abs(d.Shift)+d.Reach > math.Log1p(mostGuessed) {
		return stats.Drift{Spread: d.Spread}
	}
	return d.Drift
}

// in is the drift of values of a unit: the machine's speed moves times and what
// is counted per second, but neither sizes nor counts.
func in(d stats.Drift, unit string) stats.Drift {
	switch {
	case isTime(unit):
		return d
	case perSecond(unit):
		return d.Inverse()
	}
	return stats.Drift{Spread: d.Spread}
}

// A Change is how many times more the new run needs than the old, drift taken
// off: 1.1 is 10 % more.
type Change struct{ Ratio, Lo, Hi float64 }

// changeOf takes drift off a comparison. Only a machine that got slower is
// allowed for: one that got faster hides a slowdown, but doesn't prove it. What
// is not known about the drift widens the interval as independent errors do.
func changeOf(c stats.Comparison, d stats.Drift, higherBetter bool) Change {
	switch {
	case d.Shift == 0 && d.Reach == 0 && higherBetter:
		return Change{1 / c.Ratio, 1 / c.Hi, 1 / c.Lo}
	case d.Shift == 0 && d.Reach == 0: // as an exact step up from 0 has it
		return Change{c.Ratio, c.Lo, c.Hi}
	}
	center, lo, hi := math.Log(c.Ratio), math.Log(c.Lo), math.Log(c.Hi)
	if higherBetter {
		center, lo, hi = -center, -hi, -lo
		d = d.Inverse()
	}
	shift := max(0, d.Shift)
	return Change{
		Ratio: math.Exp(center - shift),
		Lo:    math.Exp(center - shift - math.Hypot(center-lo, d.Reach)),
		Hi:    math.Exp(center - shift + math.Hypot(hi-center, d.Reach)),
	}
}

// writeDrift says what the machine did and what follows for the verdicts.
func (t *Table) writeDrift(w *text.Writer) {
	d := t.Drift
	if d.Rows == 0 {
		return
	}
	moved := fmt.Sprintf("%s (%s to %s)", signed(math.Exp(d.Shift)), signed(math.Exp(d.Shift-d.Reach)), signed(math.Exp(d.Shift+d.Reach)))
	lo, hi := d.trusted().Band()
	band := signed(lo) + " to " + signed(hi)
	switch {
	case !d.Guessed:
		rows := "The base row"
		if d.Rows > 1 {
			rows = fmt.Sprintf("The %d base rows", d.Rows)
		}
		if math.Abs(d.Shift) > d.Reach {
			w.Line(text.Plain, fmt.Sprintf("%s moved by %s: %s, not the program.", rows, moved, t.mover()))
		} else if d.Reach <= math.Log1p(mostGuessed) {
			w.Line(text.Plain, fmt.Sprintf("%s moved by %s: the machine shows no drift.", rows, moved))
		} else {
			w.Line(text.Plain, fmt.Sprintf("%s moved by %s: too noisy to say whether the machine drifted.", rows, moved))
		}
		where := "D"
		if t.adjusted() > 0 {
			where = "In rows that are not adjusted, d"
		}
		w.Line(text.Plain, fmt.Sprintf("%sifferences of %s may be the machine's, larger ones too where processes spread more.", where, band))
	case d.trusted().Reach != d.Reach:
		if math.Abs(d.Shift) > d.Reach {
			w.Line(text.Plain, fmt.Sprintf("The median of %d rows moved by %s. No row is known to be unaffected by the change, so machine and program can't be told apart; nothing was attributed to the machine.", d.Rows, moved))
		}
	default:
		w.Line(text.Plain, fmt.Sprintf("The median of %d rows moved by %s. No row is known to be unaffected by the change, so this may be the machine or the program: differences of %s stay undecided.", d.Rows, moved, band))
	}
}

// mover is what may have moved rows that hold none of the code under test.
func (t *Table) mover() string {
	for _, d := range t.Differences {
		if d.Fact == result.KeyGo {
			return "the machine or the Go version"
		}
	}
	return "the machine"
}

// signed is how far a ratio is from 1: "+3.4 %".
func signed(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
