package bad

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
	*(*cgo.Handle)(s.cell) = cgo.NewHandle(f) // want error "the handle goes to memory that field cell leads to"
	C.scanner_set(s.cell)
	return s
}

func (s *scanner) close() {
	if s.cell != nil {
		C.free(s.cell)
		s.cell = nil
	}
}
