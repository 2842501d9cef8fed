package exportedpanic_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/exportedpanic"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, exportedpanic.Rule, "testdata/bad", "testdata/good")
}
