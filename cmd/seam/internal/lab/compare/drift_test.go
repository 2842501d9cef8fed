package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A computer makes runs of the lab: five processes of two bases and six other
// rows, everything slower by drift, and a row by what the test wants.
type computer struct {
	rnd   *rand.Rand
	drift float64
	slow  map[string]float64
	bases string
}

func (m computer) run() string {
	var b strings.Builder
	if m.bases != "" {
		fmt.Fprintf(&b, "#seam bases: %s\n", m.bases)
	}
	for round := range 5 {
		fmt.Fprintf(&b, "#seam round: %d\n", round)
		for i, name := range []string{"Base/a", "Base/b", "A", "B", "C", "D", "E", "F"} {
			v := float64(10+i) * (1 + m.drift) * math.Exp(0.008*m.rnd.NormFloat64())
			if s, ok := m.slow[name]; ok {
				v *= s
			}
			fmt.Fprintf(&b, "Benchmark%s 1000 %g ns/op\n", name, v)
		}
	}
	return b.String()
}

const twoBases = "Base/a Base/b"

func TestDriftBetweenRunsIsTheMachines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	rows, called, slowdowns := 0, 0, 0
	for range 60 {
		old := computer{rnd: rnd, drift: 0.02 * rnd.NormFloat64(), bases: twoBases}.run()
		new := computer{rnd: rnd, drift: 0.04 * rnd.Float64(), bases: twoBases}.run()
		table := compare(t, parse(t, "old", old), parse(t, "new", new), 0.05)
		slowdowns += table.Slowdowns
		for _, r := range table.Rows {
			rows++
			if r.Verdict == stats.Faster || r.Verdict == stats.Slower {
				called++
			}
		}
	}
	t.Logf("%d of %d rows called different", called, rows)
	if called > rows/20 || slowdowns > 1 {
		t.Errorf("%d of %d rows of one program called different, %d slower by more than 5 %%", called, rows, slowdowns)
	}
}

func TestSlowdownOfOneRowIsFound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name  string
		bases string
		drift float64
		says  string
	}{
		{"quiet machine", twoBases, 0, "The 2 base rows moved by"},
		{"slower machine", twoBases, 0.034, "the machine, not the program"},
		{"faster machine", twoBases, -0.02, "the machine, not the program"},
		{"bases unknown", "", 0.02, "No row is known to be unaffected by the change"},
	} {
		old := computer{rnd: rnd, bases: c.bases}.run()
		new := computer{rnd: rnd, drift: c.drift, bases: c.bases, slow: map[string]float64{"C": 1.10}}.run()
		table := compare(t, parse(t, "old", old), parse(t, "new", new), 0.05)
		got := textOf(t, table, 0, false)
		if table.Slowdowns != 1 || !strings.Contains(got, "C (sec/op): slower, by") || !strings.Contains(strings.Join(strings.Fields(got), " "), c.says) {
			t.Errorf("%s: %d slowdowns, want C alone, and %q:\n%s", c.name, table.Slowdowns, c.says, got)
		}
	}
}

// Where nothing but the rows themselves tells of the drift, a change of most of
// them must not be hidden: it counts where it is more than a machine drifts, and
// is told where it is not.
func TestSlowdownOfMostRowsIsNotHidden(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		slower    float64
		slowdowns bool
	}{{1.2, true}, {1.03, false}} {
		slow := map[string]float64{}
		for _, name := range []string{"Base/a", "A", "B", "C", "D", "E"} {
			slow[name] = c.slower
		}
		table := compare(t, parse(t, "old", computer{rnd: rnd}.run()), parse(t, "new", computer{rnd: rnd, slow: slow}.run()), 0.05)
		if (table.Slowdowns >= 5) != c.slowdowns {
			t.Errorf("%v: %d slowdowns", c.slower, table.Slowdowns)
		}
		if got := strings.Join(strings.Fields(textOf(t, table, 0, false)), " "); !strings.Contains(got, "No row is known to be unaffected by the change") {
			t.Errorf("%v: not a word about it:\n%s", c.slower, got)
		}
	}
}

// A slowdown is called so where the ratio, drift taken off, is above the threshold.
func TestThresholdIsOfTheRatio(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	old := parse(t, "old", computer{rnd: rnd, bases: twoBases}.run())
	new := parse(t, "new", computer{rnd: rnd, bases: twoBases, slow: map[string]float64{"C": 1.15}}.run())
	var c Row
	for _, r := range compare(t, old, new, 0.05).Rows {
		if r.Name == "C" {
			c = r
		}
	}
	for _, x := range []struct {
		threshold float64
		want      int
	}{{c.Change.Ratio - 1.001, 1}, {c.Change.Ratio - 0.999, 0}} {
		if got := compare(t, old, new, x.threshold).Slowdowns; got != x.want {
			t.Errorf("above %v with %+v: %d slowdowns, want %d", x.threshold, c.Change, got, x.want)
		}
	}
}
