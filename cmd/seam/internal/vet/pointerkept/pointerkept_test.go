package pointerkept_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/pointerkept"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, pointerkept.Rule, "testdata/bad", "testdata/good")
}
