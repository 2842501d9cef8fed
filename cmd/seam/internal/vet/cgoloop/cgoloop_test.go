package cgoloop_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/cgoloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

// Without figures it is silent about money.
func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, cgoloop.Rule, "testdata/bad", "testdata/good", "testdata/cover")
}

// What was measured decides about unknown C, and silences what is seldom called.
func TestMeasured(t *testing.T) {
	t.Parallel()
	const pkg = "github.com/seamgo/seam/cmd/seam/internal/vet/cgoloop/testdata/measured"
	vettest.RunMeasured(t, cgoloop.Rule, &measured.Facts{
		Cgo: 40, Leaf: 3,
		Calls: map[measured.Site]float64{measured.At(pkg, "unknown", "measured.go", 11): 2e6, measured.At(pkg, "seldom", "measured.go", 12): 10},
		Share: map[measured.Site]float64{measured.At(pkg, "unknown", "measured.go", 11): 0.125},
	}, "testdata/measured")
}
