package compare

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/report"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

var update = flag.Bool("update", false, "write the golden files")

func open(t *testing.T, name string) *File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, name, string(data))
}

func parse(t *testing.T, name, text string) *File {
	t.Helper()
	f, err := Load(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func compare(t *testing.T, old, new *File, threshold float64) *Table {
	t.Helper()
	table, err := Compare(old, new, threshold)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func textOf(t *testing.T, table *Table, width int, colour bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := table.WriteText(&b, text.Options{Width: width, Colour: colour}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		golden, old, new string
		width            int
	}{
		{"go.golden", "go_old.txt", "go_new.txt", 0},
		{"lab.golden", "lab_old.txt", "lab_new.txt", 0},
		{"narrow.golden", "lab_old.txt", "lab_new.txt", 72},
	} {
		got := textOf(t, compare(t, open(t, c.old), open(t, c.new), 0.05), c.width, false)
		golden := filepath.Join("testdata", c.golden)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s (-update writes it anew):\n%s\nwant:\n%s", c.golden, got, want)
		}
	}
}

// runs makes a file of go test, run count times: a value each, a little different
// from the one before.
func runs(name, unit string, center float64, count int) string {
	return strings.ReplaceAll(lines(name, unit, center, count), "\n", "\nPASS\n")
}

// lines makes a file of one process: count values of a benchmark, each a little
// different from the one before.
func lines(name, unit string, center float64, count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "Benchmark%s 100 %v %s\n", name, center*(1+0.001*float64(i%3)), unit)
	}
	return b.String()
}

// constantly measures the same in three blocks of each of five processes.
func constantly(unit string, value float64) string {
	var b strings.Builder
	for r := range 5 {
		fmt.Fprintf(&b, "#seam round: %d\n%s", r, strings.Repeat(fmt.Sprintf("BenchmarkA 1 %v %s\n", value, unit), 3))
	}
	return b.String()
}

