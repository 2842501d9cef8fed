package unwinding_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/unwinding"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

func Test(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "g++")
	vettest.Run(t, unwinding.Rule, "testdata/bad", "testdata/good")
}
