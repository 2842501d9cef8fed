package testenv

import (
	"testing"
	"unsafe"
)

// Allocations is for a test that counts allocations. It is skipped in builds (asan,
// -d=checkptr=2) where the compiler moves whatever becomes an unsafe.Pointer to the
// heap.
func Allocations(t testing.TB) {
	t.Helper()
	if testing.AllocsPerRun(100, func() { var x int64; pointer(unsafe.Pointer(&x)) }) != 0 {
		t.Skip("in this build every conversion to unsafe.Pointer allocates")
	}
}

// pointer does nothing with p.
//
//go:noinline
func pointer(p unsafe.Pointer) {}