// rounds makes one of five processes.
func rounds(name, unit string, center float64) string {
	var b strings.Builder
	for r := range 5 {
		fmt.Fprintf(&b, "#seam round: %d\n%s", r, lines(name, unit, center*(1+0.002*float64(r)), 6))
	}
	return b.String()
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		threshold      float64
		want           stats.Verdict
		slowdown       bool
	}{
		{"slower", runs("A", "ns/op", 10, 10), runs("A", "ns/op", 15, 10), 0.05, stats.Slower, true},
		{"slower, below the threshold", runs("A", "ns/op", 10, 10), runs("A", "ns/op", 15, 10), 0.6, stats.Slower, false},
		{"faster", runs("A", "ns/op", 15, 10), runs("A", "ns/op", 10, 10), 0.05, stats.Faster, false},
		{"one process proves nothing, however often it measures", lines("A", "ns/op", 10, 10), lines("A", "ns/op", 50, 10), 0.05, stats.Unproven, false},
		{"one process against many", lines("A", "ns/op", 10, 10), runs("A", "ns/op", 50, 10), 0.05, stats.Unproven, false},
		{"two processes", runs("A", "ns/op", 10, 2), runs("A", "ns/op", 50, 2), 0.05, stats.Unproven, false},
		{"3 % in five processes", rounds("A", "ns/op", 10), rounds("A", "ns/op", 10.3), 0.001, stats.Slower, true},
		{"same", rounds("A", "ns/op", 10), rounds("A", "ns/op", 10), 0.05, stats.Same, false},
		{"no threshold", rounds("A", "ns/op", 10), rounds("A", "ns/op", 10.4), 0, stats.Slower, true},
		{"more per second is faster", runs("A", "MB/s", 10, 10), runs("A", "MB/s", 15, 10), 0.05, stats.Faster, false},
		{"fewer per second are slower", runs("A", "req/s", 15, 10), runs("A", "req/s", 10, 10), 0.05, stats.Slower, true},
		{"the file says that more is better", "Unit score better=higher\n" + runs("A", "score", 15, 10),
			runs("A", "score", 10, 10), 0.05, stats.Slower, true},
		{"the file says that fewer is better", runs("A", "waits/s", 15, 10),
			"Unit waits/s better=lower\n" + runs("A", "waits/s", 10, 10), 0.05, stats.Faster, false},
		{"nobody says what is better", runs("A", "switches/s", 10, 10), runs("A", "switches/s", 100, 10), 0.05, stats.Unproven, false},
		{"one value proves nothing", lines("A", "ns/op", 10, 1), lines("A", "ns/op", 20, 1), 0.05, stats.Unproven, false},
		{"allocations are exact", "BenchmarkA 1 3 allocs/op\n", "BenchmarkA 1 4 allocs/op\n", 0.05, stats.Slower, true},
		{"the first allocation", "BenchmarkA 1 0 allocs/op\n", "BenchmarkA 1 1 allocs/op\n", 0.05, stats.Slower, true},
		{"the last allocation", "BenchmarkA 1 1 allocs/op\n", "BenchmarkA 1 0 allocs/op\n", 0.05, stats.Faster, false},
		{"no allocation", "BenchmarkA 1 0 allocs/op\n", "BenchmarkA 1 0 allocs/op\n", 0.05, stats.Same, false},
		{"the file says exact", "Unit steps assume=exact better=lower\nBenchmarkA 1 10 steps\n", "BenchmarkA 1 12 steps\n", 0.05, stats.Slower, true},
		{"zeros", "BenchmarkA 1 0 B/op\nBenchmarkA 1 0 B/op\n", "BenchmarkA 1 0 B/op\nBenchmarkA 1 0 B/op\n", 0.05, stats.Same, false},
		{"from zero", "BenchmarkA 1 0 B/op\nBenchmarkA 1 0 B/op\n", "BenchmarkA 1 8 B/op\nBenchmarkA 1 8 B/op\n", 0.05, stats.Slower, true},
		{"now and then zero", "BenchmarkA 1 0 B/op\nBenchmarkA 1 1 B/op\n", runs("A", "B/op", 8, 10), 0.05, stats.Unproven, false},
		{"a share that is 0 in all blocks", constantly("%", 0), constantly("%", 50), 0.05, stats.Unproven, false},
		{"a share", constantly("loss-%", 10), constantly("loss-%", 50), 0.05, stats.Unproven, false},
		{"a maximum", constantly("max-pause-ns", 100), constantly("max-pause-ns", 667), 0.05, stats.Unproven, false},
		{"a few threads more", constantly("threads", 5), constantly("threads", 7), 0.05, stats.Unproven, false},
		{"many threads more", constantly("threads", 10), constantly("threads", 270), 0.05, stats.Slower, true},
		{"a tail of four", runs("A", "p99-ns", 100, 4), runs("A", "p99-ns", 200, 4), 0.05, stats.Unproven, false},
		{"times that repeat by chance", lines("A", "ns/op", 512, 1) + lines("A", "ns/op", 512, 1), lines("A", "ns/op", 640, 1) + lines("A", "ns/op", 640, 1), 0.05, stats.Unproven, false},
		{"below zero", runs("A", "delta", -1, 10), runs("A", "delta", 1, 10), 0.05, stats.Unproven, false},
	} {
		table := compare(t, parse(t, "old", c.old), parse(t, "new", c.new), c.threshold)
		if len(table.Rows) != 1 {
			t.Errorf("%s: %d rows", c.name, len(table.Rows))
			continue
		}
		r := table.Rows[0]
		if r.Verdict != c.want || r.Slowdown != c.slowdown || (table.Slowdowns == 1) != c.slowdown {
			t.Errorf("%s: %s %v, want %s %v (%+v)", c.name, r.Verdict, r.Slowdown, c.want, c.slowdown, r)
		}
		textOf(t, table, 40, true)
	}
}

