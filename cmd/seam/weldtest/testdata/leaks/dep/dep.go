// Package dep is a dependency that gets memory from C.
package dep

// #include <stdlib.h>
// #include <string.h>
import "C"

import "unsafe"

// Keep allocates blocks and never frees them.
func Keep(n int) {
	for range n {
		C.strdup((*C.char)(unsafe.Pointer(unsafe.StringData("twelve bytes\x00"))))
	}
}
