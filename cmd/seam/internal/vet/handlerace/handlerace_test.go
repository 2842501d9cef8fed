package handlerace_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/handlerace"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, handlerace.Rule, "testdata/bad", "testdata/good")
}
