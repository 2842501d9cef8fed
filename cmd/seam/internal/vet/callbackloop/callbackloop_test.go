package callbackloop_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/callbackloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, callbackloop.Rule, "testdata/bad", "testdata/good")
}
