package rings

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func init() { subprocess.Emulator = os.Getenv("SEAM_TEST_EMULATOR") }

// Every case runs, of all sizes, and nothing is left behind.
func TestEveryCase(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	defer func() { labtest.NoMoreGoroutines(t, goroutines) }()
	before := labtest.Leftovers(t)
	defer func() { labtest.NoMoreThan(t, before) }()
	for _, peer := range []string{peerGo, peerC, peerPython} {
		// One process for all its cases.
		if _, release, err := use(t.Context(), peer); err == nil {
			defer release()
		}
	}
	for _, c := range Experiment.Cases(lab.Normal) {
		if c.Start == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			before := labtest.Leftovers(t)
			op, err := c.Start(t.Context(), nil)
			labtest.Measured(t, err)
			for _, n := range []int{1, 7, 200} {
				op.Run(n)
			}
			op.Close()
			labtest.NoMoreThan(t, before)
		})
	}
}

// Single round trips have a median and a tail for each way.
func TestLatencies(t *testing.T) {
	for _, peer := range []string{peerGo, peerC, peerPython} {
		t.Run(peer, func(t *testing.T) {
			list, err := latencies(t.Context(), lab.Quick, peer)
			labtest.Measured(t, err)
			for i := 0; i < len(list); i += 2 {
				p50, p99 := list[i], list[i+1]
				if p50.Unit != unitMedian || p99.Unit != unitTail || p50.Value <= 0 || p99.Value < p50.Value {
					t.Errorf("%+v, %+v", p50, p99)
				}
			}
			if len(list) < 4 {
				t.Errorf("%d figures", len(list))
			}
		})
	}
}

// At low rates too, and an idle process takes next to nothing: its time is that of the
// processor, and less than what has passed.
func TestLowRates(t *testing.T) {
	for _, peer := range []string{peerGo, peerC} {
		list, err := atRate(t.Context(), lab.Quick, peer, 1000)
		labtest.Measured(t, err)
		for _, m := range list {
			if m.Value <= 0 {
				t.Errorf("%+v", m)
			}
		}
		if len(list) != 2*(len(rateVias(peer))+1) { // and the control
			t.Errorf("%+v", list)
		}
		if list, err = idle(t.Context(), lab.Quick, peer); err != nil || len(list) != 1 || list[0].Value < 0 {
			t.Errorf("%+v, %v", list, err)
		}
	}
}

// Pairs are told as ratios, those of round trips with a tail, and nothing is left behind: no
// process, and no thread that stays on one CPU.
func TestBeside(t *testing.T) {
	before := labtest.Leftovers(t)
	for _, p := range pairs {
		list, err := beside(t.Context(), lab.Quick, p)
		labtest.Measured(t, err)
		want := 2
		if p.ours.op == spin && p.ours.via != viaLines { // which has no message between samples
			want = 3
		}
		if len(list) != want {
			t.Errorf("%s: %+v", p.name(), list)
		}
		for _, m := range list {
			if !(m.Value > 0) || m.Name != p.name() {
				t.Errorf("%+v", m)
			}
		}
	}
	labtest.NoMoreThan(t, before)
}

// A process that has died is an error of the case, and the next case has another one.
func TestProcessDies(t *testing.T) {
	c := trip{xproc, peerGo, park, nil}
	w, err := toProcess(context.Background(), c, 64, viaSeam)
	labtest.Measured(t, err)
	processes.of[peerGo].child.Close()
	if err := w.echo(1); err == nil {
		t.Error("an answer from a dead process")
	}
	w.close()
	if w, err = toProcess(context.Background(), c, 64, viaSeam); err != nil {
		t.Fatal(err)
	}
	if err := w.echo(1); err != nil {
		t.Error(err)
	}
	w.close()
}
