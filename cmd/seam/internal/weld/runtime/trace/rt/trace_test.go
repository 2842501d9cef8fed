//go:build linux && (amd64 || arm64)

//seam:test race toolchains

package rt

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trace"
)

// What Go asks of C has the same numbers on both sides.
func TestRequestsAreAsInC(t *testing.T) {
	recordingtest.SameInC(t, trace.Runtime.C(), "#include \"seam_trace.h\"\n#include \"seam_trace_impl.h\"", map[string]int{
		"SEAM_BEGIN": seamTraceBegin, "SEAM_END": seamTraceEnd, "SEAM_NEW_CALLER": seamTraceNewCaller,
		"SEAM_COUNT": seamTraceCount, "SEAM_NEW_TEXT": seamTraceNewText, "SEAM_CALLBACK": seamTraceCallback,
	})
}
