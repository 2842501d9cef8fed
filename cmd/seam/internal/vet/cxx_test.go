package vet_test

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
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

// Without a compiler for C++ what that does is unknown, which is said once.
func TestNoCxx(t *testing.T) {
	testenv.Tool(t, "gcc")
	testenv.Tool(t, "g++")
	t.Setenv("CXX", "/nowhere/g++")
	r := vettest.Report(t, vet.Rules, "testdata/cxx")
	for _, f := range r.Findings {
		if f.Severity == rule.Error {
			t.Errorf("an error, though nothing is known of the C++: %s", f.Message)
		}
	}
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "/nowhere/g++") {
		t.Errorf("the missing compiler is to be named once: %v", r.Problems)
	}
}
