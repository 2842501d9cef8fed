package nullresult_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/nullresult"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, nullresult.Rule, "testdata/bad", "testdata/good")
}
