package windowssize_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/cmd/seam/internal/vet/windowssize"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, windowssize.Rule, "testdata/bad", "testdata/good", "testdata/elsewhere")
}
