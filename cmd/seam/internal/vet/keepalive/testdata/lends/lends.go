// Package lends has an object whose methods give other packages its pointer.
package lends

/*
typedef struct obj obj;
obj *obj_new(void);
void obj_unref(obj *o);
obj *obj_of(obj *o);
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Buffer is one.
type Buffer struct{ ptr *C.obj }

// New makes one.
func New() *Buffer {
	b := &Buffer{C.obj_new()}
	runtime.SetFinalizer(b, func(b *Buffer) { C.obj_unref(b.ptr) })
	return b
}

// Instance is what C knows.
func (b *Buffer) Instance() unsafe.Pointer { return unsafe.Pointer(b.ptr) }

// Plain has no finalizer.
type Plain struct{ ptr *C.obj }

// Instance is what C knows.
func (p *Plain) Instance() unsafe.Pointer { return unsafe.Pointer(p.ptr) }
