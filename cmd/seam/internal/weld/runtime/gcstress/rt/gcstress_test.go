//go:build linux && (amd64 || arm64)

package rt

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/gcstress"
)

// What Go tells C and asks of it has the same numbers on both sides.
func TestRequestsAreAsInC(t *testing.T) {
	recordingtest.SameInC(t, gcstress.Runtime.C(), "#include \"seam_stress_impl.h\"", map[string]int{
		"SEAM_STRESS_NAP": seamStressNap, "SEAM_STRESS_CLOCK": seamStressClock, "SEAM_STRESS_TEXT": seamStressText,
		"SEAM_STRESS_FREED": seamStressFreed, "SEAM_STRESS_COLLECTED": seamStressCollected,
	})
}

// The collector tells when finalizers and cleanups have been called, those too that were
// due before.
func TestCollecting(t *testing.T) {
	for range 20 {
		called := make(chan bool, 2)
		finalized(called)
		left := seamCollectGarbage()
		for left.Load() > 0 {
			seamGosched()
		}
		if len(called) != 1 {
			t.Fatal("the finalizer of what was garbage has not been called")
		}
	}
}
