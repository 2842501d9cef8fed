//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/park"
)

// What Go and C both know lies where C has it. Some of it is only the first part of C's.
func TestSameAsInC(t *testing.T) {
	// Members whose names are not Go's in C's way to write them.
	other := map[string]string{"struct park_request.waiter": "go", "struct park_request.call": "co", "seam_coro.waiter": "go", "struct _seam_slot._stand_in": "_standins"}
	layout := func(prefix string, pairs map[string]any) map[string]int {
		same := map[string]int{}
		for c, v := range pairs {
			for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
				if f.Name == "_" {
					continue
				}
				member := prefix + inC(f.Name)
				if o := other[c+"."+member]; o != "" {
					member = o
				}
				same[fmt.Sprintf("__builtin_offsetof(%s, %s)", c, member)] = int(f.Offset)
				same[fmt.Sprintf("sizeof(((%s *)0)->%s)", c, member)] = int(f.Type.Size())
			}
		}
		return same
	}
	same := layout("_", map[string]any{
		"struct _seam_slot": SeamSlot{}, "struct _seam_bound": SeamBound{}, "struct _seam_place": SeamPlace{}, "struct _seam_park": SeamParked{},
		"struct _seam_standin": seamStandIn{}, "struct _seam_gate": seamGate{},
	})
	maps.Copy(same, map[string]int{
		"_seam_new": seamNew, "_seam_leaf": seamLeaf, "_seam_demoted": seamDemoted, "_seam_cgo": seamCgo, "_seam_called": seamCalled,
		"sizeof(struct _seam_place)": int(reflect.TypeFor[SeamPlace]().Size()), "sizeof(struct _seam_gate)": int(reflect.TypeFor[seamGate]().Size()),
	})
	recordingtest.SameInC(t, leaf.C(), `#include "seam_weld.h"`, same)

	same = layout("", map[string]any{"struct _seam_gate": seamGate{}, "struct park_function": SeamParked{}, "struct park_request": seamParkRequest{}, "seam_coro": SeamParkedCall{}})
	maps.Copy(same, map[string]int{"PARK_NEW": seamParkNew, "PARK_ON": seamParkOn, "PARK_OFF": seamParkOff,
		"PARK_DONE": seamParkDone, "PARK_CALLBACK": seamParkCallback, "PARK_BY_GO": seamParkByGo})
	recordingtest.SameInC(t, map[string][]byte{park.Name: park.C()}, "#include \""+park.Name+"\"", same)
}

// inC is a name as C writes it: out_at.
func inC(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
