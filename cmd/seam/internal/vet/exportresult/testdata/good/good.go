// Package good gives C its own.
package good

// #include <stdint.h>
// #include <stdlib.h>
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"
)

var (
	buffer = make([]byte, 16)
	suffix = "-dev"
	pinner runtime.Pinner
	kept   *C.char
)

//export okBuffer
func okBuffer() *byte { return (*byte)(C.CBytes(buffer)) }

//export okVersion
func okVersion() *C.char { return C.CString("1.0" + suffix) }

//export okConstant
func okConstant() string { return "1.0" }

//export okHandle
func okHandle() C.uintptr_t { return C.uintptr_t(cgo.NewHandle(buffer)) }

//export okDone
func okDone(h C.uintptr_t) { cgo.Handle(h).Delete() }

//export okNone
func okNone() unsafe.Pointer { return nil }

//export okPinned
func okPinned() unsafe.Pointer {
	pinner.Pin(&buffer[0])
	return unsafe.Pointer(&buffer[0])
}

//export okKept
func okKept() *C.char { return kept }

//export okGiven
func okGiven(p unsafe.Pointer) unsafe.Pointer { return p }

func notExported() *byte { return &buffer[0] }
