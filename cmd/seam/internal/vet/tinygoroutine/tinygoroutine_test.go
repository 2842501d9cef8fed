package tinygoroutine_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/tinygoroutine"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.RunMeasured(t, tinygoroutine.Rule, &measured.Facts{Goroutine: 300}, "testdata/bad", "testdata/good")
}
