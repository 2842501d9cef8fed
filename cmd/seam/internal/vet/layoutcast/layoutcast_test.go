package layoutcast_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/layoutcast"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, layoutcast.Rule, "testdata/bad", "testdata/good")
}
