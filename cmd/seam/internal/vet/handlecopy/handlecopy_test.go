package handlecopy_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/handlecopy"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, handlecopy.Rule, "testdata/bad", "testdata/good")
}
