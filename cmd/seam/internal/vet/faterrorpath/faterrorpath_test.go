package faterrorpath_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/faterrorpath"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	const dir = "github.com/seamgo/seam/cmd/seam/internal/vet/faterrorpath/testdata/"
	vettest.RunMeasured(t, faterrorpath.Rule, &measured.Facts{
		Hot:  map[string]float64{dir + "bad.(*Reader).Decode": 0.2, dir + "good.(*Reader).Decode": 0.2, dir + "good.(*Reader).wrap": 0.2},
		Code: measured.Code(t.Context(), "go", "", nil),
	}, "testdata/bad", "testdata/good")
}
