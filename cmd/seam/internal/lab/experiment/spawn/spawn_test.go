//seam:test race nocgo arm64

package spawn

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

func TestNamesAreFixed(t *testing.T) {
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		timed, probed := map[string]bool{}, map[string]bool{}
		for _, c := range Experiment.Cases(mode) {
			switch {
			case (c.Setup == nil) == (c.Probe == nil):
				t.Errorf("%s: want one of Setup and Probe", c.Name)
			case c.Setup != nil && len(probed) > 0:
				t.Errorf("%s is timed after a case that grows the program", c.Name)
			case c.Setup != nil:
				timed[c.Name] = true
			default:
				probed[c.Name] = true
			}
			if c.Label == "" || c.Base != (c.Name == "Spawn/kind=goroutine") {
				t.Errorf("bad case %+v", c)
			}
		}
		for _, kind := range []string{"goroutine", "thread", "process"} {
			if !timed["Spawn/kind="+kind] || !probed["Spawn/kind="+kind+"/what=parked"] {
				t.Errorf("%v: no case for time or memory of %s", mode, kind)
			}
		}
		if !timed["Spawn/kind=fork"] || len(timed) != 4 || len(probed) != 3 {
			t.Errorf("%v: cases are %v and %v", mode, timed, probed)
		}
	}
}

func TestCounts(t *testing.T) {
	if n := countsOf(lab.Quick).goroutines; n != 100_000 {
		t.Errorf("quick parks %d goroutines, want 100000", n)
	}
	if n := countsOf(lab.Full).goroutines; n != 1_000_000 {
		t.Errorf("full parks %d goroutines, want 1000000", n)
	}
}

func TestTimedCases(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Setup == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			before := labtest.Leftovers(t)
			op, err := c.Setup()
			labtest.Measured(t, err)
			op.Run(1)
			op.Run(5)
			if op.Close != nil {
				op.Close()
			}
			labtest.NoMoreThan(t, before)
		})
	}
}

func TestMemoryCases(t *testing.T) {
	tests := []struct {
		kind   string
		probe  func(context.Context, int) ([]lab.Metric, error)
		n      int
		lo, hi float64 // bytes of one that nobody would doubt
	}{
		{"goroutine", parkGoroutines, 5000, 1 << 10, 64 << 10},
		{"thread", parkThreads, 50, 1 << 10, 1 << 20},
		{"process", parkProcesses, 3, 16 << 10, 64 << 20},
	}
	goroutines := runtime.NumGoroutine()
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			before := labtest.Leftovers(t)
			found, err := tt.probe(t.Context(), tt.n)
			labtest.Measured(t, err)
			main := "Spawn/kind=" + tt.kind
			values := map[string]float64{}
			for _, m := range found {
				if !strings.HasPrefix(m.Name, main) || m.Label == "" || m.Unit == "" || math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
					t.Errorf("bad metric %+v", m)
				}
				if _, twice := values[m.Name+" "+m.Unit]; twice {
					t.Errorf("%s %s is found twice", m.Name, m.Unit)
				}
				values[m.Name+" "+m.Unit] = m.Value
			}
			if v, ok := values[main+" B/unit"]; runtime.GOOS == "linux" && (!ok || v < tt.lo || v > tt.hi) {
				t.Errorf("%s takes %v bytes, want %v to %v", tt.kind, v, tt.lo, tt.hi)
			}
			if v := values[main+"/what=count count"]; v != float64(tt.n) {
				t.Errorf("count is %v, want %d", v, tt.n)
			}
			labtest.NoMoreThan(t, before)
		})
	}
	labtest.NoMoreGoroutines(t, goroutines)
}

func TestCancelledProbeLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	goroutines, before := runtime.NumGoroutine(), labtest.Leftovers(t)
	for _, probe := range []func(context.Context, int) ([]lab.Metric, error){parkGoroutines, parkProcesses, parkThreads} {
		_, err := probe(ctx, 100)
		var nm *lab.NotMeasured
		if !errors.Is(err, context.Canceled) && !errors.As(err, &nm) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
	labtest.NoMoreThan(t, before)
	labtest.NoMoreGoroutines(t, goroutines)
}

func TestTooLittleMemoryIsNotMeasured(t *testing.T) {
	if _, ok := available(); !ok {
		t.Skip("the system does not say how much memory is available")
	}
	err := needMemory(math.MaxInt64, 7, "goroutines")
	var nm *lab.NotMeasured
	if !errors.As(err, &nm) || !strings.Contains(nm.Reason, "7 goroutines need") {
		t.Errorf("got %v, want a reason with the memory needed", err)
	}
	if err := needMemory(1, 1, "goroutines"); err != nil {
		t.Errorf("one byte: %v", err)
	}
}

func TestRaceDetectorIsNotOverrun(t *testing.T) {
	if !raceDetector {
		t.Skip("for builds with -race")
	}
	_, err := parkGoroutines(t.Context(), 100_000)
	var nm *lab.NotMeasured
	if !errors.As(err, &nm) {
		t.Errorf("got %v, want a reason", err)
	}
}
