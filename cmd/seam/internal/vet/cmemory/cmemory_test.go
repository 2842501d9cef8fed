package cmemory_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/cmemory"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, cmemory.Rule, "testdata/bad", "testdata/good")
}