func TestPairing(t *testing.T) {
	for _, c := range []struct {
		name, old, new         string
		rows, onlyOld, onlyNew string
	}{
		{"by name and unit", "BenchmarkA 1 1 ns/op 2 B/op\n", "BenchmarkA 1 1 ns/op 2 MB/s\n", "A", "A", "A"},
		{"units are made alike", "BenchmarkA 1 1 ns/op\n", "BenchmarkA 1 1 sec/op\n", "A", "", ""},
		{"other number of processors", "BenchmarkA-8 1 1 ns/op\n", "BenchmarkA-2 1 1 ns/op\n", "A", "", ""},
		{"one processor has no suffix", "BenchmarkA/b-8 1 1 ns/op\n", "BenchmarkA/b 1 1 ns/op\n", "A/b", "", ""},
		{"suffixes that mean something", "BenchmarkA 1 1 ns/op\nBenchmarkA-8 1 1 ns/op\n", "BenchmarkA 1 1 ns/op\nBenchmarkA-8 1 1 ns/op\n", "A A-8", "", ""},
		{"a package that moved", "pkg: a\nBenchmarkA 1 1 ns/op\n", "pkg: b\nBenchmarkA 1 1 ns/op\n", "A", "", ""},
		{"packages apart", "pkg: a\nBenchmarkA 1 1 ns/op\npkg: b\nBenchmarkA 1 1 ns/op\n", "pkg: b\nBenchmarkA 1 1 ns/op\npkg: c\nBenchmarkA 1 1 ns/op\n", "b: A", "a: A", "c: A"},
		{"order of the new file", "BenchmarkA 1 1 ns/op\nBenchmarkB 1 1 ns/op\n", "BenchmarkB 1 1 ns/op\nBenchmarkA 1 1 ns/op\n", "B A", "", ""},
	} {
		table := compare(t, parse(t, "old", c.old), parse(t, "new", c.new), 0.05)
		var names []string
		for _, r := range table.Rows {
			names = append(names, r.Name)
		}
		for _, x := range []struct {
			got  []string
			want string
		}{{names, c.rows}, {table.OnlyOld, c.onlyOld}, {table.OnlyNew, c.onlyNew}} {
			if got := strings.Join(x.got, " "); got != x.want {
				t.Errorf("%s: %q, want %q", c.name, got, x.want)
			}
		}
	}
}

func run() *result.Run {
	r := &result.Run{Seam: "v1", Commit: "aaa", Leaf: "assembly", Mode: "quick",
		Machine: machine.Facts{CPU: "AMD EPYC", Cores: 2, GOOS: "linux", GOARCH: "amd64", Go: "go1.26.8"}}
	e := result.Experiment{Name: "call"}
	s := result.Series{Name: "Call/via=go", Unit: "ns/op", Median: 2, Lo: 2, Hi: 2}
	for round := range 5 {
		for block := range 4 {
			s.Samples = append(s.Samples, result.Sample{Round: round, Block: block, N: 10, Value: 2})
		}
	}
	e.Series = append(e.Series, s, result.Series{Name: "Call/via=cgo", Unit: "ns/op", NotMeasured: "built without cgo"})
	r.Experiments = append(r.Experiments, e)
	return r
}

func encoded(t *testing.T, r *result.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONAgainstBenchfmt(t *testing.T) {
	old := parse(t, "old.json", "\ufeff \n"+encoded(t, run()))
	new := parse(t, "new.txt", "cpu: Other\ngo: go1.27.3\n"+rounds("Call/via=go-2", "ns/op", 3)+rounds("Call/via=cgo-2", "ns/op", 26))
	table := compare(t, old, new, 0.05)
	if len(table.Rows) != 1 || table.Rows[0].Verdict != stats.Slower || math.Abs(table.Rows[0].Old.Median-2e-9) > 1e-15 {
		t.Errorf("%+v", table.Rows)
	}
	if want := []string{"Call/via=cgo (not measured: built without cgo)"}; fmt.Sprint(table.OnlyNew) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", table.OnlyNew, want)
	}
	want := []Difference{{"cpu", "AMD EPYC", "Other", true}, {"go", "go1.26.8", "go1.27.3", false}}
	if fmt.Sprint(table.Differences) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", table.Differences, want)
	}
	if got := textOf(t, table, 0, false); !strings.Contains(got, "The machines differ") {
		t.Errorf("no word about the machines in\n%s", got)
	}
}

