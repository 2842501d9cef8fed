package callbackinloop_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/callbackinloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, callbackinloop.Rule, "testdata/bad", "testdata/good")
}
