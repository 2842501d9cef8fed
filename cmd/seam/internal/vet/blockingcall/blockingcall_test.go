package blockingcall_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/blockingcall"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, blockingcall.Rule, "testdata/bad", "testdata/good")
}
