package callbacklock_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/callbacklock"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, callbacklock.Rule, "testdata/bad", "testdata/good")
}
