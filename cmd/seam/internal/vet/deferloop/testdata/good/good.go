// Package good frees in time, or must not.
package good

// #include <stdlib.h>
// int lib_add(const char *s);
// int lib_all(char **s, int n);
import "C"

import "unsafe"

func round(lines chan string) {
	for s := range lines {
		cs := C.CString(s)
		C.lib_add(cs)
		C.free(unsafe.Pointer(cs))
	}
}

func literal(lines chan string) {
	for s := range lines {
		func() {
			cs := C.CString(s)
			defer C.free(unsafe.Pointer(cs))
			C.lib_add(cs)
		}()
	}
}

func all(list []string) {
	names := (**C.char)(C.calloc(C.size_t(len(list)), 8))
	defer C.free(unsafe.Pointer(names))
	room := unsafe.Slice(names, len(list))
	for i, s := range list {
		cs := C.CString(s)
		defer C.free(unsafe.Pointer(cs))
		room[i] = cs
	}
	C.lib_all(names, C.int(len(list)))
}

func outside(lines chan string) {
	cs := C.CString("x")
	for range lines {
		C.lib_add(cs)
	}
	defer C.free(unsafe.Pointer(cs))
}
