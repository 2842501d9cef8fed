//seam:test race nocgo arm64

package guard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
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
