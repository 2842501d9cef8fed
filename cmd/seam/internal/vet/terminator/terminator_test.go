package terminator_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/terminator"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, terminator.Rule, "testdata/bad", "testdata/good")
}
