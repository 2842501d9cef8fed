// Package bad gives C Go's memory.
package bad

// #include <stdlib.h>
import "C"

import "unsafe"

var (
	buffer = make([]byte, 16)
	suffix = "-dev"
	shared int
)

//export libBuffer
func libBuffer() *byte { return &buffer[0] } // want error "C gets the address of Go memory from libBuffer"

//export libVersion
func libVersion() string { return "1.0" + suffix } // want error "C gets the address of Go memory from libVersion"

//export libPointer
func libPointer() unsafe.Pointer {
	p := new(int)
	return unsafe.Pointer(p) // want error "from libPointer"
}

//export libShared
func libShared() *int { return &shared } // want error "from libShared"

func text(n C.int) string { return string(rune(n)) }

//export libText
func libText(n C.int) string { return text(n) } // want error "from libText"
