package cstringleak_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/cstringleak"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, cstringleak.Rule, "testdata/finalbad", "testdata/finalgood", "testdata/bad", "testdata/good", "testdata/answer", "testdata/wrap")
}
