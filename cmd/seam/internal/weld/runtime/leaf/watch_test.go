//go:build linux

package leaf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/testenv"
)

// From Go 1.27 on package runtime/cgo is compiled as gnu90.
func TestWatchCompilesAsRuntimeCgo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, WatchName), WatchC(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "clang"} {
		cmd := exec.CommandContext(t.Context(), testenv.Tool(t, cc), "-std=gnu90", "-Wall", "-Werror", "-O2", "-c", "-x", "c", "-o", "text.o", "-include", WatchName, os.DevNull)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%.2000s", cc, err, out)
		}
	}
}

// What the watch knows of the runtime's data is what internal/abi has read.
func TestWatchKnowsTheLayout(t *testing.T) {
	const p, link = "SEAM_M_P_%d", "SEAM_M_ALLLINK_%d"
	minor := 26
	if strings.HasPrefix(runtime.Version(), "go1.25") {
		minor = 25
	}
	for name, want := range map[string]uintptr{
		"SEAM_G_GUARD": abi.GStackGuard, "SEAM_G_SCHED_SP": abi.GSchedSP, "SEAM_G_M": abi.GM, "SEAM_M_G0": abi.MG0, "SEAM_M_CURG": abi.MCurg,
		"SEAM_M_PROCID": abi.MProcID, "SEAM_P_COUNTS": abi.PCounts, fmt.Sprintf(p, minor): abi.MP, fmt.Sprintf(link, minor): abi.MAllLink,
	} {
		if text := fmt.Sprintf("%s = %d", name, want); !strings.Contains(string(kept), text+",") && !strings.Contains(string(kept), text+" }") {
			t.Errorf("the text lacks %s", text)
		}
	}
}
