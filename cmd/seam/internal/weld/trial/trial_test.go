//seam:test race

package trial

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// row is one whose processes took these times, in ns.
func row(pkg, name string, cgo, weld float64) *Row {
	r := &Row{Package: pkg, Name: name}
	for i := range 8 {
		noise := 1 + 0.001*float64(i%3)
		for side, ns := range []float64{cgo, weld} {
			allocs := float64(2 - 2*side)
			r.Pairs[side] = append(r.Pairs[side], Sample{100, []benchfmt.Value{
				{Value: ns * noise / 1e9, Unit: Time}, {Value: allocs, Unit: Allocs}, {Value: 7, Unit: Threads}, {Value: 8 << 20, Unit: Memory}}})
		}
	}
	return r
}

func resultOf(rows ...*Row) *Result {
	r := &Result{Command: []string{"go", "test", "-bench", "."}, Plan: "seam.plan", Leaves: 3, Rounds: 4, Rows: rows}
	r.Judge()
	return r
}

func TestVerdict(t *testing.T) {
	fast, slow, same := row("p", "F-2", 200, 100), row("p", "S-2", 100, 200), row("p", "N-2", 100, 100)
	unclear := row("p", "U-2", 100, 100)
	for i := range unclear.Pairs[Weld] {
		unclear.Pairs[Weld][i].Values[0].Value *= []float64{2, 0.5}[i/2%2]
	}
	drifting := row("p", "D-2", 100, 100) // the second pair of a round takes longer than the first, and the welded program less
	for i := range drifting.Pairs[Cgo] {
		drifting.Pairs[Cgo][i].Values[0].Value *= []float64{1, 1.15}[i%2]
		drifting.Pairs[Weld][i].Values[0].Value *= []float64{0.9, 1.05}[i%2]
	}
	twice := row("p", "E-2", 100, 50) // drifts as much, and is faster by more
	for i := range twice.Pairs[Cgo] {
		twice.Pairs[Cgo][i].Values[0].Value *= []float64{1, 1.15}[i%2]
		twice.Pairs[Weld][i].Values[0].Value *= []float64{1, 1.15}[i%2]
	}
	parked := func(ns float64) *Row {
		r := row("p", "P-2", 100, ns)
		for i := range r.Pairs[Cgo] {
			r.Pairs[Cgo][i].Values[2].Value, r.Pairs[Weld][i].Values[2].Value = 205, 10
		}
		return r
	}
	larger := parked(100)
	for i := range larger.Pairs[Weld] {
		larger.Pairs[Weld][i].Values[3].Value = (12 + 0.01*float64(i%3)) * (1 << 20)
	}
	for _, c := range []struct {
		rows   []*Row
		want   string
		slower int
	}{
		{[]*Row{larger}, "Fewer threads (205 → 10), and no difference in time was found. It takes more memory: 8.00 MiB → 12.0 MiB (1.50×)." +
			" Where parked calls have deep stacks, a bound may save both: threads: 16 in the plan, in place of the park lines.", 0},
		{[]*Row{drifting}, "Welding pays: everything that was measured is faster. But the plain program differs from itself by as much (0.87–0.87×): measure again with more --rounds.", 0},
		{[]*Row{twice, drifting}, "Welding pays: everything that was measured is faster. But the plain program differs from itself by as much as D-2 does (0.87–0.87×): measure again with more --rounds.", 0},
		{[]*Row{parked(144)}, "It is proven slower, with fewer threads (205 → 10): use this plan if threads are what is to be saved, as where C waits for many clients.", 1},
		{[]*Row{parked(100), same}, "Fewer threads (205 → 10), and no difference in time was found.", 0},
		{[]*Row{parked(50)}, "Welding pays: everything that was measured is faster.", 0},
		{[]*Row{fast}, "Welding pays: everything that was measured is faster.", 0},
		{[]*Row{fast, same, same}, "Welding pays: 1 of 3 is proven faster, and none slower.", 0},
		{[]*Row{fast, fast, slow}, "2 of 3 are proven faster and 1 slower: look at what is slower before you use this plan.", 1},
		{[]*Row{slow}, "It is proven slower, and none faster: don't use this plan.", 1},
		{[]*Row{same}, "Nothing to gain here: both programs take the same time.", 0},
		{[]*Row{unclear}, "No difference was found: more --rounds, or a machine that does less else, narrow the intervals.", 0},
	} {
		r := resultOf(c.rows...)
		if got := r.Verdict(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := len(r.Slower(0.05)); got != c.slower {
			t.Errorf("%s: %d slower, want %d", c.want, got, c.slower)
		}
	}
	if got := resultOf(slow).Slower(1.5); len(got) != 0 {
		t.Error("twice as slow is above 150 % more")
	}
}

func TestWrite(t *testing.T) {
	r := resultOf(row("example.com/p", "Scan/n=8-2", 200, 100), row("example.com/q", "S-2", 100, 200), row("example.com/q", "N", 100, 100))
	r.Said = []string{"seam: f is slow"}
	m := Made{Go: "go1.26.8", OS: "linux", Arch: "amd64", CPU: "a <cpu>"}
	for _, c := range []struct {
		name  string
		write func(io.Writer) error
		want  []string
	}{
		{"text", func(w io.Writer) error { return r.WriteText(w, text.Options{Width: 120}) }, []string{
			"go test -bench .: 3 welded functions of seam.plan, 4 rounds of 2 x 2 processes in turns\n",
			"p.Scan/n=8-2", "2.00x faster", "2.00-2.00x", "2 -> 0", "q.S-2", "2.00x slower", "the same", "geometric mean",
			"1 of 3 is proven faster and 1 slower", "The welded program said: f is slow\n"}},
		{"html", func(w io.Writer) error { return r.WriteHTML(w, m) }, []string{"<h1>1 of 3 is proven", "2.00× faster", "a &lt;cpu&gt;", "<svg"}},
		{"json", func(w io.Writer) error { return r.Encode(w, m) }, []string{`"schema": "seam.comparison/1"`, `"verdict": "slower"`, `"allocs/op": 2`, `"ratio": 2,`}},
		{"benchfmt", func(w io.Writer) error { return r.WriteBenchfmt(w, m) }, []string{
			"\npkg: example.com/p\n", "\nBenchmarkScan/n=8/via=cgo-2 100 200 ns/op 2 allocs/op 7 threads 8.38861e+06 peak-B\n", "\nBenchmarkN/via=weld 100 100 ns/op"}},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, b.String())
			}
		}
		if c.name == "json" && !json.Valid(b.Bytes()) {
			t.Error("the JSON is none")
		}
		if c.name == "html" && strings.Contains(b.String(), "ZgotmplZ") {
			t.Errorf("something is not let through:\n%s", b.String())
		}
	}
}

