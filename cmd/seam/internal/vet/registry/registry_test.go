package registry_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/registry"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, registry.Rule, "testdata/bad", "testdata/good")
}
