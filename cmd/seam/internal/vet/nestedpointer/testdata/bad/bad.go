// Package bad gives C Go memory with Go pointers in it.
package bad

/*
#include <stddef.h>
struct request { const void *data; size_t n; struct { void *more; } in; };
int send(const struct request *r);
void list(char **names, int n);
void any(void *p);
void inner(void *p);
*/
import "C"

import "unsafe"

// Send stores it in a member.
func Send(b []byte) int {
	var r C.struct_request
	r.data = unsafe.Pointer(&b[0])
	return int(C.send(&r)) // want error "r.data in it has the address of other Go memory"
}

// Literal has it from the beginning.
func Literal(b []byte) int {
	r := C.struct_request{data: unsafe.Pointer(unsafe.SliceData(b))}
	return int(C.send(&r)) // want error "r.data in it"
}

// Made is on the heap.
func Made(b []byte) int {
	r := &C.struct_request{}
	r.data = unsafe.Pointer(&b[0])
	return int(C.send(r)) // want error "r.data in it"
}

// New is too.
func New(s string) int {
	r := new(C.struct_request)
	r.data = unsafe.Pointer(unsafe.StringData(s))
	return int(C.send(r)) // want error "r.data in it"
}

func address(b []byte) unsafe.Pointer { return unsafe.Pointer(&b[0]) }

// Helped has it from another function.
func Helped(b []byte) int {
	var r C.struct_request
	p := address(b)
	r.data = p
	return int(C.send(&r)) // want error "r.data in it"
}

// List has it in an element.
func List(b []byte) {
	names := make([]*C.char, 2)
	names[1] = (*C.char)(unsafe.Pointer(&b[0]))
	C.list(&names[0], 2) // want error "names in it"
}

// Closure sends in a literal.
func Closure(b []byte) {
	func() {
		var r C.struct_request
		r.data = unsafe.Pointer(&b[0])
		C.send(&r) // want error "r.data in it"
	}()
}

// Inner passes the member alone that has it.
func Inner(b []byte) {
	var r C.struct_request
	r.in.more = unsafe.Pointer(&b[0])
	C.inner(unsafe.Pointer(&r.in)) // want error "in it has the address of other Go memory"
}

type options struct {
	name  string
	after func()
	n     int
}

// Options passes a struct of Go.
func Options(name string, f func()) {
	o := options{name: name, after: f}
	C.any(unsafe.Pointer(&o)) // want warning "has strings, slices or the like of Go in it"
}
