package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/thrift/codecs"
	"github.com/seamgo/seam/bench/thrift/hostile"
)

// mainEnv makes the test binary thriftbench itself, with its arguments.
const mainEnv = "SEAM_TEST_THRIFTBENCH"

// The processes that measure are this binary again.
func TestMain(m *testing.M) {
	if os.Getenv(mainEnv) != "" {
		main()
	}
	if child, err := inChild(); child {
		os.Exit(command.Conclude("thriftbench", command.Failed, err))
	}
	os.Exit(m.Run())
}

// thriftbench runs the program and returns what it prints.
func thriftbench(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var both bytes.Buffer
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), mainEnv+"=1")
	c.Stdout, c.Stderr = &both, &both
	err := c.Run()
	return both.String(), err
}

func TestCodec(t *testing.T) {
	file := t.TempDir() + "/thrift.txt"
	out, err := thriftbench(t, "-parts", "codec", "-bench", "msg=order/lib=(seam|fastgo|memcpy)$", "-rounds", "2", "-count", "1", "-benchtime", "1ms", "-heap", "0,1", "-o", file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range []string{"encode order seam ", "encode order fastgo ", "encode order memcpy ", "decode order seam ", "decode order fastgo ", "decode-into order seam ", "encode order, seam to fastgo 0 MB ≤0.72 ", "encode order, seam to fastgo 1 MB ≤0.72 "} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), row) {
			t.Errorf("no row %q in\n%s", row, out)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\nBenchmarkCodec/op=decode/msg=order/lib=fastgo/heap=1MB "); n != 2 {
		t.Errorf("%d lines for 2 processes in\n%s", n, text)
	}
}

// In one process, too, each library is measured.
func TestTogether(t *testing.T) {
	out, err := thriftbench(t, "-parts", "codec", "-bench", "op=decode/msg=order/lib=(seam|fastgo|kitex)$", "-rounds", "2", "-count", "1", "-benchtime", "1ms", "-heap", "0", "-together")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range []string{"rounds of one process", "decode order seam ", "decode order fastgo ", "decode order kitex "} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), row) {
			t.Errorf("no %q in\n%s", row, out)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"order"}, "argument order is not wanted"},
		{[]string{"-parts", "codec,speed"}, `no part "speed"`},
		{[]string{"-rounds", "0"}, "must be above zero"},
		{[]string{"-bench", "("}, "-bench: "},
		{[]string{"-parts", "build", "-o", "x"}, "-o and -results are for codec"},
		{[]string{"-parts", "build", "-results", "x"}, "-o and -results are for codec"},
		{[]string{"-heap", "0,many"}, `"many" is no number of MB`},
	} {
		code, err := run(t.Context(), c.args, io.Discard, io.Discard)
		if code != command.Usage || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: code %d, %v; want code %d and %q", c.args, code, err, command.Usage, c.says)
		}
	}
	if code, err := run(t.Context(), []string{"-parts", "codec", "-bench", "nothing"}, io.Discard, io.Discard); code != command.Failed || err == nil {
		t.Errorf("nothing to measure: code %d, %v", code, err)
	}
}

// made is a measurement in which each library takes the same time in every round.
func made(times map[string]float64) *measurement {
	m := &measurement{bench: &bench{stdout: io.Discard, options: options{rounds: 3, heaps: []int{0}}}}
	for lib, ns := range times {
		s := &series{Subject: codecs.Subject{Op: codecs.Encode, Msg: "ex4096", Lib: lib}}
		for range m.rounds {
			s.rounds = append(s.rounds, sample{N: 1, Time: ns})
		}
		m.series = append(m.series, s)
	}
	return m
}

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		seam   float64
		missed int
	}{{30, 0}, {34, 1}, {40, 2}} { // ≤0.35 of fastgo's 100, ≤1.3 of memcpy's 25
		m := made(map[string]float64{"seam": c.seam, "fastgo": 100, "kitex": 200, "memcpy": 25})
		if best := m.best(codecs.Encode, "ex4096", 0); best.Lib != "fastgo" {
			t.Fatalf("the best peer is %s", best.Lib)
		}
		if err := m.report(); err != nil {
			t.Fatal(err)
		}
		if m.missed != c.missed {
			t.Errorf("seam takes %v: %d goals missed, want %d", c.seam, m.missed, c.missed)
		}
	}
}

