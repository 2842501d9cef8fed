package signals_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/signals"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, signals.Rule, "testdata/bad", "testdata/good")
}
