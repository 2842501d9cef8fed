package good

/*
#include <stdlib.h>
void scanner_set(void *user);
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

type scanner struct{ cell unsafe.Pointer }

func newScanner(f func()) *scanner {
	s := &scanner{cell: C.calloc(1, 8)}
	*(*cgo.Handle)(s.cell) = cgo.NewHandle(f)
	C.scanner_set(s.cell)
	return s
}

func (s *scanner) close() {
	(*cgo.Handle)(s.cell).Delete()
	C.free(s.cell)
}

type other struct{ cell unsafe.Pointer }

func newOther(f func()) *other {
	o := &other{cell: C.calloc(1, 8)}
	*(*cgo.Handle)(o.cell) = cgo.NewHandle(f)
	return o
}

func (o *other) close() {
	h := *(*cgo.Handle)(o.cell)
	h.Delete()
	C.free(o.cell)
}
