package nestedpointer_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/nestedpointer"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, nestedpointer.Rule, "testdata/bad", "testdata/good")
}

// What a function of another package returns is known by its facts.
func TestOtherPackage(t *testing.T) {
	t.Parallel()
	vettest.Run(t, nestedpointer.Rule, "testdata/lends", "testdata/user")
}
