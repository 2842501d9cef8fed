// Package good keeps the value alive until C returns.
package good

// #include <stddef.h>
// typedef struct pkg pkg;
// pkg *parse(const char *s);
// size_t encode(pkg *p, void **out);
// void pkg_free(pkg *p);
import "C"

import (
	"runtime"
	"unsafe"
)

type freeable interface{ Free() }

func free(f freeable) { f.Free() }

// Pkg is parsed source.
type Pkg struct{ ptr *C.pkg }

// New returns one.
func New(s *C.char) *Pkg {
	p := &Pkg{C.parse(s)}
	runtime.SetFinalizer(p, free)
	return p
}

// Free frees it.
func (p *Pkg) Free() {
	if p.ptr != nil {
		C.pkg_free(p.ptr)
	}
	p.ptr = nil
}

// Size is how long it is, encoded.
func (p *Pkg) Size() int {
	var out unsafe.Pointer
	n := C.encode(p.ptr, &out)
	runtime.KeepAlive(p)
	return int(n)
}
