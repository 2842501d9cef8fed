//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/weld/trial"
	"github.com/seamgo/seam/internal/testenv"
)

// tried is a candidate that took so long, of 1, in each benchmark.
func tried(name string, times ...float64) *candidate {
	r := &trial.Result{Rounds: 4}
	for _, ratio := range times {
		row := &trial.Row{Name: name}
		for i := range 8 {
			for side, v := range []float64{1, ratio} {
				noise := 1 + 0.001*float64(i%3)
				row.Pairs[side] = append(row.Pairs[side], trial.Sample{N: 1, Values: []benchfmt.Value{{Value: v * noise, Unit: trial.Time}}})
			}
		}
		r.Rows = append(r.Rows, row)
	}
	r.Judge()
	return &candidate{name: name, result: r}
}

// What is kept gains most, of what is proven and makes nothing slower.
func TestBestPlan(t *testing.T) {
	good, better, mixed, same := tried("good", 0.9, 0.8), tried("better", 0.7, 0.7), tried("mixed", 0.1, 1.2), tried("same", 1, 1)
	broken := &candidate{name: "broken", err: errors.New("it crashed")}
	for _, c := range []struct {
		list   []*candidate
		best   *candidate
		proven bool
	}{
		{[]*candidate{good, better, mixed, same, broken}, better, true},
		{[]*candidate{mixed, good}, good, true},
		{[]*candidate{broken, mixed, same}, mixed, false},
		{[]*candidate{same}, same, false},
		{[]*candidate{broken}, nil, false},
		{nil, nil, false},
	} {
		got := best(c.list)
		if got != c.best || got != nil && got.proven() != c.proven {
			t.Errorf("of %d plans the best is %+v, want %+v", len(c.list), got, c.best)
		}
	}
}

// What the time was too short for is told from what it has shown.
func TestTryUndecided(t *testing.T) {
	for verdict, want := range map[stats.Verdict]string{stats.Unproven: "--for 3m goes on", stats.Same: "", stats.Slower: "", stats.Faster: ""} {
		r := &trial.Result{Rows: []*trial.Row{{Comparison: stats.Comparison{Verdict: verdict}}}}
		if got := (&tryVerb{For: 50 * time.Second}).undecided(r); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q", verdict, got)
		}
	}
}

// The whole way: what it says and writes belongs together, whatever the machine shows.
func TestTry(t *testing.T) {
	testenv.OtherProgram(t)
	dir := addModule(t, "")
	c := seam(t, "try", "--for", "1s", "--html", "try.html", "--", "go", "test", "-bench", ".", "-benchtime", "5000x", ".")
	if c.code != 0 {
		t.Fatalf("code %d\n%s%s", c.code, c.out, c.errout)
	}
	text, err := os.ReadFile(filepath.Join(dir, "seam.plan"))
	switch {
	case strings.Contains(c.out, "No plan was written"):
		if err == nil {
			t.Errorf("a plan was written:\n%s", text)
		}
	case strings.HasPrefix(c.out, "Gain: "):
		if err != nil || !strings.Contains(string(text), "leaf example.com/add.add") || !strings.Contains(string(text), "# proven by seam try, by rule: ") {
			t.Errorf("%v:\n%s", err, text)
		}
		if n := strings.Count(c.out, "\n"); n != 5 {
			t.Errorf("%d lines:\n%s", n, c.out)
		}
	default:
		t.Errorf("standard output:\n%s", c.out)
	}
	for _, name := range []string{"seam.trace", "try.html"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	// What was measured of these programs isn't measured again.
	again := seam(t, "try", "--for", "1s", "--", "go", "test", "-bench", ".", "-benchtime", "5000x", ".")
	again.must(t, 0, "", "the same programs: taken over (--fresh traces anew)")
	again.must(t, 0, "", "seam: by rule: taken over: ")
	if again.out != c.out {
		t.Errorf("at first:\n%sand taken over:\n%s", c.out, again.out)
	}
	seam(t, "try", "--for", "1ms").must(t, exitUsage, "", "at least 1s")
	seam(t, "try", "--", "go", "build").must(t, exitUsage, "", "nothing that could be compared")
	seam(t, "try", "--", "go", "run", "./prog").must(t, exitFailed, "", "failed when it was traced")
}
