package compare

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// slowed is the recording with some rows slower by a tenth.
func (r recording) slowed(rows ...string) recording {
	r.Rows = slices.Clone(r.Rows)
	for i := range r.Rows {
		row := &r.Rows[i]
		if slices.Contains(rows, row.Name) {
			row.Values = slices.Clone(row.Values)
			for p := range row.Values {
				row.Values[p] *= 1.1
			}
		}
	}
	return r
}

// Five normal runs of one program on a machine whose core another guest uses as well, in
// other processes of each run: they are 14 to 30 % apart, and the runs 25 %. The base of
// each row was measured in the same processes.
func TestTenPerCentAreFoundBesideAnotherGuest(t *testing.T) {
	least := map[string]int{"Call/via=leaf": 10, "Call/via=cgo": 16} // of 20 pairs; without those bases none is found
	runs := recordings(t, "guest.json.gz")
	processes := make([]int, len(runs[0].Rows[0].Values))
	for p := range processes {
		processes[p] = p
	}
	found := map[string]int{}
	others := 0
	for i, old := range runs {
		for k, new := range runs {
			if i == k {
				continue
			}
			changed := new.slowed(slices.Collect(maps.Keys(least))...)
			table := compare(t, parse(t, "old", old.run(processes)), parse(t, "new", changed.run(processes)), 0.05)
			for _, r := range table.Rows {
				if _, is := least[r.Name]; r.Slowdown && is {
					found[r.Name]++
				} else if r.Slowdown {
					others++
					t.Logf("%d and %d: %+v", i, k, r)
				}
			}
		}
	}
	t.Logf("of 20 pairs: %v", found)
	for name, want := range least {
		if found[name] < want {
			t.Errorf("%s: found in %d of 20 pairs, want %d", name, found[name], want)
		}
	}
	if others > 1 {
		t.Errorf("%d rows called slower that are not", others)
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
