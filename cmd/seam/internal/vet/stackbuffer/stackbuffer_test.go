package stackbuffer_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/stackbuffer"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, stackbuffer.Rule, "testdata/bad", "testdata/good")
}
