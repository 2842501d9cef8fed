package errorpath

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/internal/testenv"
)

// needGo skips a test where programs can't be built.
func needGo(t *testing.T) {
	t.Helper()
	testenv.Tool(t, "go")
}

func bench() *lab.Bench { return lab.NewBench(lab.Quick, 1) }

func TestEveryCaseRuns(t *testing.T) {
	needGo(t)
	before := labtest.Leftovers(t)
	for _, c := range small.cases(lab.Quick) {
		if c.Start == nil {
			continue
		}
		op, err := c.Start(t.Context(), bench())
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		types := 1
		if strings.HasSuffix(c.Name, "=3") {
			types = 3
		}
		if op.N < types || op.N%types != 0 {
			t.Errorf("%s: samples of %d decodes are no whole rotations of %d types", c.Name, op.N, types)
		}
		if took := op.Time(op.N); took <= 0 {
			t.Errorf("%s: %d decodes took %v", c.Name, op.N, took)
		}
		op.Close()
	}
	labtest.NoMoreThan(t, before)
}

func TestCodeIsThatOfTheDecodersInUse(t *testing.T) {
	needGo(t)
	list, err := small.probeCode(t.Context(), bench())
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]float64{}
	for _, m := range list {
		if m.Unit != unitCode || m.Value <= 0 {
			t.Errorf("metric %+v", m)
		}
		code[m.Name] = m.Value
	}
	for _, l := range layouts {
		if one, three := code[name(l, 1)], code[name(l, 3)]; three <= one || three >= 3*one {
			t.Errorf("%s: %v bytes for one type and %v for three, which share a part", l, one, three)
		}
	}
	if bare, inline := code[name(gen.LayoutBare, 3)], code[name(gen.LayoutInline, 3)]; inline <= bare {
		t.Errorf("errors made in place take %v bytes, and none %v", inline, bare)
	}
}

func TestCachegrindCounts(t *testing.T) {
	needGo(t)
	tool, err := findCachegrind()
	if err != nil {
		t.Skip(err)
	}
	path, err := small.program(t.Context(), bench(), layouts[0])
	if err != nil {
		t.Fatal(err)
	}
	large, err := tool.misses(t.Context(), path, 3)
	if err != nil {
		t.Fatal(err)
	}
	tool.cache = "1024,2,64" // no decoder fits
	tiny, err := tool.misses(t.Context(), path, 3)
	if err != nil {
		t.Fatal(err)
	}
	if large < 0 || tiny < large+5 {
		t.Errorf("%v misses of a decode with this machine's cache, %v with one of 1 KB", large, tiny)
	}
}

// The processor's counter is not everywhere; a counter of the kernel's goes
// the same way.
func TestCounterIsOfTheProgramsThread(t *testing.T) {
	needGo(t)
	clock := event{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK}
	if err := tryCounter(clock); err != nil {
		t.Skip(err)
	}
	path, err := small.program(t.Context(), bench(), layouts[0])
	if err != nil {
		t.Fatal(err)
	}
	ns, err := countEvent(t.Context(), clock, path, 3)
	if err != nil {
		t.Fatal(err)
	}
	if ns < 1 || ns > 1e6 {
		t.Errorf("a decode takes %v ns of the thread's time", ns)
	}
}

func TestMissesHaveASource(t *testing.T) {
	testenv.Builds(t)
	needGo(t)
	list, err := small.probeMisses(t.Context(), bench(), 3)
	labtest.Measured(t, err)
	if len(list) != len(layouts) {
		t.Fatalf("%d metrics", len(list))
	}
	for _, m := range list {
		if m.Unit != unitMisses || !strings.HasSuffix(m.Label, "by "+byCounter) && !strings.HasSuffix(m.Label, "by "+byCachegrind) {
			t.Errorf("metric %+v", m)
		}
	}
}

func TestWhyNotMeasured(t *testing.T) {
	needGo(t)
	broken := variant{name: "broken", sizes: []int{1}, only: layouts[0], change: func(text string) string { return text + "\nfunc broken() { return 1 }\n" }}
	wrong := variant{name: "wrong", sizes: []int{1}, only: layouts[0], change: func(text string) string {
		return strings.Replace(text, "ThriftDecodeBinary(d *", "ThriftDecodeBinary(_ *", 1)
	}}
	for _, tt := range []struct {
		name string
		v    variant
		path string // PATH
		want []string
	}{
		{"no go command", small, "", []string{"go command", "there is none"}},
		{"code that can't be built", broken, os.Getenv("PATH"), []string{"can't build the decoders", "shared.go:", "too many return values"}},
		{"code that can't be built either", wrong, os.Getenv("PATH"), []string{"can't build the decoders", "undefined: d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", tt.path)
			_, err := tt.v.build(t.Context(), source{1, layouts[0], 1})
			var nm *lab.NotMeasured
			if !errors.As(err, &nm) {
				t.Fatalf("error is %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(nm.Reason, want) {
					t.Errorf("reason %q lacks %q", nm.Reason, want)
				}
			}
			if strings.Contains(nm.Reason, "\n") {
				t.Errorf("reason %q is more than a line", nm.Reason)
			}
		})
	}
}

func TestBuildEndsWhenAsked(t *testing.T) {
	needGo(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := variant{name: "ended", sizes: []int{2}}.build(ctx, source{2, layouts[0], 1})
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error is %v", err)
	}
}

func TestCache(t *testing.T) {
	needGo(t)
	build := func(seed int) string {
		path, err := small.build(t.Context(), source{3, layouts[0], seed})
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	first, other := build(1), build(2)
	if first == other {
		t.Error("two orders of functions share a program")
	}
	folder := filepath.Dir(first) // the entry
	before, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(folder, time.Now(), time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if again := build(1); again != first {
		t.Errorf("built at %s, then at %s", first, again)
	}
	after, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) || time.Since(after.ModTime()) > time.Hour {
		t.Error("what is in the cache was built again, or not noted as in use")
	}
}

func TestL1i(t *testing.T) {
	dir := t.TempDir()
	write := func(index string, files map[string]string) {
		if err := os.MkdirAll(filepath.Join(dir, index), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, index, name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("index0", map[string]string{"level": "1", "type": "Data", "size": "48K", "ways_of_associativity": "12", "coherency_line_size": "64"})
	if got := l1i(dir); got != "" {
		t.Errorf("without an instruction cache: %q", got)
	}
	write("index1", map[string]string{"level": "1", "type": "Instruction", "size": "32K", "ways_of_associativity": "8"})
	if got := l1i(dir); got != "" {
		t.Errorf("without the size of a line: %q", got)
	}
	write("index1", map[string]string{"coherency_line_size": "64"})
	if got := l1i(dir); got != "32768,8,64" {
		t.Errorf("got %q", got)
	}
}

func TestMissesIn(t *testing.T) {
	for _, tt := range []struct {
		out  string
		want int64
		ok   bool
	}{
		{"==14605== I   refs:      4,340,142\n==14605== I1  misses:       73,142\n==14605== LLi misses:        9,228\n", 73142, true},
		{"==1== I1  misses: 0\n", 0, true},
		{"==1== I refs:        4,340\n", 0, false},
		{"valgrind: no such file\n", 0, false},
		{"", 0, false},
	} {
		if got, ok := missesIn(tt.out); got != tt.want || ok != tt.ok {
			t.Errorf("%q: %d, %v", tt.out, got, ok)
		}
	}
}
