package memoryleak_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/memoryleak"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, memoryleak.Rule, "testdata/bad", "testdata/good", "testdata/answer", "testdata/wrap")
}