func TestVerdicts(t *testing.T) {
	malformed, flood := hostile.Input{Name: "recursion: deep"}, hostile.Input{Name: "flood: much", Valid: true}
	const budget = 64<<10 + 4*100
	refused := hostile.Result{Bytes: 100, Messages: 1, Refused: 1, Memory: budget}
	with := func(change func(*hostile.Result)) hostile.Result {
		r := refused
		change(&r)
		return r
	}
	for _, c := range []struct {
		name   string
		o      ordeal
		want   verdict
		missed bool
	}{
		{"refused", ordeal{Result: refused, in: malformed}, fine, false},
		{"slowly", ordeal{Result: with(func(r *hostile.Result) { r.Longest = 2 * time.Millisecond }), in: malformed}, fine, true},
		{"at a price", ordeal{Result: with(func(r *hostile.Result) { r.Memory++ }), in: malformed}, costly, true},
		{"not refused", ordeal{Result: with(func(r *hostile.Result) { r.Refused = 0 }), in: malformed}, accepted, true},
		{"a panic", ordeal{Result: with(func(r *hostile.Result) { r.Panics = 1 }), in: malformed}, panicked, true},
		{"a death", ordeal{Result: refused, died: "fatal error", in: malformed}, died, true},
		{"a flood that is read", ordeal{Result: with(func(r *hostile.Result) { r.Refused = 0 }), in: flood}, fine, false},
		{"a flood that is read at a price", ordeal{Result: with(func(r *hostile.Result) { r.Refused, r.Memory = 0, 2*budget }), in: flood}, costly, false},
	} {
		c.o.lib = "seam"
		if got := c.o.verdict(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, verdicts[got], verdicts[c.want])
		}
		if got := c.o.missed(); got != c.missed {
			t.Errorf("%s: goal missed is %v", c.name, got)
		}
		if c.o.lib = "kitex"; c.o.missed() {
			t.Errorf("%s: a peer misses our goal", c.name)
		}
	}
	tight := ordeal{Result: with(func(r *hostile.Result) { r.Refused, r.Memory = 0, 2*budget }), in: flood, lib: "seam-tight"}
	if !tight.missed() {
		t.Error("with the tight limit a flood may cost more")
	}
}

func TestTaskReportsErrors(t *testing.T) {
	if _, err := process(t.Context(), task{Names: []string{"Codec/op=encode/msg=ex64/lib=none"}, Count: 1, Time: time.Millisecond}); err == nil || !strings.Contains(err.Error(), "no codec") {
		t.Errorf("a codec that does not exist: %v", err)
	}
	broken := errors.New("broken")
	n := 0
	if _, err := (task{Count: 1, Time: time.Millisecond}).run([]func(int) error{func(int) error { n++; return broken }}); !errors.Is(err, broken) || n != 1 {
		t.Errorf("work that fails ran %d times: %v", n, err)
	}
}

// Allocations are counted per operation.
func TestTaskCounts(t *testing.T) {
	var kept []byte
	allocate := func(n int) error {
		for range n {
			kept = make([]byte, 1024)
		}
		return nil
	}
	found, err := task{Count: 3, Time: 2 * time.Millisecond}.run([]func(int) error{allocate, func(int) error { return nil }})
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	s := found[0]
	if err != nil || fmt.Sprintf("%.0f %.0f", s.Bytes, s.Allocs) != "1024 1" || s.Time <= 0 || len(kept) != 1024 {
		t.Errorf("1 KB allocated: %+v, %v", s, err)
	}
}
