package callback

import (
	"runtime"
	"strings"
	"testing"
	"time"

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
			labtest.NoMoreGoroutines(t, goroutines, time.Minute)
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

func TestExplain(t *testing.T) {
	usual := map[string]float64{
		viaCgo: 45, viaCoro: 6, viaFloating: 5.5, viaBare: 4, viaCgoBatch: 1.7, viaCoroBatch: 1.1, viaCgoThread: 90,
		viaCgoChannel: 9000, viaCoroChannel: 9500, viaFloatingChannel: 400,
	}
	worse := map[string]float64{viaCgo: 40, viaCoro: 60}
	tests := []struct {
		name    string
		medians map[string]float64
		want    string
		not     string
	}{
		{"single", usual, "costs 45.0 ns exported by cgo and 6.00 ns as an upcall of a coroutine: 7.50 times less. With a coroutine that is not locked to its thread it is 5.50 ns. Two bare switches of the stack cost 4.00 ns.", "as much"},
		{"batch", usual, "Collecting 64 items brings cgo down to 1.70 ns each and upcalls to 1.10 ns. Where C can collect 9 or more, cgo is as cheap", ""},
		{"foreign", usual, "costs 90.0 ns, 2.00 times", ""},
		{"channel", usual, "9.00 µs exported by cgo, 9.50 µs as an upcall in the default mode, 400 ns as an upcall with Floating. " +
			"A goroutine that is locked to its thread is woken by the system, which costs 9.10 µs", ""},
		{"lost channel", usual, "Upcalls lose to cgo here for items that wait for a channel (9.50 µs against 9.00 µs).", "single items ("},
		{"lost", worse, "Upcalls lose to cgo here for single items (60.0 ns against 40.0 ns).", "times less"},
		{"dearer is said", worse, "60.0 ns as an upcall of a coroutine: 1.50 times as much.", ""},
		{"no coroutines", map[string]float64{viaCgo: 45, viaCgoBatch: 1.7}, "Collecting 64 items brings cgo down to 1.70 ns each.", "upcall of"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := made(tt.medians)
			explain(e)
			labtest.Says(t, labtest.Said(e), tt.want, tt.not)
		})
	}
	e := made(usual)
	explain(e)
	if len(e.Charts) != 1 || len(e.Charts[0].Bars) != len(ways) {
		t.Errorf("charts: %+v", e.Charts)
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	none := made(nil)
	explain(none)
	labtest.SaysNothing(t, none)
	for _, w := range ways {
		explain(made(map[string]float64{w.via: 10}))
	}
}
