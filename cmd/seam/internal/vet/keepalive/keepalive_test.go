package keepalive_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/keepalive"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, keepalive.Rule, "testdata/bad", "testdata/good")
}

// What a package lends of its objects is known to those that import it.
func TestLends(t *testing.T) {
	t.Parallel()
	vettest.Run(t, keepalive.Rule, "testdata/lends", "testdata/lends/user")
}
