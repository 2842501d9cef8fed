//go:build unix

package lab

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// quickly makes the budgets of the tests small.
func quickly(t *testing.T, silence time.Duration) {
	old := budgets
	budgets = map[Mode]budget{Quick: {rounds: 2, share: 40 * time.Millisecond, strict: true, silence: silence}}
	t.Cleanup(func() { budgets = old })
}

func find(t *testing.T, run *result.Run, name string) *result.Series {
	t.Helper()
	for _, e := range run.Experiments {
		for i := range e.Series {
			if e.Series[i].Name == name {
				return &e.Series[i]
			}
		}
	}
	t.Fatalf("the result has no series %s", name)
	return nil
}

func TestRunMeasures(t *testing.T) {
	quickly(t, time.Minute)
	r := runnerOf("good", "skips")
	r.Rounds = 3
	var seen []Progress
	r.Progress = func(p Progress) { seen = append(seen, p) }
	run, failures := r.Run(context.Background())
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	if len(run.Experiments) != 2 || run.Experiments[0].Name != "good" {
		t.Fatalf("experiments: %+v", run.Experiments)
	}
	e := &run.Experiments[0]
	if e.Rounds != 3 || run.Rounds != 3 || run.Interrupted {
		t.Errorf("rounds %d of %d, interrupted %v", e.Rounds, run.Rounds, run.Interrupted)
	}

	var names []string
	for _, s := range e.Series {
		names = append(names, s.Name+" "+s.Unit)
		if s.NotMeasured != "" || len(s.Samples) == 0 || s.Lo > s.Median || s.Median > s.Hi {
			t.Errorf("series %+v", s)
		}
	}
	if got, want := strings.Join(names, ", "), "T/via=base ns/op, T/via=ten ns/op, P B/unit, P/other count, Alone ns/op"; got != want {
		t.Errorf("series %s, want %s", got, want)
	}
	if ref := find(t, run, "T/via=ten").Reference; ref == nil || ref.Value != 5 {
		t.Errorf("reference %+v", ref)
	}
	if p := find(t, run, "P"); p.Median != 2048 || p.Label != "a probe" {
		t.Errorf("probe %+v", p)
	}
	if c := e.Compared("T/via=ten"); c == nil || c.Base != "T/via=base" || c.Verdict == "" || c.Blocks < 6 {
		t.Errorf("comparison %+v", c)
	}
	if len(e.Comparisons) != 1 || len(e.Controls) != 1 {
		t.Fatalf("%d comparisons, %d controls, want 1 and 1: a group without a base has none", len(e.Comparisons), len(e.Controls))
	}
	if c := e.Controls[0]; c.Name != "T/via=base" || c.Base != "T/via=base#control" {
		t.Errorf("control %+v", c)
	}
	if len(e.Findings) != 1 {
		t.Errorf("Explain was not called once: %q", e.Findings)
	}
	if len(seen) == 0 || seen[0].Rounds != 3 || seen[0].Left <= 0 {
		t.Errorf("progress %+v", seen)
	}
}

// An operation that another process does tells its own time, and a yardstick is
// compared with nothing.
func TestTimeFromElsewhere(t *testing.T) {
	quickly(t, time.Minute)
	r := runnerOf("elsewhere")
	run, failures := r.Run(context.Background())
	e := &run.Experiments[0]
	for _, s := range find(t, run, "T/via=elsewhere").Samples {
		if s.N != 10 || s.Value != float64(s.Round+1) {
			t.Fatalf("sample %+v: want what the operation says, which knows its round", s)
		}
	}
	if c := e.Compared("T/via=elsewhere"); c == nil || c.Base != "T/via=base" {
		t.Errorf("comparison %+v", c)
	}
	if s := find(t, run, "T/yardstick"); s.NotMeasured != "" || e.Compared("T/yardstick") != nil {
		t.Errorf("the yardstick is %+v, compared by %+v", s, e.Compared("T/yardstick"))
	}
	if got := strings.Join(run.Bases(), " "); got != "T/yardstick" {
		t.Errorf("bases are %s", got)
	}
	if s := find(t, run, "T/via=skip"); s.NotMeasured != "no compiler" {
		t.Errorf("not measured: %q", s.NotMeasured)
	}
	if len(failures) != 2 || !strings.Contains(failures[0].Error(), "T/via=late: panic: in time") {
		t.Errorf("failures: %v", failures)
	}
}

