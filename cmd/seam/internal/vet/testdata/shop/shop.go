// Package shop has one finding of each kind that the driver must treat differently.
package shop

// #include <stdlib.h>
// #include <string.h>
import "C"

import "unsafe"

// Fixed can be mended.
func Fixed(s string) int {
	cs := C.CString(s)
	return int(C.strlen(cs))
}

// Ignored is meant.
func Ignored(s string) int {
	//seam:ignore cstring-leak the string lives as long as the program
	cs := C.CString(s)
	return int(C.strlen(cs))
}

// NoReason is not ignored, as the comment doesn't say why, and can't be mended.
func NoReason(s string) bool {
	return s != "" && C.strlen(C.CString(s)) > 0 //seam:ignore cstring-leak
}

// Freed is right.
func Freed(s string) int {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	return int(C.strlen(cs))
}
