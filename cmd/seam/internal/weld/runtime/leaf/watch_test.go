//go:build linux

package leaf

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/internal/abi"
)

func TestWatchCompilesAsRuntimeCgo(t *testing.T) {
	recordingtest.CompilesInRuntimeCgo(t, WatchName, WatchC())
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
