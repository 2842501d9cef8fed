package guard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func TestNamesAreFixed(t *testing.T) {
	var got []string
	for _, c := range Experiment.Cases(lab.Quick) {
		if (c.Setup == nil) == (c.Probe == nil) {
			t.Errorf("%s: want one of Setup and Probe", c.Name)
		}
		if c.Base != (c.Name == "Guard/what=price/via=leaf") {
			t.Errorf("%s: base is %v", c.Name, c.Base)
		}
		got = append(got, c.Name)
	}
	const want = "Guard/what=price/via=leaf Guard/what=price/via=guarded Guard/what=price/via=cgo " +
		"Guard/what=pause/via=cgo Guard/what=pause/via=leaf Guard/what=pause/via=guarded"
	if strings.Join(got, " ") != want {
		t.Errorf("cases are %v", got)
	}
}

func TestEveryCaseRuns(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Setup != nil {
			op, err := c.Setup()
			labtest.Measured(t, err)
			op.Run(10_000)
			continue
		}
		found, err := c.Probe(t.Context(), lab.NewBench(lab.Quick, 1))
		labtest.Measured(t, err)
		if len(found) != 2 || found[0].Value <= 0 || found[1].Value < found[0].Value {
			t.Errorf("%s: found %+v", c.Name, found)
		}
	}
}

func TestProbeEndsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := probePause(viaCgo)(ctx, lab.NewBench(lab.Full, 1))
	var nm *lab.NotMeasured
	if errors.As(err, &nm) {
		t.Skip(err)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestExplain(t *testing.T) {
	series := func(name, unit string, median float64) result.Series {
		return result.Series{Name: name, Unit: unit, Label: name, Median: median, Lo: median, Hi: median}
	}
	e := result.Experiment{Series: []result.Series{
		series(pauseName(viaCgo), "ns", 30e3), series(pauseName(viaLeaf), "ns", 1.8e6), series(pauseName(viaGuarded), "ns", 40e3),
		series(priceName(viaLeaf), "ns/op", 3), series(priceName(viaGuarded), "ns/op", 3.4),
	}}
	explain(&e)
	text := strings.Join(e.Findings, "\n")
	for _, want := range []string{"1.80 ms", "30.0 µs", "40.0 µs", "The guard adds 0.40 ns"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing about %q in:\n%s", want, text)
		}
	}
	if len(e.Charts) != 1 || len(e.Charts[0].Bars) != 3 {
		t.Errorf("charts: %+v", e.Charts)
	}
	none := result.Experiment{}
	explain(&none) // nothing was measured
	labtest.SaysNothing(t, &none)
}
