// Package good frees the cell with the handle.
package good

// #include <stdint.h>
// #include <stdlib.h>
// typedef struct stream { void (*release)(struct stream *); void *private_data; } stream;
// static int released(const stream *s) { return !s->release; }
// static void release(stream *s) { if (!released(s)) s->release(s); }
// void seamVetCorpusRelease(stream *);
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Export hands a value to C.
func Export(v any, out *C.stream) {
	cell := (*C.uintptr_t)(C.malloc(C.sizeof_uintptr_t))
	*cell = C.uintptr_t(cgo.NewHandle(v))
	out.private_data = unsafe.Pointer(cell)
	out.release = (*[0]byte)(C.seamVetCorpusRelease)
}

// Drop ends it.
func Drop(s *C.stream) { C.release(s) }
