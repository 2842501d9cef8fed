// Package bad leaves Go pointers in C.
package bad

// #include <stdint.h>
// #include <stdlib.h>
// struct iovec { void *base; size_t len; };
// static void *kept;
// static void keep(void *p) { kept = p; }
// static void keep_deep(void *p) { keep(p); }
// void unseen(void *p);
// static size_t sum(struct iovec *v) { return v->len; }
// void number(uintptr_t n);
// typedef void (*ready)(void *data);
// void seamVetTestReady(void *data);
// void set_ready(ready f, void *data);
// void each(ready f, void *data);
// static int try_sum(struct iovec *v, int n) { return n; }
import "C"

import (
	"errors"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

func iovec(b []byte) *C.struct_iovec {
	v := (*C.struct_iovec)(C.malloc(C.sizeof_struct_iovec))
	v.base = unsafe.Pointer(&b[0]) // want error "is stored in C memory"
	v.len = C.size_t(len(b))
	return v
}

func elements(bufs [][]byte) {
	list := (*[1 << 20]unsafe.Pointer)(C.calloc(C.size_t(len(bufs)), 8))
	for i, b := range bufs {
		list[i] = unsafe.Pointer(&b[0]) // want error "is stored in C memory"
	}
}

func outParameter(out *C.struct_iovec, v any) {
	h := cgo.NewHandle(v)
	out.base = unsafe.Pointer(&h) // want error "is stored in C memory"
}

func body(b []byte) {
	C.keep(unsafe.Pointer(&b[0]))      // want error "C.keep keeps this pointer"
	C.keep_deep(unsafe.Pointer(&b[0])) // want error "C.keep_deep keeps this pointer"
}

func asNumber(b []byte) {
	C.number(C.uintptr_t(uintptr(unsafe.Pointer(&b[0])))) // want warning "passed as a number"
}

func handle(v any) {
	h := cgo.NewHandle(v)
	C.keep(unsafe.Pointer(&h))   // want error "keeps the address of the local variable h"
	C.unseen(unsafe.Pointer(&h)) // want note "gets the address of the local variable h"
}

func pinner(b []byte) {
	var p runtime.Pinner
	p.Pin(&b[0]) // want error "p is never unpinned"
	C.keep(unsafe.Pointer(&b[0]))
}

type vec struct {
	mem unsafe.Pointer
	n   int
}

func newVec(n int) *vec { return &vec{mem: C.malloc(C.size_t(n) * C.sizeof_struct_iovec), n: n} }

func (v *vec) set(i int, b []byte) {
	at := (*C.struct_iovec)(unsafe.Pointer(uintptr(v.mem) + uintptr(i)*C.sizeof_struct_iovec))
	at.base = unsafe.Pointer(&b[0]) // want error "is stored in C memory"
}

func (v *vec) free() {
	C.free(v.mem)
	v.mem = nil
}

func unpinnedAtEnd(b []byte) *C.struct_iovec {
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(&b[0])
	v := (*C.struct_iovec)(C.malloc(C.sizeof_struct_iovec))
	v.base = unsafe.Pointer(&b[0]) // want error "p is unpinned in this function, but the C memory that has this address outlives it"
	return v
}

func unpinnedForCaller(b []byte, v *C.struct_iovec) {
	var p runtime.Pinner
	defer func() { p.Unpin() }()
	first := unsafe.SliceData(b)
	p.Pin(first)
	v.base = unsafe.Pointer(first) // want warning "p is unpinned in this function"
}

func unpinnedBefore(b []byte) {
	var p runtime.Pinner
	p.Pin(&b[0])
	v := (*C.struct_iovec)(C.malloc(C.sizeof_struct_iovec))
	v.base = unsafe.Pointer(&b[0]) // want error "is given to C at line 107, after p has unpinned it"
	p.Unpin()
	C.sum(v)
}

func unpinnedWhileKept(b []byte) {
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(&b[0])
	C.keep(unsafe.Pointer(&b[0])) // want error "C.keep keeps this pointer after it returns, and p unpins"
}

type state struct {
	n    int
	list []string
}

func goValue(s *state) {
	C.keep(unsafe.Pointer(s))                         // want error "C.keep keeps this pointer"
	C.number(C.uintptr_t(uintptr(unsafe.Pointer(s)))) // want warning "passed as a number"
}

//export seamVetTestReady
func seamVetTestReady(data unsafe.Pointer) { (*state)(data).n++ }

// What a callback gets must be there when it is called.
func userData(s *state, v any) {
	C.set_ready(C.ready(C.seamVetTestReady), unsafe.Pointer(s)) // want warning "C.set_ready gets the address of Go memory for seamVetTestReady, which it calls"
	C.each(C.ready(C.seamVetTestReady), unsafe.Pointer(s))      // want note "C.each gets the address of Go memory for seamVetTestReady"
	h := cgo.NewHandle(v)
	C.set_ready(C.ready(C.seamVetTestReady), unsafe.Pointer(&h)) // want warning "C.set_ready gets the address of the local variable h"
}

func unpinnedOnSuccess(b []byte, n int) error {
	var p runtime.Pinner
	p.Pin(&b[0]) // want error "p is not unpinned on the way to line"
	var v C.struct_iovec
	v.base = unsafe.Pointer(&b[0])
	if C.try_sum(&v, C.int(n)) == 0 {
		return errors.New("nothing")
	}
	p.Unpin()
	return nil
}

func deferredTooLate(b []byte, n int) int {
	p := new(runtime.Pinner)
	p.Pin(&b[0]) // want error "p is not unpinned on the way to line"
	if n > len(b) {
		return 0
	}
	defer p.Unpin()
	var v C.struct_iovec
	v.base = unsafe.Pointer(&b[0])
	return int(C.try_sum(&v, C.int(n)))
}
