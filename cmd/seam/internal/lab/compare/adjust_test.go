package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Five normal runs of one program on a machine whose core another guest uses as well, in
// other processes of each run and for 14 to 30 % of their time. The base of each row was
// measured in the same processes.
func TestTenPerCentAreFoundBesideAnotherGuest(t *testing.T) {
	runs := recordings(t, "guest.json.gz")
	text := func(r *recording, slow string) string {
		all := make([]int, len(r.Rows[0].Values))
		for p := range all {
			all[p] = p
		}
		changed := *r
		changed.Rows = append(changed.Rows[:0:0], r.Rows...)
		for i, row := range changed.Rows {
			if row.Name == slow {
				changed.Rows[i].Values = nil
				for _, v := range row.Values {
					changed.Rows[i].Values = append(changed.Rows[i].Values, 1.1*v)
				}
			}
		}
		return changed.run(all)
	}
	for _, c := range []struct {
		slow  string
		least int // of 20 pairs; 0 without the bases of the same process
	}{{"", 0}, {"Call/via=leaf", 10}, {"Call/via=cgo", 16}} {
		t.Run("slow="+c.slow, func(t *testing.T) {
			t.Parallel()
			found, others := 0, 0
			for i := range runs {
				for k := range runs {
					if i == k {
						continue
					}
					table := compare(t, parse(t, "old", text(&runs[i], "")), parse(t, "new", text(&runs[k], c.slow)), 0.05)
					for _, r := range table.Rows {
						switch {
						case r.Slowdown && r.Name == c.slow:
							found++
						case r.Slowdown:
							others++
							t.Log(i, k, r)
						}
					}
				}
			}
			t.Logf("found in %d of 20 pairs", found)
			if found < c.least || others > 1 {
				t.Errorf("found in %d of 20 pairs, want %d, and %d rows called slower that are not", found, c.least, others)
			}
		})
	}
}

// besideGuest is a run of n processes, in a share of which everything is slower by half.
func besideGuest(rnd *rand.Rand, facts string, n int, busy, slow float64) string {
	var b strings.Builder
	b.WriteString(facts)
	for round := range n {
		fmt.Fprintf(&b, "#seam round: %d\n", round)
		guest := 1.0
		if rnd.Float64() < busy {
			guest = 1.5
		}
		for i, name := range []string{"Call/a", "Call/b", "Call/c", "Call/slow", "Other/a", "Other/b"} {
			v := float64(i+1) * guest * (1 + 0.01*rnd.NormFloat64())
			if name == "Call/slow" {
				v *= slow
			}
			fmt.Fprintf(&b, "Benchmark%s 1 %v ns/op\nBenchmark%s 1 %d B/op\n", name, v, name, 100*i)
		}
	}
	return b.String()
}

func TestRowsAreAdjustedByTheBasesOfTheirProcesses(t *testing.T) {
	const facts = "#seam bases: Call/a Call/b\n"
	for _, c := range []struct {
		name     string
		old, new string // facts
		n        int
		adjusted string
	}{
		{"a base in the same processes", facts, facts, 20, "Call/c Call/slow"},
		{"no base is known", "", "", 20, ""},
		{"five processes", facts, facts, 5, ""},
		{"other machine", facts + "cpu: A\n", facts + "cpu: B\n", 20, ""},
		{"other version of Go", facts + "#seam go: go1.26.8\n", facts + "#seam go: go1.27.3\n", 20, ""},
		{"other commit", facts + "#seam commit: a\n", facts + "#seam commit: b\n", 20, "Call/c Call/slow"},
	} {
		rnd := rand.New(rand.NewPCG(13, 14))
		old := parse(t, "old", besideGuest(rnd, c.old, c.n, 0.8, 1))
		table := compare(t, old, parse(t, "new", besideGuest(rnd, c.new, c.n, 0.3, 1.1)), 0.05)
		var adjusted []string
		for _, r := range table.Rows {
			if r.Adjusted {
				adjusted = append(adjusted, r.Name)
			}
			if slower := r.Verdict == stats.Slower; slower != (c.adjusted != "" && r.Name == "Call/slow" && r.Unit == "sec/op") {
				t.Errorf("%s: %s (%s) is %s", c.name, r.Name, r.Unit, r.Verdict)
			}
		}
		if got := strings.Join(adjusted, " "); got != c.adjusted {
			t.Errorf("%s: adjusted: %q, want %q", c.name, got, c.adjusted)
		}
		got := textOf(t, table, 0, false)
		for _, said := range []string{"at equal speed of the machine", "adjusted  "} {
			if strings.Contains(got, said) != (c.adjusted != "") {
				t.Errorf("%s: %q in or not in\n%s", c.name, said, got)
			}
		}
	}
}
