//go:build linux && (amd64 || arm64)

//seam:test race toolchains

package rt

import (
	"testing"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaks"
)

// What Go tells C and asks of it has the same numbers on both sides.
func TestRequestsAreAsInC(t *testing.T) {
	recordingtest.SameInC(t, leaks.Runtime.C(), "#include \"seam_leaks_impl.h\"", map[string]int{
		"SEAM_MADE": seamLeaksMade, "SEAM_FREEING": seamLeaksFreeing, "SEAM_NEW_STACK": seamLeaksNewStack, "SEAM_NEW_TEXT": seamLeaksNewText,
		"SEAM_STACKS - 64": seamLeaksMaxStacks, "SEAM_AS_TEXT == ~0ull": 1, "sizeof SEAM_AS_TEXT": int(unsafe.Sizeof(SeamLeaksText)),
	})
}
