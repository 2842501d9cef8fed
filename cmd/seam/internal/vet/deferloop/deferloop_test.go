package deferloop_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/deferloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, deferloop.Rule, "testdata/bad", "testdata/good")
}
