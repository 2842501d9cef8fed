// Package good looks, or needs not.
package good

// #include <stdio.h>
// #include <stdlib.h>
// #include <pwd.h>
// static FILE *gst_parse_launch(void) { return stdin; }
import "C"

import "unsafe"

func size(name, mode *C.char) int {
	f := C.fopen(name, mode)
	if f == nil {
		return -1
	}
	defer C.fclose(f)
	var buf [64]byte
	return int(C.fread(unsafe.Pointer(&buf[0]), 1, 64, f))
}

func byErrno(name, mode *C.char) (int, error) {
	f, err := C.fopen(name, mode)
	if err != nil {
		return 0, err
	}
	defer C.fclose(f)
	return int(C.ftell(f)), nil
}

func text(name *C.char) string {
	v := C.getenv(name)
	return C.GoString(v) // takes NULL for nothing
}

func given(name, mode *C.char) *C.FILE {
	f := C.fopen(name, mode)
	return f
}

func converted(name *C.char) int {
	v := C.getenv(name)
	if unsafe.Pointer(v) == nil {
		return 0
	}
	return int(C.atoi(v))
}

func seen() int {
	f := C.gst_parse_launch()
	return int(C.ftell(f))
}

func switched(name *C.char) int {
	switch v := C.getenv(name); v {
	case nil:
		return 0
	default:
		return int(C.atoi(v))
	}
}
