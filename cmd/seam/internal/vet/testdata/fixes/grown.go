package fixes

/*
#include <stdlib.h>
static void grow(char **s) { *s = realloc(*s, 64); }
*/
import "C"

import "unsafe"

// Grown frees what it had at first.
func Grown(s string) {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	C.grow(&cs)
}