// What is only noise of the kernel's counting is no change.
func TestChange(t *testing.T) {
	r := row("p", "X", 1, 1)
	for _, c := range []struct {
		unit          string
		before, after float64
		want          string
	}{
		{Memory, 8 << 20, 8.2 * (1 << 20), "8.00 MiB"}, {Memory, 8 << 20, 16 << 20, "8.00 MiB → 16.0 MiB"},
		{Threads, 5, 5.5, "5"}, {Threads, 5, 9, "5 → 9"}, {Allocs, 1, 0, "1 → 0"}, {"no/such", 1, 1, ""},
	} {
		if c.want != "" {
			for side, v := range []float64{c.before, c.after} {
				for i := range r.Pairs[side] {
					r.Pairs[side][i].Values = []benchfmt.Value{{Value: v, Unit: c.unit}}
				}
			}
		}
		if got := r.change(c.unit); got != c.want {
			t.Errorf("%s from %v to %v: %q, want %q", c.unit, c.before, c.after, got, c.want)
		}
	}
}

func TestSpeedupOfOnePair(t *testing.T) {
	c := stats.Comparison{Ratio: 0.5, Verdict: stats.Unproven}
	if s := speedup(c); s != (Speedup{Ratio: 2}) {
		t.Errorf("%+v", s)
	}
	if got := words(c) + " " + interval(c); got != "undecided –" {
		t.Errorf("%q", got)
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct {
		stats.Comparison
		want string
	}{
		{stats.Comparison{Ratio: 0.5, Lo: 0.4, Hi: 0.625, Verdict: stats.Faster}, "1.60–2.50×"},
		{stats.Comparison{Ratio: 2, Lo: 1.6, Hi: 2.5, Verdict: stats.Slower}, "1.60–2.50×"},
		{stats.Comparison{Ratio: 0.5, Lo: 1e-5, Hi: 2e5, Verdict: stats.Unproven}, "<0.20–>20×"},
		{stats.Comparison{Ratio: 0.05, Lo: 0.04, Hi: 0.0625, Verdict: stats.Faster}, "16.00–25.00×"},
	} {
		if got := interval(c.Comparison); got != c.want {
			t.Errorf("%v: %q, want %q", c.Comparison, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("cmd/x", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("prog", nil, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{
		{"go test -bench . ./...", "go test -bench . ./..."},
		{"cmd/x -n 5", "go run ./cmd/x -n 5"},
		{filepath.Join(dir, "cmd/x"), "go run " + filepath.Join(dir, "cmd/x")},
		{"go test ./...", "error: add -bench"},
		{"go build ./...", "error: go build runs nothing"},
		{"go test -c -bench .", "error: go test runs nothing"},
		{"go run -exec time .", "error: leave it out"},
		{"./prog", "error: name the package"},
		{"./none", "error: neither a go command nor the folder"},
		{"", "error: no go command"},
	} {
		cmd, err := Parse(strings.Fields(c.line))
		if want, wrong := strings.CutPrefix(c.want, "error: "); wrong {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", c.line, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
		} else if got := strings.Join(cmd.With(), " "); got != c.want {
			t.Errorf("%s is %s, want %s", c.line, got, c.want)
		}
	}
}
