package vet_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

// C++ beside the Go is read as C is: extern "C" functions, and what they call.
func TestCxx(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	testenv.Tool(t, "g++")
	vettest.Check(t, vettest.Report(t, vet.Rules, "testdata/cxx"), "testdata/cxx")
}
