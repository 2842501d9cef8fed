// Package hooked gives Go functions to C in several ways.
package hooked

// #include "hooked.h"
import "C"

import "unsafe"

//export goChanged
func goChanged(p unsafe.Pointer, n C.int) {}

//export goCompare
func goCompare(a, b unsafe.Pointer) C.int { return 0 }

//export goEntry
func goEntry(n C.int) C.int { return n }
