//seam:test race

package exportresult_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/exportresult"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, exportresult.Rule, "testdata/bad", "testdata/good")
}
