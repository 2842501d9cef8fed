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
	for _, both := range []struct {
		here  reflect.Type
		size  uintptr
		there map[string]uintptr
	}{
		{reflect.TypeFor[control](), native.Size, native.Fields()},
		{reflect.TypeFor[below](), native.BelowSize, native.BelowFields()},
		{reflect.TypeFor[mailbox](), native.MailboxSize, native.MailboxFields()},
	} {
		if both.here.Size() != both.size {
			t.Errorf("%s has %d bytes, C's %d", both.here, both.here.Size(), both.size)
		}
		for name, offset := range both.there {
			f, ok := both.here.FieldByName(name)
			if !ok || f.Offset != offset {
				t.Errorf("%s.%s is at %d (found: %v), in C at %d", both.here, name, f.Offset, ok, offset)
			}
		}
	}
	for what, both := range map[string][2][]int{
		"requests": {{opDone, opUpcall, opYield, opWaitFD, opWaitFDs, opSleep, opOffload, opDetach, opWatch, opPause, opBlocks}, native.Ops()},
		"flags":    {{sharesThread, isFallback}, native.Flags()},
		"codes":    {{eCanceled, ePanic, eGoexit, eStopped, eNoFunc, eFailed, eTimedOut, eBadFD, eMisuse, eABI, eNoMem}, native.Codes()},
	} {
		if !slices.Equal(both[0], both[1]) {
			t.Errorf("%s are %d, in C %d", what, both[0], both[1])
		}
	}
}
