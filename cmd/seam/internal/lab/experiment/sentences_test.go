package experiment

import (
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/internal/testenv"
)

// recorded is a quick run of all experiments with two samples a process.
func recorded(t *testing.T) *result.Run {
	t.Helper()
	f, err := os.Open("testdata/quick.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	run, err := result.Decode(z)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Whatever a machine measures, no sentence says more than the figures show.
func TestSentencesAreProven(t *testing.T) {
	testenv.OneGoroutine(t)
	runs := uint64(40) // of the same seeds each time
	switch {
	case testing.Short() || testenv.Repeated():
		runs = 10
	case os.Getenv("SEAM_SOAK") != "":
		runs = 1000
	}
	run := recorded(t)
	for _, e := range Experiments {
		if len(e.Cases(lab.Quick)) == 0 {
			continue // it has a test of its own
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			r := find(run, e.Name)
			if r == nil {
				t.Fatal("it is not in the recorded run")
			}
			said, headed := 0, 0
			for seed := range runs {
				found, err := lab.Replay(e, lab.Quick, labtest.Noisy(r, seed), seed)
				if err != nil {
					t.Fatal(err)
				}
				said, headed = said+len(found.Findings), headed+len(found.Headlines)
				for _, fault := range labtest.Untrue(found) {
					t.Errorf("run %d: %s", seed, fault)
				}
				if t.Failed() {
					return
				}
			}
			if said < int(runs) {
				t.Errorf("%d findings in %d runs", said, runs)
			}
		})
	}
}

// What a run says, word for word: that of a machine as it was.
func TestWhatIsSaid(t *testing.T) {
	run := recorded(t)
	var b strings.Builder
	for _, e := range Experiments {
		if len(e.Cases(lab.Quick)) == 0 {
			continue
		}
		found, err := lab.Replay(e, lab.Quick, find(run, e.Name), 1)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", e.Name)
		for _, s := range found.Findings {
			fmt.Fprintf(&b, "\t%s\n", s)
		}
		for _, s := range found.Notes {
			// This one is of the cache of the machine that runs the test.
			if strings.HasPrefix(s, "The first cache for instructions ") {
				continue
			}
			fmt.Fprintf(&b, "\tnote: %s\n", s)
		}
	}
	const golden = "testdata/sentences.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("-update writes it anew; it is now:\n%s", b.String())
	}
}

var update = flag.Bool("update", false, "write the golden file")

func find(run *result.Run, name string) *result.Experiment {
	for i := range run.Experiments {
		if run.Experiments[i].Name == name {
			return &run.Experiments[i]
		}
	}
	return nil
}