// Both formats tell the same of a run.
func TestFactsOfBothFormats(t *testing.T) {
	r := run()
	r.Machine.Affinity, r.Machine.Quota, r.Machine.MemoryLimit = "0-1", "1.5", "none"
	r.Machine.GODEBUG, r.Machine.GOGC, r.Machine.GOMEMLIMIT = "gctrace=1", "unset", "unset"
	r.Machine.Kernel, r.Machine.Virtual, r.Machine.Scaling, r.Machine.GOMAXPROCS = "Linux 6.18", "KVM", "powersave", 2
	r.Experiments[0].Controls = []result.Comparison{{Name: "Call/via=go", Base: "Call/via=go#control", Unit: "ns/op", Ratio: 1, Lo: 1, Hi: 1, Blocks: 1, Verdict: "same"}}
	var b bytes.Buffer
	if err := report.WriteBenchfmt(&b, r); err != nil {
		t.Fatal(err)
	}
	fromJSON, fromLines := parse(t, "a.json", encoded(t, r)), parse(t, "a.txt", b.String())
	if fmt.Sprint(fromJSON.Facts) != fmt.Sprint(fromLines.Facts) || len(fromLines.Facts) != len(factOrder) {
		t.Errorf("JSON tells %v\nlines tell %v\nof %v", fromJSON.Facts, fromLines.Facts, factOrder)
	}
	if fmt.Sprint(fromJSON.bases) != "map[Call/via=go:true]" || fmt.Sprint(fromLines.bases) != fmt.Sprint(fromJSON.bases) {
		t.Errorf("bases %v and %v", fromJSON.bases, fromLines.bases)
	}
	r.Machine.Scaling, r.Machine.Quota, r.Machine.GODEBUG, r.Mode = "performance", "none", "unset", "full"
	other := parse(t, "b.json", encoded(t, r))
	want := []Difference{{"frequency governor", "powersave", "performance", true}, {"processors allowed by the control group", "1.5", "none", true},
		{"godebug", "gctrace=1", "unset", false}, {"mode", "quick", "full", false}}
	if got := compare(t, fromLines, other, 0.05).Differences; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestRunAgainstItself(t *testing.T) {
	r := run()
	r.Interrupted = true
	f := parse(t, "a.json", encoded(t, r))
	got := textOf(t, compare(t, f, f, 0.05), 0, false)
	for _, want := range []string{"show no difference", "same", "interrupted", "No slowdown above 5 % was found"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "f: the file is empty"},
		{"white space", " \n\t\r\n", "f: the file is empty"},
		{"prose", "hello\nworld\n", "no benchmark results; want the output of seam lab --json"},
		{"bytes", "\x7fELF\x02\x01\x01\x00", "no benchmark results"},
		{"a broken line", "BenchmarkA 10 fast\n", "line 1"},
		{"no numbers", "BenchmarkA 1 NaN ns/op\n", "not a measurement"},
		{"other JSON", `{"a":1}`, "it has no schema"},
		{"other schema", `{"schema":"seam.lab/9"}`, `this version of seam reads "seam.lab/1"`},
		{"cut short", encoded(t, run())[:500], "the file is cut off"},
		{"go test -json", `{"Time":"2026-01-01T00:00:00Z","Action":"start"}` + "\n" + `{"Action":"output"}`, "without -json"},
		{"a long line", strings.Repeat("x", 1<<17), "longer than 64 KiB"},
		{"a run without results", `{"schema":"seam.lab/1"}`, "no benchmark results"},
	} {
		if f, err := Load("f", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v %v, want %q", c.name, f, err, c.want)
		}
	}
}

func TestLoadBoundsItsInput(t *testing.T) {
	text := "BenchmarkA 1 1 ns/op\n"
	if _, err := load("f", strings.NewReader(text), int64(len(text))); err != nil {
		t.Error(err)
	}
	if _, err := load("f", strings.NewReader(text), int64(len(text))-1); err == nil || !strings.HasPrefix(err.Error(), "f: the file is too large") {
		t.Errorf("%v, want it refused", err)
	}
	path := filepath.Join(t.TempDir(), "run.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := load("f", file, int64(len(text))-1); !errors.Is(err, errTooLarge) {
		t.Errorf("%v, want it refused", err)
	}
	if at, err := file.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		t.Errorf("%d bytes of a file read (%v) whose size tells enough", at, err)
	}
	if _, err := load("f", file, int64(len(text))); err != nil {
		t.Error(err)
	}
}

