//seam:test nocgo arm64

package call

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Other tools and stored results refer to these names.
func TestNames(t *testing.T) {
	var got []string
	bases := map[string]int{}
	for _, c := range cases() {
		got = append(got, c.Name)
		if c.Base {
			bases[c.Group]++
		}
	}
	for _, name := range []string{"Call/via=go", "Call/via=cgo", "Call/via=cgo-ptr", "Call/via=cgo-noescape", "Call/via=leaf"} {
		if !slices.Contains(got, name) {
			t.Errorf("no case %s", name)
		}
	}
	if bases[viaGroup] != 1 || bases[partGroup] != 1 {
		t.Errorf("bases by group: %v, want one each", bases)
	}
}

// Every way computes the same: the sum of i+2 for i below n.
func TestWaysAgree(t *testing.T) {
	const n, want = 1000, 1000*999/2 + 2*1000
	adds := []string{viaGo, viaCgo, viaCgoPtr, viaNoescape, viaLeaf, partStruct, partWrapper}
	for _, c := range cases() {
		t.Run(c.Name, func(t *testing.T) {
			op, err := c.Setup()
			if nm := (*lab.NotMeasured)(nil); errors.As(err, &nm) {
				if os.Getenv("SEAM_WANT_LEAF") == "assembly" {
					t.Fatalf("not measured where everything can be: %s", nm.Reason)
				}
				t.Skip(nm.Reason)
			}
			if err != nil {
				t.Fatal(err)
			}
			sink = 0
			op.Run(n)
			if slices.Contains(adds, c.Name) && sink != want {
				t.Errorf("the sum is %d, want %d", sink, want)
			}
		})
	}
}

func fixture(figures map[string]float64) *result.Experiment {
	e := &result.Experiment{}
	for _, c := range cases() {
		if ns, ok := figures[c.Name]; ok {
			e.Series = append(e.Series, result.Series{Name: c.Name, Label: c.Label, Unit: unit, Median: ns, Lo: ns, Hi: ns})
		} else {
			e.Series = append(e.Series, result.Series{Name: c.Name, Label: c.Label, Unit: unit, NotMeasured: "test"})
		}
	}
	return e
}

var complete = map[string]float64{
	viaGo: 1, viaCgo: 30, viaCgoPtr: 40, viaNoescape: 29, viaLeaf: 2.5,
	partGo: 1, partNested: 2, partAsm: 1, partSwitch: 2, partStruct: 2.5, partWrapper: 5.5, partRaw: 100, partSyscall: 115,
}

// Parts that exceed the whole are not shown.
func TestExplainSlowLeaf(t *testing.T) {
	figures := map[string]float64{}
	for name, ns := range complete {
		figures[name] = ns
	}
	figures[viaLeaf], figures[partSwitch], figures[partStruct] = 60, 140, 142
	e := fixture(figures)
	explain(e)
	if len(e.Charts) != 1 {
		t.Errorf("%d charts", len(e.Charts))
	}
}

// Nothing is said of what was not measured, whatever is missing.
func TestExplainWithMissingSeries(t *testing.T) {
	for missing := range complete {
		figures := map[string]float64{}
		for name, ns := range complete {
			if name != missing {
				figures[name] = ns
			}
		}
		e := fixture(figures)
		explain(e)
		for _, text := range append(e.Findings, e.Notes...) {
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("without %s: %s", missing, text)
			}
		}
	}
	e := fixture(nil)
	explain(e)
	if len(e.Findings) != 0 {
		t.Errorf("findings from nothing: %q", e.Findings)
	}
}
