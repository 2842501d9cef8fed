//go:build cgo && linux

package leaf_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/leaf"
)

// A C program loads a Go library and calls into it from threads of its own.
func TestSharedLibrary(t *testing.T) {
	testenv.GoProgram(t)
	dir := t.TempDir()
	lib, bin, src := filepath.Join(dir, "libshared.so"), filepath.Join(dir, "main"), filepath.Join(dir, "main.c")
	code, err := os.ReadFile("testdata/shared/main.c.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(src, code, 0o666); err != nil {
		t.Fatal(err)
	}
	cc := cmp.Or(os.Getenv("CC"), "gcc")
	for _, build := range [][]string{
		{"go", "build", "-buildmode=c-shared", "-o", lib, "./testdata/shared"},
		{cc, "-o", bin, src, "-lpthread", "-ldl"},
	} {
		if out, err := exec.Command(build[0], build[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build, err, out)
		}
	}
	out, err := child.Program(t, bin, lib).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "0 wrong") {
		t.Errorf("the program ended with %v:\n%s", err, out)
	}
	if leaf.Status().Path == leaf.PathAssembly && !strings.Contains(string(out), "leaf: assembly") {
		t.Errorf("calls in the library do not take the assembly:\n%s", out)
	}
}
