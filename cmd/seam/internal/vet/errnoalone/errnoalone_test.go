package errnoalone_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/errnoalone"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, errnoalone.Rule, "testdata/bad", "testdata/good")
}
