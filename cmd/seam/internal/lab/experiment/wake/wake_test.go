//seam:test nocgo

package wake

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Other tools and stored results refer to these names.
func TestNamesAreFixed(t *testing.T) {
	var want []string
	for _, op := range []string{"rtt", "signal"} {
		for _, by := range []string{"spin", "atomics", "semaphore", "futex", "eventfd"} {
			want = append(want, "Wake/by="+by+"/op="+op)
		}
	}
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		var got []string
		for _, c := range Experiment.Cases(mode) {
			got = append(got, c.Name)
			if c.Setup == nil || c.Label == "" || c.Base != strings.Contains(c.Name, "futex") {
				t.Errorf("bad case %+v", c)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%v: cases are %v", mode, got)
		}
	}
}

// Every case runs, and nothing is left behind.
func TestEveryCase(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Quick) {
		t.Run(c.Name, func(t *testing.T) {
			before := labtest.Leftovers(t)
			op, err := c.Setup()
			labtest.Measured(t, err)
			for _, n := range []int{1, 2, 100} {
				op.Run(n)
			}
			op.Close()
			labtest.NoMoreThan(t, before)
		})
	}
}

func TestExplain(t *testing.T) {
	e := &result.Experiment{}
	explain(e)
	labtest.SaysNothing(t, e)
	for _, c := range Experiment.Cases(lab.Quick) {
		e.Series = append(e.Series, result.Series{Name: c.Name, Unit: unit, Label: c.Label, Group: c.Group, Median: 100, Lo: 90, Hi: 110})
		explain(&result.Experiment{Series: e.Series[len(e.Series)-1:]})
	}
	explain(e)
	labtest.FullRows(t, e)
	if len(e.Charts) != 3 || len(e.Charts[2].Table.Rows) != len(bys) {
		t.Errorf("%d charts: %+v", len(e.Charts), e.Charts)
	}
}
