package call

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
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

func TestExplain(t *testing.T) {
	e := fixture(complete)
	explain(e)
	text := labtest.Said(e)
	for _, want := range []string{
		"30.0 ns through cgo and 2.50 ns through leaf: 12.0 times less", "leaf costs 2.50 Go calls",
		"The largest part of a cgo call is entersyscall + exitsyscall: 15.0 ns of 30.0 ns (50 %)",
		"is 193, here it is 30",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Unexpected order") {
		t.Errorf("an order is called unexpected:\n%s", text)
	}
	sum := 0.0
	for _, p := range e.Charts[1].Stacks[1].Parts {
		sum += p.Value
	}
	if sum != complete[viaCgo] {
		t.Errorf("the parts of cgo sum to %v, want %v", sum, complete[viaCgo])
	}
}

func TestExplainNotesUnexpectedOrder(t *testing.T) {
	figures := map[string]float64{viaGo: 1, viaCgo: 30, viaLeaf: 31}
	e := fixture(figures)
	explain(e)
	if text := strings.Join(e.Notes, "\n"); !strings.Contains(text, "Unexpected order: leaf, pointer (31.0 ns) costs more than cgo, integers (30.0 ns)") {
		t.Errorf("notes: %s", text)
	}
}

// Where leaf is not faster, through the fallback or under the guard, the text
// does not say that it is, and parts that exceed the whole are not shown.
func TestExplainSlowLeaf(t *testing.T) {
	figures := map[string]float64{}
	for name, ns := range complete {
		figures[name] = ns
	}
	figures[viaLeaf], figures[partSwitch], figures[partStruct] = 60, 140, 142
	e := fixture(figures)
	explain(e)
	text := strings.Join(e.Findings, "\n")
	if !strings.Contains(text, "60.0 ns through leaf: no less") || strings.Contains(text, "largest part") || len(e.Charts) != 1 {
		t.Errorf("%d charts and findings:\n%s", len(e.Charts), text)
	}
}

// The sentences and the table give the same ratio: that of the pairs.
func TestExplainUsesPairedRatios(t *testing.T) {
	e := fixture(complete)
	e.Comparisons = []result.Comparison{{Name: viaLeaf, Base: viaGo, Unit: unit, Ratio: 2.44}, {Name: viaCgo, Base: viaGo, Unit: unit, Ratio: 29.3}}
	explain(e)
	if text := e.Findings[0]; !strings.Contains(text, "12.0 times less") || !strings.Contains(text, "leaf costs 2.44 Go calls and cgo 29.3.") {
		t.Errorf("the first finding is %q", text)
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
