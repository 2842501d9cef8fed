// Package good gives C what it may have.
package good

/*
#include <stddef.h>
#include <stdlib.h>
struct request { const void *data; size_t n; struct { int k; } in; size_t number; };
int send(const struct request *r);
void any(void *p);
void inner(void *p);
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Pinned pins it.
func Pinned(b []byte) int {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(unsafe.SliceData(b))
	var r C.struct_request
	r.data = unsafe.Pointer(unsafe.SliceData(b))
	return int(C.send(&r))
}

// OfC stores what C made.
func OfC(s string) int {
	var r C.struct_request
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	r.data = unsafe.Pointer(cs)
	return int(C.send(&r))
}

// Copied is C's from a copy.
func Copied(b []byte) int {
	var r C.struct_request
	r.data = C.CBytes(b)
	defer C.free(unsafe.Pointer(r.data))
	return int(C.send(&r))
}

// Constant lies in no memory of the collector's.
func Constant() int {
	var r C.struct_request
	r.data = unsafe.Pointer(unsafe.StringData("constant\x00"))
	return int(C.send(&r))
}

// Later stores after the call.
func Later(b []byte) int {
	var r C.struct_request
	n := int(C.send(&r))
	r.data = unsafe.Pointer(&b[0])
	return n + int(r.n)
}

// Cleared takes it out before the call.
func Cleared(b []byte) int {
	var r C.struct_request
	r.data = unsafe.Pointer(&b[0])
	r.data = nil
	return int(C.send(&r))
}

// Other passes a member that has none.
func Other(b []byte) {
	var r C.struct_request
	r.data = unsafe.Pointer(&b[0])
	C.inner(unsafe.Pointer(&r.in))
}

// InC has the struct in C's memory, which is another rule's matter.
func InC(b []byte) {
	r := (*C.struct_request)(C.calloc(1, C.sizeof_struct_request))
	defer C.free(unsafe.Pointer(r))
	r.n = C.size_t(len(b))
	C.send(r)
}

// Number hides it, which is another rule's matter too.
func Number(b []byte) {
	var r C.struct_request
	r.number = C.size_t(uintptr(unsafe.Pointer(&b[0])))
	C.send(&r)
}

type plain struct{ a, b int }

// Plain has no pointers.
func Plain() {
	p := plain{1, 2}
	C.any(unsafe.Pointer(&p))
}

type empty struct {
	name string
	n    int
}

// Empty has none yet.
func Empty() {
	var e empty
	e.n = 2
	C.any(unsafe.Pointer(&e))
}
