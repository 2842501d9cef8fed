package callgraph

import (
	"os"
	"testing"
)

// The packages of these tests call C, however the tests themselves are built.
func TestMain(m *testing.M) {
	os.Setenv("CGO_ENABLED", "1")
	os.Exit(m.Run())
}