// Profiles of one name are added up over the processes, and are part of the result.
func TestProfiles(t *testing.T) {
	quickly(t, time.Minute)
	run, failures := runnerOf("profiles").Run(context.Background())
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	e := &run.Experiments[0]
	each, first := e.Profile("P/each"), e.Profile("P/first")
	if each == nil || first == nil || len(e.Profiles) != 2 || each.Total() != 3 || first.Total() != 1 || len(each.Frames) != 2 {
		t.Errorf("profiles %+v", e.Profiles)
	}
	if err := run.Encode(io.Discard); err != nil {
		t.Error(err)
	}
	_, failures = runnerOf("misprofiles").Run(context.Background())
	if len(failures) != 1 || !strings.Contains(failures[0].Error(), "the profile P is in ns and in B") {
		t.Errorf("failures: %v", failures)
	}
	NewBench(Quick, 1).Profile(*each) // where nobody listens
}

func TestNotMeasured(t *testing.T) {
	quickly(t, time.Minute)
	run, failures := runnerOf("skips").Run(context.Background())
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	for name, want := range map[string]string{
		"T/via=base":  "",
		"T/via=skip":  "no permission",
		"T/via=error": "no such device",
		"P/via=skip":  "one CPU",
	} {
		if got := find(t, run, name).NotMeasured; got != want {
			t.Errorf("%s: not measured: %q, want %q", name, got, want)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		experiment string
		failures   int
		says       []string          // in the failures
		missing    map[string]string // what a row without a figure says
		measured   []string
	}{
		{"panics", 2, []string{"in setup", "in run", "in probe"},
			map[string]string{"T/via=setup": "in setup", "P": "in probe"},
			[]string{"T/via=base", "T/via=late"}},
		{"noise", 0, nil, nil, []string{"T/via=base", "T/via=print"}},
		{"crash-once", 1, []string{"signal: killed", "last words", "round 1"}, nil, []string{"T/via=base", "T/via=crash"}},
		{"segv", 2, []string{"SIGSEGV", "while it measured T/via=segv"},
			map[string]string{"T/via=segv": "SIGSEGV"}, nil},
		{"exits", 2, []string{"before it was done"},
			map[string]string{"T/via=exit": "before it was done"}, nil},
		{"garbles", 2, []string{"sent an invalid event"},
			map[string]string{"T/via=garble": "an invalid event"}, nil},
		{"stuck", 2, []string{"reported nothing for 3s"},
			map[string]string{"T/via=stuck": "killed"}, nil},
		{"nan", 2, []string{"P/nan: ns is NaN"}, map[string]string{"P/nan": "NaN"}, nil},
		{"explains-badly", 1, []string{"division by zero"}, nil, []string{"T/via=base"}},
	} {
		t.Run(tt.experiment, func(t *testing.T) {
			silence := time.Minute
			if tt.experiment == "stuck" {
				silence = 3 * time.Second // no other worker is stopped by it
			}
			quickly(t, silence)
			t.Setenv("SEAM_LAB_TEST_FIRST", filepath.Join(t.TempDir(), "first"))
			run, failures := runnerOf(tt.experiment).Run(context.Background())
			if len(failures) != tt.failures {
				t.Errorf("%d failures, want %d: %v", len(failures), tt.failures, failures)
			}
			all := ""
			for _, f := range failures {
				all += f.Error() + "\n"
			}
			for _, s := range tt.says {
				if !strings.Contains(all, s) {
					t.Errorf("the failures don't say %q:\n%s", s, all)
				}
			}
			for name, why := range tt.missing {
				if got := find(t, run, name).NotMeasured; !strings.Contains(got, why) {
					t.Errorf("%s: not measured: %q, want %q", name, got, why)
				}
			}
			for _, name := range tt.measured {
				if s := find(t, run, name); s.NotMeasured != "" || len(s.Samples) == 0 {
					t.Errorf("%s: not measured: %q", name, s.NotMeasured)
				}
			}
			if tt.failures > 0 && len(run.Experiments[0].Notes) == 0 {
				t.Error("the result has no note of the failure")
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	quickly(t, time.Minute)
	ctx, cancel := context.WithCancel(context.Background())
	r := runnerOf("good", "stuck")
	r.Rounds = 1
	r.Seed = 0
	done := 0
	r.Progress = func(p Progress) {
		if p.Experiment == "stuck" && p.Label == "h" {
			cancel()
		}
		done++
	}
	start := time.Now()
	run, failures := r.Run(ctx)
	if took := time.Since(start); took > 10*time.Minute { // what is stuck would take an hour
		t.Errorf("the interrupt took %v", took)
	}
	if len(failures) > 0 {
		t.Error(failures)
	}
	if !run.Interrupted {
		t.Error("the result does not say that it was interrupted")
	}
	for _, e := range run.Experiments {
		if e.Name == "stuck" {
			if s := find(t, run, "T/via=stuck"); s.NotMeasured != "interrupted" {
				t.Errorf("stuck case: %q", s.NotMeasured)
			}
		}
	}
}

// What had not begun is in the result too, and says why it has no figures.
func TestInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	run, failures := runnerOf("good", "explains-badly").Run(ctx)
	if !run.Interrupted || len(run.Experiments) != 2 || len(failures) != 0 {
		t.Errorf("interrupted %v, experiments %v, failures %v", run.Interrupted, run.Experiments, failures)
	}
	for _, e := range run.Experiments {
		for _, s := range e.Series {
			if s.NotMeasured != "interrupted" {
				t.Errorf("%s: not measured: %q", s.Name, s.NotMeasured)
			}
		}
		if len(e.Findings) > 0 {
			t.Errorf("%s: findings without figures: %q", e.Name, e.Findings)
		}
	}
}

func TestInterruptedBetweenRounds(t *testing.T) {
	quickly(t, time.Minute)
	for _, tt := range []struct {
		stopAt      int
		interrupted bool
		note        string
	}{
		{1, true, "The findings are from 1 of 3 processes."},
		{2, true, "The findings are from 2 of 3 processes."},
		{3, false, ""},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		r := runnerOf("good")
		r.Rounds = 3
		started := 0
		r.Worker = func() *exec.Cmd {
			if started++; started > tt.stopAt {
				cancel()
			}
			return testWorker()
		}
		run, failures := r.Run(ctx)
		cancel()
		if run.Interrupted != tt.interrupted || len(failures) > 0 {
			t.Errorf("stopped after %d of 3: interrupted %v, failures %v", tt.stopAt, run.Interrupted, failures)
		}
		if notes := strings.Join(run.Experiments[0].Notes, "\n"); notes != tt.note {
			t.Errorf("stopped after %d of 3: notes %q, want %q", tt.stopAt, notes, tt.note)
		}
	}
}

// A run that lacks nothing was not interrupted, even if Ctrl-C came in its end.
func TestInterruptedWhenAllIsMeasured(t *testing.T) {
	quickly(t, time.Minute)
	ctx, cancel := context.WithCancel(context.Background())
	r := runnerOf("good")
	r.Rounds = 1
	explain := r.Experiments[0].Explain
	r.Experiments[0].Explain = func(e *result.Experiment) { cancel(); explain(e) }
	run, failures := r.Run(ctx)
	if run.Interrupted || len(failures) > 0 || len(run.Experiments[0].Notes) > 0 {
		t.Errorf("interrupted %v, failures %v, notes %q", run.Interrupted, failures, run.Experiments[0].Notes)
	}
}

func TestWorkerCannotStart(t *testing.T) {
	quickly(t, time.Minute)
	r := runnerOf("good")
	r.Worker = func() *exec.Cmd { return exec.Command(filepath.Join(t.TempDir(), "nothing-here")) }
	run, failures := r.Run(context.Background())
	if len(failures) != 2 || !strings.Contains(failures[0].Error(), "start a worker") {
		t.Errorf("failures %v", failures)
	}
	if s := find(t, run, "T/via=base"); !strings.Contains(s.NotMeasured, "start a worker") {
		t.Errorf("not measured: %q", s.NotMeasured)
	}
}

// A parent that is killed leaves no worker behind.
func TestNoOrphan(t *testing.T) {
	tell := filepath.Join(t.TempDir(), "pid")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"=parent", "SEAM_LAB_TEST_TELL="+tell)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	waitFor(t, "the worker to start", func() bool {
		text, err := os.ReadFile(tell)
		if err == nil {
			pid, err = strconv.Atoi(string(text))
		}
		return err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	waitFor(t, "the worker to end", func() bool { return gone(pid) })
}

// gone reports whether a process has ended. One that nobody has waited for yet,
// since its new parent is slow, has ended too.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func waitFor(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for range 15000 {
		if happened() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}
