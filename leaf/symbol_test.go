//go:build cgo && linux

package leaf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// A test binary is stripped, so the program is built by itself: once at fixed
// addresses, once position-independent, once stripped.
func TestGuardNamesFunctionsBySymbol(t *testing.T) {
	testenv.GoProgram(t)
	for _, c := range []struct {
		name, want string
		flags      []string
	}{
		{"exe", "C function busy took", nil},
		{"pie", "C function busy took", []string{"-buildmode=pie"}},
		{"stripped", "C function at 0x", []string{"-ldflags=-s -w"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin := filepath.Join(t.TempDir(), "symbols")
			args := append(append([]string{"build", "-o", bin}, c.flags...), "./testdata/symbols")
			if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
				t.Fatalf("go %v: %v\n%s", args, err, out)
			}
			cmd := child.Program(t, bin)
			cmd.Env = append(os.Environ(), "SEAM_GUARD=1", "SEAM_GUARD_BUDGET=1ms")
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("want a report with %q, got %v:\n%s", c.want, err, out)
			}
		})
	}
}