type broken struct{ after *strings.Reader }

var errDisk = errors.New("disk on fire")

func (b broken) Read(p []byte) (int, error) {
	if b.after.Len() == 0 {
		return 0, errDisk
	}
	return b.after.Read(p)
}

func TestReadErrorsAreTold(t *testing.T) {
	for _, start := range []string{"", "BenchmarkA 1 1 ns/op\n", `{"schema":`} {
		if _, err := Load("f", broken{strings.NewReader(start)}); !errors.Is(err, errDisk) || strings.Count(err.Error(), "f:") != 1 {
			t.Errorf("%q: %v, want %v of f", start, err, errDisk)
		}
	}
}

func TestNothingInCommon(t *testing.T) {
	old := parse(t, "old.txt", "BenchmarkA 1 1 ns/op\nBenchmarkB 1 1 ns/op\nBenchmarkC 1 1 ns/op\nBenchmarkD 1 1 ns/op\n")
	new := parse(t, "new.txt", "BenchmarkE 1 1 ns/op\n")
	_, err := Compare(old, new, 0.05)
	want := "no benchmark in common: old.txt has A (sec/op), B (sec/op), C (sec/op) and 1 more; new.txt has E (sec/op)"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	for _, bad := range []float64{-0.1, math.NaN(), math.Inf(1)} {
		if _, err := Compare(old, old, bad); err == nil {
			t.Errorf("threshold %v is taken", bad)
		}
	}
}

func TestTextIsSafeAndFits(t *testing.T) {
	long := strings.Repeat("very/long=name/", 20)
	evil := parse(t, "e\x1bvil", "cpu: \x1b[2Jx\n"+runs(long, "ns/op", 10, 10)+runs("A\x1b[31m", "ns/op", 10, 10))
	other := parse(t, "other", "cpu: y\n"+runs(long, "ns/op", 20, 10)+runs("A\x1b[31m", "ns/op", 20, 10))
	table := compare(t, evil, other, 0.05)
	got := textOf(t, table, 0, false)
	if strings.Contains(got, "\x1b") {
		t.Errorf("an escape of the file came through: %q", got)
	}
	if got := textOf(t, table, 0, true); !strings.Contains(got, "\x1b[") {
		t.Error("no colour where it is asked for")
	}
	var grid bytes.Buffer
	w := text.New(&grid, text.Options{Width: 80})
	table.grid(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if width := lipgloss.Width(grid.String()); width > 80 {
		t.Errorf("%d columns, want 80", width)
	}
}

func FuzzLoad(f *testing.F) {
	for _, name := range []string{"go_old.txt", "lab_new.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("BenchmarkA 1 1 ns/op 1e308 MB/s 0 B/op\nUnit x better=higher\n"))
	f.Add([]byte(`{"schema":"seam.lab/1","experiments":[{"name":"x","series":[{"name":"y","unit":"ns/op","median":1,"lo":1,"hi":1}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Load("f", bytes.NewReader(data))
		if err != nil {
			return
		}
		table, err := Compare(file, file, 0.05)
		if err != nil {
			return // nothing but benchmarks that were not measured
		}
		if table.Slowdowns > 0 || len(table.Differences) > 0 {
			t.Fatalf("a file differs from itself: %+v", table)
		}
		var b bytes.Buffer
		if err := table.WriteText(&b, text.Options{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(b.String(), '\x1b') {
			t.Fatalf("an escape of the file came through: %q", b.String())
		}
	})
}

// Where nothing could be judged there is no all-clear.
func TestNothingComparedIsNoAllClear(t *testing.T) {
	f := parse(t, "f", lines("A", "ns/op", 10, 10))
	table := compare(t, f, f, 0.05)
	got := textOf(t, table, 0, false)
	if table.Compared != 0 || strings.Contains(got, "No slowdown") {
		t.Errorf("%d compared:\n%s", table.Compared, got)
	}
	for _, want := range []string{"f is from one process", "A: one process: not compared"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
