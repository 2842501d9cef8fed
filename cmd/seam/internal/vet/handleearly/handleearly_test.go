package handleearly_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/handleearly"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, handleearly.Rule, "testdata/bad", "testdata/good")
}
