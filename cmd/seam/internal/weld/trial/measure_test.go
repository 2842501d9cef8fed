package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/internal/testenv"
)

// scripts makes a program of two shell scripts.
func scripts(t *testing.T, tests bool, cgo, weld string) []*Program {
	t.Helper()
	dir := t.TempDir()
	p := &Program{Dir: dir, tests: tests, bench: "."}
	for side, text := range []string{cgo, weld} {
		p.Files[side] = filepath.Join(dir, Side(side).String())
		testenv.WriteProgram(t, p.Files[side], "#!/bin/sh\n"+text+"\n")
	}
	return []*Program{p}
}

// bench is a test binary with two benchmarks below one name.
func bench(fast, slow int) string {
	return fmt.Sprintf(`case $1 in
-test.list*) echo TestX; echo BenchmarkA;;
*) for i in 1 2 3; do echo "BenchmarkA/x-2 100 %d ns/op 16 B/op 1 allocs/op"; echo "BenchmarkA/y-2 50 %d ns/op 0 B/op 0 allocs/op"; done;;
esac`, fast, slow)
}

func TestRunBenchmarks(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), scripts(t, true, bench(300, 100), "echo seam: f took $$ ns, is demoted >&2\n"+bench(100, 100)), Options{Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2 || r.Rows[0].Name != "A/x-2" || r.Rows[1].Name != "A/y-2" {
		t.Fatalf("rows %+v", r.Rows)
	}
	x, y := r.Rows[0], r.Rows[1]
	if len(x.Pairs[Cgo]) != 6 || len(x.Pairs[Weld]) != 6 || x.Pairs[Cgo][0].N != 300 {
		t.Errorf("%d and %d processes, with %d iterations", len(x.Pairs[Cgo]), len(x.Pairs[Weld]), x.Pairs[Cgo][0].N)
	}
	if s := speedup(x.Comparison); x.Verdict != stats.Faster || s.Ratio < 2.99 || s.Ratio > 3.01 {
		t.Errorf("%s, %+v; want 3 times as fast", x.Verdict, s)
	}
	if y.Verdict != stats.Same || r.Noise.Verdict != stats.Same {
		t.Errorf("equal times are %s, and the program itself is %s", y.Verdict, r.Noise.Verdict)
	}
	if s := speedup(r.Mean); s.Ratio < 1.73 || s.Ratio > 1.74 {
		t.Errorf("the geometric mean is %v, want √3", s.Ratio)
	}
	if v, ok := x.Median(Cgo, Allocs); !ok || v != 1 {
		t.Errorf("%v allocations, want 1", v)
	}
	if len(r.Said) != 1 || !strings.HasSuffix(r.Said[0], " ns, is demoted") { // each process gave another figure
		t.Errorf("the welded program said %q", r.Said)
	}
}

func TestRunProgram(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), scripts(t, false, "sleep 0.1", "sleep 0.1"), Options{Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []string{Time, CPU, Threads, Memory} {
		if v, ok := r.Rows[0].Median(Weld, unit); !ok || v <= 0 {
			t.Errorf("no %s", unit)
		}
	}
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		programs  []*Program
		side      Side // of a *Failure
		want      string
		something bool // had been measured
	}{
		{"the plain program", scripts(t, false, "exit 3", "true"), Cgo, "exit status 3", false},
		{"the welded program", scripts(t, false, "true", "echo why >&2; exit 4"), Weld, "exit status 4\n\twhy", false},
		{"later", scripts(t, true, bench(2, 1), "echo x >> n; test $(wc -l <n) -lt 5 || exit 1\n"+bench(2, 1)), Weld, "exit status 1", true},
		{"no benchmark", scripts(t, true, "true", "true"), -1, "no benchmark matches", false},
		{"all skipped", scripts(t, true, "echo BenchmarkA", "echo BenchmarkA"), -1, "no benchmark had a result", false},
		{"others", scripts(t, true, bench(2, 1), strings.Replace(bench(2, 1), "A/y", "A/z", 1)), -1, "the program (weld) has other benchmarks", false},
	} {
		r, err := Run(t.Context(), c.programs, Options{Rounds: 5})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if (r != nil) != c.something {
			t.Errorf("%s: result %+v", c.name, r)
		}
		if f := (*Failure)(nil); errors.As(err, &f) != (c.side >= 0) || f != nil && f.Side != c.side {
			t.Errorf("%s: failure %+v", c.name, f)
		}
	}
}

