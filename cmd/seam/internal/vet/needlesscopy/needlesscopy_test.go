package needlesscopy_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/needlesscopy"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, needlesscopy.Rule, "testdata/bad", "testdata/good")
}
