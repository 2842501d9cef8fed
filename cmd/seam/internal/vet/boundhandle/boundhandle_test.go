package boundhandle_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/boundhandle"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, boundhandle.Rule, "testdata/bad", "testdata/good")
}
