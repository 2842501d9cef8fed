//seam:test race nocgo arm64

package callback

import (
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func TestNamesAreFixed(t *testing.T) {
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		var got []string
		for _, c := range Experiment.Cases(mode) {
			if c.Setup == nil || c.Probe != nil || c.Label == "" || c.Group != "callback" {
				t.Errorf("bad case %+v", c)
			}
			if c.Base != (c.Name == "Callback/via=cgo") {
				t.Errorf("%s: base is %v", c.Name, c.Base)
			}
			got = append(got, strings.TrimPrefix(c.Name, "Callback/via="))
		}
		const want = "cgo coro coro-floating bare-switch cgo-batch coro-batch cgo-thread cgo-channel coro-channel coro-floating-channel"
		if strings.Join(got, " ") != want {
			t.Errorf("%v: cases are %v", mode, got)
		}
	}
}

// Every case runs, checks the answers of Go itself, and leaves no goroutine.
// 64 and 65 are a full batch and one that leaves a rest; 0 is a loop that ends
// before it begins.
func TestEveryCaseRuns(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Quick) {
		t.Run(c.Name, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			op, err := c.Setup()
			labtest.Measured(t, err)
			for _, n := range []int{1, 64, 65, 0, 3000} {
				op.Run(n)
			}
			if op.Close != nil {
				op.Close()
			}
			labtest.NoMoreGoroutines(t, goroutines)
		})
	}
}

// made is an experiment with made-up medians.
func made(medians map[string]float64) *result.Experiment {
	e := &result.Experiment{}
	for _, w := range ways {
		if v, ok := medians[w.via]; ok {
			e.Series = append(e.Series, result.Series{Name: name(w.via), Unit: "ns/op", Label: w.label, Median: v, Lo: v, Hi: v})
		}
	}
	return e
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	none := made(nil)
	explain(none)
	labtest.SaysNothing(t, none)
	for _, w := range ways {
		explain(made(map[string]float64{w.via: 10}))
	}
}
