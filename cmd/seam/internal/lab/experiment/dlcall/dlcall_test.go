//seam:test race nocgo

package dlcall

import (
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Other tools and stored results refer to these names.
func TestNamesAreFixed(t *testing.T) {
	var want, got []string
	for _, k := range []struct{ args, vias string }{
		{"int0", "cgo leaf dl-leaf dl-cgo purego-register purego-syscall"},
		{"int2", "cgo leaf dl-leaf dl-cgo purego-register purego-syscall"},
		{"int6", "cgo leaf dl-leaf dl-cgo purego-register purego-syscall"},
		{"float4", "cgo leaf dl-leaf dl-cgo purego-register"},
		{"struct", "cgo leaf dl-leaf dl-cgo purego-register"},
		{"string", "cgo leaf dl-leaf dl-cgo purego-register purego-syscall"},
		{"callback", "cgo dl-cgo purego-register purego-syscall"},
	} {
		for via := range strings.FieldsSeq(k.vias) {
			want = append(want, "DL/args="+k.args+"/via="+via)
		}
	}
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Setup == nil || c.Label == "" || c.Base != strings.HasSuffix(c.Name, "/via=cgo") {
			t.Errorf("bad case %+v", c)
		}
		got = append(got, c.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("cases are %q", got)
	}
}

// Every case calls C, which gets its arguments: Run panics where the results are wrong.
func TestEveryCaseRuns(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Quick) {
		t.Run(c.Name, func(t *testing.T) {
			op, err := c.Setup()
			labtest.Measured(t, err)
			for _, n := range []int{0, 1, 300} {
				op.Run(n)
			}
			if op.Close != nil {
				op.Close()
			}
		})
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	none := &result.Experiment{}
	explain(none)
	labtest.SaysNothing(t, none)
	for _, c := range Experiment.Cases(lab.Quick) {
		explain(&result.Experiment{Series: []result.Series{{Name: c.Name, Unit: unit, Label: c.Label, Median: 100, Lo: 90, Hi: 110}}})
	}
}
