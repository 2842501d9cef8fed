package bad

/*
#include <stddef.h>
typedef struct obj obj;
obj *obj_new(void);
void obj_unref(obj *o);
int obj_size(obj *o);
int obj_push(void *src, obj *o);
obj *toObj(void *p);
static obj *seen_cast(void *p) { return (obj *)p; }
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Object comes by accessors.
type Object struct{ ptr *C.obj }

// NewObject makes one.
func NewObject() *Object {
	o := &Object{C.obj_new()}
	runtime.SetFinalizer(o, (*Object).Unref)
	return o
}

// Unref frees it.
func (o *Object) Unref() { C.obj_unref(o.Instance()) }

// Unsafe is the pointer without a type.
func (o *Object) Unsafe() unsafe.Pointer {
	if o == nil {
		return nil
	}
	return unsafe.Pointer(o.ptr)
}

// Instance casts in C that isn't seen.
func (o *Object) Instance() *C.obj { return C.toObj(o.Unsafe()) }

// Seen casts in C that is seen.
func (o *Object) Seen() *C.obj { return C.seen_cast(unsafe.Pointer(o.ptr)) }

// Size asks C.
func (o *Object) Size() int { return int(C.obj_size(o.Instance())) } // want warning "free what o.Instance() returns during C.obj_size"

// Size2 asks C.
func (o *Object) Size2() int { return int(C.obj_size(o.Seen())) } // want warning "free what o.Seen() returns during C.obj_size"

// Cast is given a cast directly.
func (o *Object) Cast() int { return int(C.obj_size(C.toObj(unsafe.Pointer(o.ptr)))) } // want warning "free o.ptr during C.obj_size"

// Push hands it over.
func Push(src unsafe.Pointer, o *Object) int { return int(C.obj_push(src, o.Instance())) } // want warning "during C.obj_push"

// Bin is an object, and more.
type Bin struct{ *Object }

// Instance is the object of C's.
func (b *Bin) Instance() *C.obj { return C.toObj(b.Unsafe()) }

// Count asks C.
func (b *Bin) Count() int { return int(C.obj_size(b.Instance())) } // want warning "free what b.Instance() returns"

// Kept keeps it.
func (b *Bin) Kept() int {
	n := int(C.obj_size(b.Instance()))
	runtime.KeepAlive(b)
	return n
}

// View has the object's pointer and nothing that keeps the object.
type View struct{ of *C.obj }

// View makes one.
func (o *Object) View() *View {
	v := &View{of: o.ptr} // want warning "View gets what the finalizer of Object frees"
	runtime.KeepAlive(o)
	return v
}

// Kept has both.
type Kept struct {
	of  *C.obj
	obj *Object
}

// Kept makes one.
func (o *Object) KeptView() *Kept { return &Kept{of: o.ptr, obj: o} }
