package versions

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/internal/testenv"
)

// Nobody downloads gigabytes for a quick look.
func TestFullOnly(t *testing.T) {
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal} {
		if n := len(cases(mode)); n > 0 {
			t.Errorf("%d cases in mode %v", n, mode)
		}
	}
	if n := len(cases(lab.Full)); n != len(things)*len(releases) {
		t.Errorf("%d cases of %d things and %d releases", n, len(things), len(releases))
	}
}

// The program does all things; SEAM_SOAK has it built by every release, which downloads
// them.
func TestProgram(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	list := releases[len(releases)-1:]
	if os.Getenv("SEAM_SOAK") != "" {
		list = releases
	}
	for _, r := range list {
		path, err := build(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, th := range things {
			op, err := startProgram(t.Context(), &lab.Bench{Mode: lab.Full, Stretch: time.Millisecond}, path, th)
			if err != nil {
				t.Fatalf("%s, %s: %v", r.name, th.name, err)
			}
			if took := op.Time(10); took <= 0 {
				t.Errorf("%s, %s took %v", r.name, th.name, took)
			}
			op.Close()
		}
		if _, err := startProgram(t.Context(), &lab.Bench{Stretch: time.Millisecond}, path, thing{name: "nothing"}); err == nil {
			t.Error("what the program doesn't know was measured")
		}
	}
}

// What is said and drawn of a run in which each release was a tenth faster than the one
// before, with noise, holds; where nothing was measured, nothing is said.
func TestExplain(t *testing.T) {
	run := &result.Experiment{Name: Experiment.Name, Rounds: 4}
	for _, th := range things {
		for i, r := range releases {
			for _, control := range []string{"", "#control"} {
				if control != "" && r != oldest {
					continue
				}
				s := result.Series{Name: name(th, r) + control, Unit: unitTime}
				for k := range 40 {
					v := 100 * math.Pow(0.9, float64(i)) * (1 + 0.001*float64((k*7+i)%5))
					s.Samples = append(s.Samples, result.Sample{Round: k / 10, Block: k % 10, N: 1000, Value: v})
				}
				run.Series = append(run.Series, s)
			}
		}
	}
	found, err := lab.Replay(Experiment, lab.Full, run, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Findings) != len(things) || len(found.Charts) != 1+len(things) || len(found.Charts[0].Lines) != len(things) {
		t.Fatalf("%d findings, %d charts", len(found.Findings), len(found.Charts))
	}
	for _, fault := range labtest.Untrue(found) {
		t.Error(fault)
	}
	last := found.Charts[0].Lines[0].Points[len(releases)-1]
	if want := math.Pow(0.9, float64(len(releases)-1)); last.X != 27 || math.Abs(last.Y-want) > 0.01 {
		t.Errorf("the newest release is drawn at %v, %v; want 27, %v", last.X, last.Y, want)
	}
	none := &result.Experiment{Name: Experiment.Name, Rounds: 1}
	for _, c := range cases(lab.Full) {
		none.Series = append(none.Series, result.Series{Name: c.Name, Unit: unitTime, NotMeasured: "no network"})
	}
	nothing, err := lab.Replay(Experiment, lab.Full, none, 1)
	if err != nil || len(nothing.Findings)+len(nothing.Charts) > 0 {
		t.Errorf("of nothing is said %q, %v", nothing.Findings, err)
	}
}
