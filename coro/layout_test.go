//go:build cgo

package coro

import (
	"reflect"
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
	codes := []int{eCanceled, ePanic, eGoexit, eStopped, eNoFunc, eFailed, eTimedOut, eBadFD, eMisuse, eABI, eNoMem}
	for i, want := range native.Codes() {
		if codes[i] != want {
			t.Errorf("code %d is %d, in C %d", i, codes[i], want)
		}
	}
}
