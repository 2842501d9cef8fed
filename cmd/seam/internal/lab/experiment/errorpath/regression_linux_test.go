package errorpath

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/compare"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/internal/testenv"
)

var decoderHead = regexp.MustCompile(`(?m)^func \(p \*T\d+\) ThriftDecodeBinary\(.*\{\n`)

// slower is a generator whose decoders do work that nobody needs, of some ten times
// the time of decoding: far more than the regression that must be found, so
// that it shows on a busy machine too.
func slower(text string) string {
	return decoderHead.ReplaceAllString(text, "${0}\tfor k := range uint64(1200) {\n\t\twasted = wasted*3 + k\n\t}\n") +
		"\nvar wasted uint64\n"
}

// Two versions of generated code go the whole way: built, timed in turns,
// written, read and compared. The verdict on the worse one is slower by more
// than 10 %, and there is none on the same code measured again.
func TestCompareCatchesRegression(t *testing.T) {
	testenv.Builds(t)
	needGo(t)
	if text := "func (p *T000) ThriftDecodeBinary(b []byte) int {\n"; slower(text) == text+"\nvar wasted uint64\n" {
		t.Fatal("no decoder was changed")
	}
	rounds := 12
	for try := range 3 {
		same, bad := compareVersions(t, rounds)
		t.Logf("%d rounds: same code %.2f× (%.2f–%.2f) %s, worse code %.2f× (%.2f–%.2f) %s", rounds,
			same.Ratio, same.Lo, same.Hi, same.Verdict, bad.Ratio, bad.Lo, bad.Hi, bad.Verdict)
		if same.Slowdown {
			t.Errorf("the same code is called slower: %+v", same.Comparison)
		}
		if bad.Slowdown && bad.Verdict == stats.Slower {
			return
		}
		if try < 2 {
			t.Log("the machine is too busy for a verdict: once more with twice the rounds")
		}
		rounds *= 2
	}
	t.Error("the worse code is not called slower")
}

// compareVersions gives the row of the decoders in two comparisons with the
// older code: of the same and of the worse one. The three are measured in
// turns, so that all meet the same machine.
func compareVersions(t *testing.T, rounds int) (same, bad compare.Row) {
	t.Helper()
	r := &lab.Runner{
		Experiments: []lab.Experiment{older.experiment(), newer.experiment(), worse.experiment()},
		Mode:        lab.Quick, Seed: 1, Rounds: rounds, Share: 80 * time.Millisecond, Worker: testWorker,
	}
	run, failures := r.Run(t.Context())
	for _, f := range failures {
		t.Fatal(f)
	}
	file := func(i int) *compare.File {
		one := *run
		e := run.Experiments[i]
		e.Name = "errorpath"
		// What isn't time takes no part.
		e.Series = slices.DeleteFunc(slices.Clone(e.Series), func(s result.Series) bool { return s.Unit != unitTime })
		one.Experiments = []result.Experiment{e}
		var b bytes.Buffer
		if err := one.Encode(&b); err != nil {
			t.Fatal(err)
		}
		f, err := compare.Load(run.Experiments[i].Name, &b)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	row := func(i int) compare.Row {
		table, err := compare.Compare(file(0), file(i), 0.10)
		if err != nil {
			t.Fatal(err)
		}
		if table.Drift.Rows != 1 || table.Drift.Guessed {
			t.Fatalf("the yardstick is not what tells of the machine: %+v", table.Drift)
		}
		for _, r := range table.Rows {
			if r.Name == name(layouts[0], 8) {
				return r
			}
		}
		t.Fatalf("no row of the decoders among %d", len(table.Rows))
		return compare.Row{}
	}
	return row(1), row(2)
}
