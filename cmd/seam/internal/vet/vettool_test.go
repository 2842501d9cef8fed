package vet_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/internal/testenv"
)

// toolEnv makes this test binary what go vet runs.
const toolEnv = "SEAM_TEST_VETTOOL"

func TestMain(m *testing.M) {
	if os.Getenv(toolEnv) != "" {
		unitchecker.Main(vet.AnalyzersAlone(vet.Rules)...)
	}
	os.Exit(m.Run())
}

// The rules work as a tool of go vet, which passes the files that cgo has rewritten: places
// are those of the source.
func TestVettool(t *testing.T) {
	t.Parallel()
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = gotool.Run(t.Context(), gotool.Cmd{
		Args: []string{"go", "vet", "-vettool=" + self, "./testdata/shop"}, Env: []string{toolEnv + "=1"}, Merge: true,
	})
	if err == nil || !strings.Contains(err.Error(), "shop.go:12:8: the memory from C.CString is never freed") {
		t.Errorf("go vet says %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "shop.go:19") {
		t.Errorf("an ignored finding is reported: %v", err)
	}
}
