package layout_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/layout"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, layout.Rule, "testdata/bad", "testdata/good")
}

// Each member that differs is named, with what to write, where it is declared.
func TestMembers(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	const dir = "testdata/bad"
	var got []string
	for _, f := range vettest.Report(t, []*rule.Rule{layout.Rule}, dir).Findings {
		for _, a := range f.Also {
			got = append(got, strings.TrimPrefix(a.File, dir+"/")+": "+a.Message)
		}
	}
	for _, want := range []string{
		"bad.go: X: 8 bytes in Go (int), 4 bytes in C (int): use int32",
		"bad.go: X: int32 (signed integer, 4 bytes) in Go, struct point (struct, 8 bytes) in C: declare a struct with the fields of C's struct point",
		"bad.go: C: at 8 in Go, at 0 in C: the order differs: put it first, as in C",
		"bad.go: seam layout github.com/seamgo/seam/cmd/seam/internal/vet/layout/testdata/bad mixed=C.struct_mixed draws both",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("not said: %s", want)
		}
	}
	if t.Failed() {
		t.Logf("said:\n%s", strings.Join(got, "\n"))
	}
}
