//go:build linux

package park

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// From Go 1.27 on package runtime/cgo is compiled as gnu90, in which a for loop declares nothing.
func TestCompilesAsRuntimeCgo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Name), C(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "clang"} {
		for _, std := range []string{"gnu90", "gnu17"} {
			cmd := exec.CommandContext(t.Context(), testenv.Tool(t, cc), "-std="+std, "-Wall", "-Werror", "-Wdeclaration-after-statement", "-O2", "-c", "-x", "c", "-o", filepath.Join(dir, "park.o"), "-")
			cmd.Dir = dir
			in, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdin = in
			cmd.Args = append(cmd.Args, "-include", Name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s -std=%s: %v\n%.2000s", cc, std, err, out)
			}
			in.Close()
		}
	}
}
