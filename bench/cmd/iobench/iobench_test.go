//go:build cgo && linux && seam_servers

package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/bench/internal/command"
)

// mainEnv makes the test binary iobench itself, with its arguments.
const mainEnv = "SEAM_TEST_IOBENCH"

// failEnv names a mode whose processes fail.
const failEnv = "SEAM_TEST_IOBENCH_FAIL"

// The processes that measure are this binary again.
func TestMain(m *testing.M) {
	if mode := os.Getenv(failEnv); mode != "" && strings.Contains(os.Getenv(taskEnv), `"Mode":"`+mode+`"`) {
		os.Stderr.WriteString("made to fail\n")
		os.Exit(1)
	}
	if os.Getenv(taskEnv) != "" || os.Getenv(mainEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// iobench runs the program and returns what it prints.
func iobench(t *testing.T, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), mainEnv+"=1")
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("iobench %v: %v\n%s%s", args, err, out, stderr.Bytes())
	}
	return string(out)
}

func TestGets(t *testing.T) {
	file := t.TempDir() + "/io.txt"
	out := iobench(t, "-n", "1,20", "-rounds", "2", "-time", "50ms", "-warmup", "10ms", "-o", file)
	lines := strings.Split(out, "\n")
	for _, n := range []string{"1", "20"} {
		for _, mode := range modes {
			if !slices.ContainsFunc(lines, func(l string) bool {
				f := strings.Fields(l)
				return len(f) > 8 && f[0] == n && f[1] == mode && strings.Contains(l, "×") == (mode != "cgo")
			}) {
				t.Errorf("no row for %s connections, %s in\n%s", n, mode, out)
			}
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\nBenchmarkIO/op=get/n=20/via=executor "); n != 2 {
		t.Errorf("%d lines for the executor's 2 processes in\n%s", n, text)
	}
}

func TestBlocked(t *testing.T) {
	out := iobench(t, "-blpop", "50")
	for _, mode := range modes {
		if !strings.Contains(out, "\n"+mode+" ") {
			t.Errorf("no row for %s in\n%s", mode, out)
		}
	}
	out = iobench(t, "-cancel", "-modes", "cgo,executor")
	if !strings.Contains(out, "\nexecutor ") || strings.Contains(out, "\ncgo ") {
		t.Errorf("want a row for executor alone in\n%s", out)
	}
}

// When one mode fails, for want of descriptors say, the others are measured.
func TestBlockedFails(t *testing.T) {
	t.Setenv(failEnv, "floating")
	runtime.LockOSThread() // see startRedis
	defer runtime.UnlockOSThread()
	port, stop, err := startRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	var out bytes.Buffer
	m := &measurement{options: options{modes: []string{"floating", "executor"}}, host: "127.0.0.1", port: port, stderr: command.Screen{Writer: io.Discard}}
	err = m.blocked(t.Context(), &out, 10, false)
	if err == nil || !strings.Contains(err.Error(), "floating: ") || !strings.Contains(err.Error(), "made to fail") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(out.String(), "\nexecutor ") || strings.Contains(out.String(), "\nfloating ") {
		t.Errorf("want a row for executor alone in\n%s", out.String())
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"surplus", "not wanted", command.Usage},
		{"-n 1,x", "not a number above zero", command.Usage},
		{"-n 0", "not a number above zero", command.Usage},
		{"-modes cgo,fast", `no mode "fast"`, command.Usage},
		{"-rounds 0", "above zero", command.Usage},
		{"-blpop 3 -cancel", "not -cancel", command.Usage},
		{"-blpop 3 -o f", "not for -blpop", command.Usage},
		{"-addr nowhere", "want host:port", command.Usage},
		{"-addr 127.0.0.1:1 -rounds 1", "refused", command.Failed},
	} {
		code, err := run(t.Context(), strings.Fields(c.args), io.Discard, io.Discard)
		if code != c.code || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: code %d, %v, want %d, %q", c.args, code, err, c.code, c.want)
		}
	}
	if code, err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); command.Conclude("iobench", code, err) != 0 || !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: code %d, %v", code, err)
	}
}

