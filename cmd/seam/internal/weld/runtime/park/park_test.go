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
	for text, c := range map[string][]byte{"park": C(), "coro": CoroC()} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, Name), c, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, cc := range []string{"gcc", "clang"} {
			for _, std := range []string{"gnu90", "gnu17"} {
				cmd := exec.CommandContext(t.Context(), testenv.Tool(t, cc), "-std="+std, "-Wall", "-Werror", "-Wdeclaration-after-statement", "-O2", "-c", "-x", "c", "-o", "text.o", "-include", Name, os.DevNull)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %s -std=%s: %v\n%.2000s", text, cc, std, err, out)
				}
			}
		}
	}
}
