// Package user gives C what objects of another package lend.
package user

/*
typedef struct obj obj;
int obj_push(void *src, obj *o);
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/vet/keepalive/testdata/lends"
)

// Push may lose it.
func Push(src unsafe.Pointer, b *lends.Buffer) int {
	return int(C.obj_push(src, (*C.obj)(b.Instance()))) // want warning "b is not used after this call, so its finalizer may free what b.Instance() returns"
}

// Sink is a buffer.
type Sink struct{ *lends.Buffer }

// Instance is what C knows.
func (s *Sink) Instance() *C.obj { return (*C.obj)(s.Buffer.Instance()) }

// Push may lose it.
func (s *Sink) Push(src unsafe.Pointer) int {
	return int(C.obj_push(src, s.Instance())) // want warning "free what s.Instance() returns"
}

// Kept keeps it.
func Kept(src unsafe.Pointer, b *lends.Buffer) int {
	n := int(C.obj_push(src, (*C.obj)(b.Instance())))
	runtime.KeepAlive(b)
	return n
}

// Plain has nothing that could free it.
func Plain(src unsafe.Pointer, p *lends.Plain) int {
	return int(C.obj_push(src, (*C.obj)(p.Instance())))
}
