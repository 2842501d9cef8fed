// Package bad doesn't look.
package bad

// #include <stdio.h>
// #include <stdlib.h>
// #include <pwd.h>
import "C"

import "unsafe"

func size(name, mode *C.char) int {
	f := C.fopen(name, mode) // want warning "C.fopen may return NULL"
	defer C.fclose(f)
	var buf [64]byte
	return int(C.fread(unsafe.Pointer(&buf[0]), 1, 64, f))
}

func home(name *C.char) string {
	pw := C.getpwnam(name) // want warning "C.getpwnam may return NULL, and pw is read"
	return C.GoString(pw.pw_dir)
}

func length(name *C.char) int {
	v := C.getenv(name) // want warning "given to C.atoi"
	return int(C.atoi(v))
}
