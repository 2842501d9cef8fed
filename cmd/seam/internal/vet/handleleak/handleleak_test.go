package handleleak_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/handleleak"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, handleleak.Rule, "testdata/bad", "testdata/never", "testdata/good")
}
