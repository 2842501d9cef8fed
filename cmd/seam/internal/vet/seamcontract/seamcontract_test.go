package seamcontract_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/seamcontract"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, seamcontract.Rule, "testdata/bad", "testdata/good")
}
