//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

import (
	"testing"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
)

// SeamSlot is the first part of C's struct, and its states have the same numbers.
func TestSlotIsAsInC(t *testing.T) {
	var s SeamSlot
	at := func(member string) string { return "__builtin_offsetof(struct _seam_slot, " + member + ")" }
	recordingtest.SameInC(t, leaf.C(), `#include "seam_weld.h"`, map[string]int{
		"_seam_new": seamNew, "_seam_leaf": seamLeaf, "_seam_demoted": seamDemoted, "_seam_cgo": seamCgo,
		at("_entry"): int(unsafe.Offsetof(s.Entry)), at("_leaf"): int(unsafe.Offsetof(s.leaf)), at("_probe"): int(unsafe.Offsetof(s.probe)),
		at("_call"): int(unsafe.Offsetof(s.Call)), at("_prepare"): int(unsafe.Offsetof(s.prepare)), at("_nothing"): int(unsafe.Offsetof(s.nothing)),
		at("_name"): int(unsafe.Offsetof(s.name)), at("_usable"): int(unsafe.Offsetof(s.usable)), at("_state"): int(unsafe.Offsetof(s.state)),
	})
}