// A quantile is within 1/32 of the true one.
func TestHistogram(t *testing.T) {
	var h, other histogram
	if q := h.quantile(0.5); q != 0 {
		t.Errorf("the median of nothing is %v", q)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var all []time.Duration
	for i := range 10_000 {
		d := time.Duration(math.Exp(r.Float64() * 25))
		all = append(all, d)
		if i%2 == 0 {
			h.add(d)
		} else {
			other.add(d)
		}
	}
	h.merge(&other)
	if n := h.total(); n != 10_000 {
		t.Errorf("%d were counted", n)
	}
	slices.Sort(all)
	for _, q := range []float64{0, 0.01, 0.5, 0.99, 0.9999, 1} {
		want := all[min(int(q*float64(len(all))), len(all)-1)]
		if got := h.quantile(q); math.Abs(float64(got-want)) > float64(want)/32+1 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	for _, d := range []time.Duration{0, 1, 31, 32, 33, 63, 64, 65, 1 << 40, math.MaxInt64} {
		if m := middle(bucket(d)); math.Abs(float64(m-d)) > float64(d)/32+1 {
			t.Errorf("%d is counted as %d", d, m)
		}
	}
	if bucket(-1) != 0 {
		t.Error("a clock that goes back")
	}
}

func TestFairness(t *testing.T) {
	for _, c := range []struct {
		calls []int64
		want  float64
	}{{[]int64{5, 5, 5, 5}, 1}, {[]int64{8, 0, 0, 0}, 0.25}, {[]int64{1, 3}, 0.8}} {
		workers := make([]worker, len(c.calls))
		for i, n := range c.calls {
			workers[i].ended.Store(n)
		}
		if got := fairness(workers); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.calls, got, c.want)
		}
	}
}

// What is said must be what was measured: ratios by round, medians.
func TestReport(t *testing.T) {
	result := func(ops int64, threads int) loadResult {
		return loadResult{Ops: ops, Elapsed: time.Second, P50: 10 * time.Microsecond, P99: 2 * time.Millisecond, Longest: 3 * time.Millisecond,
			Served: 3, Fairness: 0.75, CPU: time.Second, Threads: threads, Resident: 3 << 20}
	}
	m := &measurement{options: options{rounds: 2, modes: []string{"floating", "cgo"}}}
	m.series = []*series{
		{n: 4, mode: "floating", rounds: []loadResult{result(1000, 5), result(4000, 7)}},
		{n: 4, mode: "cgo", rounds: []loadResult{result(500, 9), result(2000, 9)}},
	}
	if v := m.series[0].speedup(m.series[1], loadResult.evenly); math.Abs(v.Ratio-2) > 1e-9 || math.Abs(v.Lo-2) > 1e-9 {
		t.Errorf("twice the calls in each round are %+v", v)
	}
	var out, file bytes.Buffer
	if err := m.reportGets(&out); err != nil {
		t.Fatal(err)
	}
	if want := "4  floating     2500  10.0 µs  2.00 ms  3.00 ms    75 %      0.75"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	if !strings.Contains(out.String(), "2.00×") {
		t.Errorf("no ratio in\n%s", out.String())
	}
	if err := m.writeBenchfmt(&file); err != nil {
		t.Fatal(err)
	}
	if want := "BenchmarkIO/op=get/n=4/via=cgo 500 2e+06 ns/op 500 ops/s 10000 p50-ns 2000000 p99-ns 3000000 longest-ns 3 served 0.75 fairness 2e+06 cpu-ns/op 9 threads 3145728 resident-B\n"; !strings.Contains(file.String(), want) {
		t.Errorf("no line %q in\n%s", want, file.String())
	}
	m.modes, m.series = m.modes[:1], m.series[:1]
	if m.base(0) != nil {
		t.Error("a base where cgo was not measured")
	}
}
