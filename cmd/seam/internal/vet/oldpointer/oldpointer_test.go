package oldpointer_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/oldpointer"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, oldpointer.Rule, "testdata/bad", "testdata/good")
}
