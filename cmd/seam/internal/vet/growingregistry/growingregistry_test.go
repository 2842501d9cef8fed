package growingregistry_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/growingregistry"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, growingregistry.Rule, "testdata/bad", "testdata/good")
}
