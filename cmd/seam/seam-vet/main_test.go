package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// toolEnv makes this test binary seam-vet.
const toolEnv = "SEAM_TEST_VETTOOL"

func TestMain(m *testing.M) {
	if os.Getenv(toolEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}

// goVet is what the go command says of a package, with this test binary as its tool.
func goVet(t *testing.T, args ...string) string {
	t.Helper()
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"vet", "-vettool=" + self}, args...)...)
	cmd.Env = append(os.Environ(), toolEnv+"=1", "CGO_ENABLED=1")
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(said)
}

// The rules work as a tool of go vet, which passes the files that cgo has rewritten: places
// are those of the source.
func TestVettool(t *testing.T) {
	t.Parallel()
	said := goVet(t, "../internal/vet/testdata/shop")
	if !strings.Contains(said, "shop.go:12:8: the memory from C.CString is never freed") {
		t.Errorf("go vet says %s", said)
	}
	if strings.Contains(said, "shop.go:19") {
		t.Errorf("an ignored finding is reported: %s", said)
	}
}

// Each rule has a flag of its name, as with go vet's own.
func TestOneRule(t *testing.T) {
	t.Parallel()
	if said := goVet(t, "-keepalive", "../internal/vet/testdata/shop"); said != "" {
		t.Errorf("with another rule alone go vet says %s", said)
	}
	for _, flag := range []string{"-memoryleak", "-cstringleak"} { // the second is the name that it had
		if said := goVet(t, flag, "../internal/vet/testdata/shop"); !strings.Contains(said, "shop.go:12:8") {
			t.Errorf("with %s alone go vet says %s", flag, said)
		}
	}
	if said := goVet(t, "-cstringleak=false", "../internal/vet/testdata/shop"); strings.Contains(said, "shop.go:12:8") {
		t.Errorf("without the rule go vet says %s", said)
	}
}

// What is learnt of a function travels to the packages that call it.
func TestFacts(t *testing.T) {
	t.Parallel()
	said := goVet(t, "../internal/vet/memoryleak/testdata/wrap", "../internal/vet/memoryleak/testdata/bad")
	if !strings.Contains(said, "the memory from Text (C.CString) is not freed on the way to line") {
		t.Errorf("go vet says %s", said)
	}
}
