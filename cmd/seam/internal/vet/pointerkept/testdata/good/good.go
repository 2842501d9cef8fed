// Package good has near misses.
package good

// #include <stdint.h>
// #include <stdlib.h>
// #include <string.h>
// struct iovec { void *base; size_t len; };
// static void *kept;
// static void keep(void *p) { kept = p; }
// static int look(void *p) { void *q = p; return ((char *)q)[0]; }
// static int64_t sum(struct iovec *v) { struct iovec w = *v; return (int64_t)w.len; }
// void number(uintptr_t n);
// typedef void (*ready)(uintptr_t data);
// typedef int (*order)(const void *, const void *);
// void seamVetTestGood(uintptr_t data);
// void set_ready(ready f, uintptr_t data);
// void set_buffer(void *p, int n);
// int add_watch(uint64_t *id, ready f, void *data);
// static void sorted(void *p, int n, order f) { qsort(p, n, 8, f); }
// static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
// static void set(struct iovec *v, void *p) { v->base = p; }
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"
)

func pinned(b []byte) {
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(&b[0])
	v := (*C.struct_iovec)(C.calloc(1, C.sizeof_struct_iovec))
	defer C.free(unsafe.Pointer(v))
	v.base = unsafe.Pointer(&b[0])
	C.sum(v)
}

func pinnedLonger(b []byte) (*C.struct_iovec, func()) {
	p := new(runtime.Pinner)
	p.Pin(&b[0])
	v := (*C.struct_iovec)(C.calloc(1, C.sizeof_struct_iovec))
	v.base = unsafe.Pointer(&b[0])
	return v, func() { p.Unpin() }
}

func takenBack(b []byte, v *C.struct_iovec) {
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(&b[0])
	C.keep(unsafe.Pointer(&b[0]))
	defer C.keep(nil)
	v.base = unsafe.Pointer(&b[0])
	C.sum(v)
	v.base = nil
}

type holder struct{ p runtime.Pinner }

func (h *holder) add(b []byte, v *C.struct_iovec) {
	h.p.Pin(&b[0])
	v.base = unsafe.Pointer(&b[0])
}

func unpinnedAfter(b []byte) {
	var p runtime.Pinner
	p.Pin(&b[0])
	v := (*C.struct_iovec)(C.calloc(1, C.sizeof_struct_iovec))
	v.base = unsafe.Pointer(&b[0])
	C.sum(v)
	p.Unpin()
	v.base = nil
	C.free(unsafe.Pointer(v))
}

func inGo(b []byte) int64 {
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(&b[0])
	var v C.struct_iovec
	v.base = unsafe.Pointer(&b[0])
	w := &C.struct_iovec{}
	w.base = unsafe.Pointer(&b[0])
	return int64(C.sum(&v) + C.sum(w))
}

func cInC(n int) *C.struct_iovec {
	v := (*C.struct_iovec)(C.calloc(1, C.sizeof_struct_iovec))
	v.base = C.malloc(C.size_t(n))
	p := C.CString("x")
	v.base = unsafe.Pointer(p)
	return v
}

func free(v *C.struct_iovec) {
	C.free(v.base)
	C.free(unsafe.Pointer(v))
}

func looks(b []byte) int { return int(C.look(unsafe.Pointer(&b[0]))) }

func keepsC() {
	C.keep(C.malloc(3))
	p := C.CBytes([]byte("x"))
	C.keep(p)
}

func handle(v any) {
	h := cgo.NewHandle(v)
	defer h.Delete()
	C.number(C.uintptr_t(h))
	C.look(unsafe.Pointer(&h))
}

func cAddress() {
	p := C.malloc(8)
	defer C.free(p)
	C.number(C.uintptr_t(uintptr(p)))
}

func copied(b []byte) {
	v := (*[1 << 20]byte)(C.malloc(C.size_t(len(b))))
	defer C.free(unsafe.Pointer(v))
	copy(v[:len(b)], b)
	v[0] = b[0]
}

func setInGo(b []byte) int64 {
	var v C.struct_iovec
	C.set(&v, unsafe.Pointer(&b[0]))
	return int64(C.sum(&v))
}

// vec may hold memory of Go too.
type vec struct{ mem unsafe.Pointer }

func newVec(n int) *vec { return &vec{mem: C.malloc(C.size_t(n))} }

func (v *vec) close() { C.free(v.mem) }

func (v *vec) use(b []byte) { v.mem = unsafe.Pointer(&b[0]) }

func (v *vec) set(b []byte) { *(*unsafe.Pointer)(v.mem) = unsafe.Pointer(&b[0]) }

// numbers may be in C memory.
type numbers struct{ a, b int32 }

func plain(n *numbers) { C.keep(unsafe.Pointer(n)) }

// unchecked declares what cgo writes a call of: those who don't want the check do.
func unchecked(b *byte) int {
	_cgoCheckPointer := func(...any) {}
	return int(C.look(unsafe.Pointer(b)))
}

//export seamVetTestGood
func seamVetTestGood(data C.uintptr_t) {}

func userData(v any, b []byte) {
	C.set_ready(C.ready(C.seamVetTestGood), C.uintptr_t(cgo.NewHandle(v)))
	C.set_buffer(unsafe.Pointer(&b[0]), 3) // without a function to call
	C.sorted(unsafe.Pointer(&b[0]), 3, C.order(C.compare))
}

func unpinnedOnEveryWay(b []byte, n int) int {
	var p runtime.Pinner
	p.Pin(&b[0])
	if n > len(b) {
		p.Unpin()
		return 0
	}
	for range n {
		p.Pin(&b[n])
	}
	defer func() { p.Unpin() }()
	return int(C.look(unsafe.Pointer(&b[0])))
}

func unpinnedByOthers(b []byte) (unpin func()) {
	var p runtime.Pinner
	p.Pin(&b[0])
	unpin = p.Unpin
	return unpin
}

// filler points to a struct of C's that Go has made: cgo's own check knows when C gets it.
type filler struct{ v *C.struct_iovec }

func filledInGo(b []byte) *filler {
	h := &filler{v: &C.struct_iovec{}}
	h.v.base = unsafe.Pointer(&b[0])
	return h
}

// C writes the number of what it calls back there.
func watch() (id C.uint64_t) {
	C.add_watch(&id, C.ready(C.seamVetTestGood), nil)
	return id
}
