package missingterminator_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/missingterminator"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, missingterminator.Rule, "testdata/bad", "testdata/good")
}
