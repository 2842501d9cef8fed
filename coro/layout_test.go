//go:build cgo

package coro

import (
	"reflect"
	"slices"
	"testing"

	"github.com/seamgo/seam/coro/internal/native"
)

// Go's view of the control block is C's.
func TestControlIsAsInC(t *testing.T) {
	c := reflect.TypeFor[control]()
	if c.Size() != native.Size {
		t.Errorf("control has %d bytes, C's %d", c.Size(), native.Size)
	}
	for name, offset := range native.Fields() {
		f, ok := c.FieldByName(name)
		if !ok || f.Offset != offset {
			t.Errorf("%s is at %d (found: %v), in C at %d", name, f.Offset, ok, offset)
		}
	}
	for what, both := range map[string][2][]int{
		"requests": {{opDone, opUpcall, opYield, opWaitFD, opWaitFDs, opSleep, opOffload, opDetach, opWatch}, native.Ops()},
		"flags":    {{sharesThread, isFallback}, native.Flags()},
		"codes":    {{eCanceled, ePanic, eGoexit, eStopped, eNoFunc, eFailed, eTimedOut, eBadFD, eMisuse, eABI, eNoMem}, native.Codes()},
	} {
		if !slices.Equal(both[0], both[1]) {
			t.Errorf("%s are %d, in C %d", what, both[0], both[1])
		}
	}
}