// Where time is short each process runs a benchmark less often, and what takes longer even so is said.
func TestRunInShortTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit       time.Duration
		often       bool
		once, fives int // processes that run it once, and five times
		said        bool
	}{
		{1, true, 1 + 8, 0, true},
		{time.Hour, true, 1, 8, false},
		{1, false, 0, 8, false},
		{0, true, 0, 8, false},
	} {
		programs := scripts(t, true, "echo $* >> log\n"+bench(3, 3), "echo $* >> log\n"+bench(3, 3))
		p := programs[0]
		p.Args, p.often = []string{"-test.count=5"}, c.often
		var said []string
		o := Options{Rounds: 2, For: c.limit, What: "bold: ", Note: func(words string) { said = append(said, words) }}
		if _, err := Run(t.Context(), programs, o); err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(filepath.Join(p.Dir, "log"))
		if err != nil {
			t.Fatal(err)
		}
		once, fives := strings.Count(string(log), "count=1"), strings.Count(string(log), "count=5")
		if once != c.once || fives != c.fives || (len(said) == 1 && strings.HasPrefix(said[0], "bold: 2 rounds are the least")) != c.said {
			t.Errorf("%+v: once in %d processes, five times in %d, said %q", c, once, fives, said)
		}
	}
}

// A run that was ended goes on where it was: at the benchmark, with the time that it had.
func TestRunGoesOn(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache, err := filecache.Open("try")
	if err != nil {
		t.Fatal(err)
	}
	two := "n=${1#*^}; n=${n%?}\n" + strings.NewReplacer("echo BenchmarkA;;", "echo BenchmarkA; echo BenchmarkB;;", "BenchmarkA/", "$n/").Replace(bench(3, 1))
	// The welded program's seventh process fails: one lists, four are the first round, and the second of A needs two.
	programs := scripts(t, true, "echo x >> of-cgo\n"+two, "echo x >> of-weld\ntest ! -e stop -o $(wc -l <of-weld) -lt 7 || exit 1\n"+two)
	dir := programs[0].Dir
	var said []string
	store := &Store{Cache: cache}
	o := Options{Rounds: 3, Store: store, Note: func(words string) { said = append(said, words) }}
	started := func() (n [sides]int) {
		for side := range sides {
			text, err := os.ReadFile(filepath.Join(dir, "of-"+side.String()))
			if err != nil {
				t.Fatal(err)
			}
			n[side] = strings.Count(string(text), "x")
		}
		return n
	}
	if err := os.WriteFile(filepath.Join(dir, "stop"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), programs, o); err == nil || !store.Kept || said != nil {
		t.Fatalf("error %v, kept %v, said %q", err, store.Kept, said)
	}
	before := started()
	if before[Weld] != 7 {
		t.Fatalf("%d processes before the end", before)
	}
	if err := os.Remove(filepath.Join(dir, "stop")); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), programs, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if len(row.Pairs[Cgo]) != 6 || len(row.Pairs[Weld]) != 6 || row.Verdict != stats.Faster && row.Verdict != stats.Same {
			t.Errorf("%s: %d and %d processes, %s", row.Name, len(row.Pairs[Cgo]), len(row.Pairs[Weld]), row.Verdict)
		}
	}
	// One lists; 12 were wanted of each side, and 4 were of whole pairs when it was ended.
	if n := started(); len(r.Rows) != 4 || r.Rounds != 3 || n[Cgo]-before[Cgo] != 1+8 || n[Weld]-before[Weld] != 1+8 {
		t.Errorf("%d rows in %d rounds: %d processes, and %d before", len(r.Rows), r.Rounds, n, before)
	}
	if len(said) != 1 || !strings.Contains(said[0], "taken over: 8 processes of the same programs") {
		t.Errorf("said %q", said)
	}
	again := func(change func()) (more int) {
		t.Helper()
		before := started()
		change()
		if _, err := Run(t.Context(), programs, o); err != nil {
			t.Fatal(err)
		}
		return started()[Cgo] - before[Cgo]
	}
	if n := again(func() {}); n != 1 {
		t.Errorf("%d processes where all was measured", n)
	}
	if n := again(func() { store.Fresh = true }); n != 13 {
		t.Errorf("%d processes of a fresh run", n)
	}
	store.Fresh = false
	if n := again(func() { t.Setenv("GOGC", "50") }); n != 13 {
		t.Errorf("%d processes with another setting", n)
	}
	if n := again(func() { testenv.WriteProgram(t, programs[0].Files[Weld], "#!/bin/sh\n"+two+"\n") }); n != 13 {
		t.Errorf("%d processes of another program", n)
	}
}

// What never ends is ended.
func TestRunStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	programs := scripts(t, false, "exec sleep 3600", "true")
	go cancel()
	if _, err := Run(ctx, programs, Options{Rounds: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSplitLevels(t *testing.T) {
	for expr, want := range map[string][2]string{
		".": {".", ""}, "A/b": {"A", "/b"}, "[/]x/y/z": {"[/]x", "/y/z"}, "(a/b)c/d": {"(a/b)c", "/d"}, `a\/b/c`: {`a\/b`, "/c"}, "": {"", ""},
	} {
		if top, below := splitLevels(expr); top != want[0] || below != want[1] {
			t.Errorf("%s is %q and %q, want %q", expr, top, below, want)
		}
	}
}
