package threadlock_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/threadlock"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, threadlock.Rule, "testdata/bad", "testdata/good")
}
