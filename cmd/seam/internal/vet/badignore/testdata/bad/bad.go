// Package bad has comments that ignore nothing.
package bad

// #include <stdlib.h>
// #include <string.h>
import "C"

import "unsafe"

func misspelt(s string) int {
	cs := C.CString(s) // want error "never freed"
	//seam:ignore cstring-leek the string is short
	// want-1 warning "there is no rule cstring-leek, so nothing is ignored for it; did you mean cstring-leak?"
	return int(C.strlen(cs))
}

func noReason(s string) int {
	//seam:ignore cstring-leak
	// want-1 warning "//seam:ignore cstring-leak gives no reason, so it is not obeyed"
	return int(C.strlen(C.CString(s))) // want error "never freed"
}

func nothing(s string) int {
	//seam:ignore
	// want-1 warning "names no rule and gives no reason"
	return int(C.strlen(C.CString(s))) // want error "never freed"
}

func spaced(s string) int {
	// seam:ignore cstring-leak the string is short
	// want-1 warning "must begin with //seam:ignore and a space"
	return int(C.strlen(C.CString(s))) // want error "never freed"
}

func glued(s string) int {
	//seam:ignore:cstring-leak the string is short
	// want-1 warning "must begin with //seam:ignore and a space"
	return int(C.strlen(C.CString(s))) // want error "never freed"
}

func listed(s string) int {
	//seam:ignore cstring-leak, keepalive the string is short
	// want-1 warning "with a comma between, and no space"
	return int(C.strlen(C.CString(s)))
}

func unknown(s string) int {
	//seam:ignore all the string is short
	// want-1 warning "there is no rule all"
	return int(C.strlen(C.CString(s))) // want error "never freed"
}

func mended(s string) int {
	//seam:ignore cstring-leak the string is short
	// want-1 warning "//seam:ignore cstring-leak ignores nothing here: take it out"
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	return int(C.strlen(cs))
}

// The finding is not on the line below.
func elsewhere(s string) int {
	//seam:ignore cstring-leak the string is short
	// want-1 warning "ignores nothing here"

	return int(C.strlen(C.CString(s))) // want error "never freed"
}

func half(s string) int {
	//seam:ignore cstring-leak,keepalive the string is short
	// want-1 warning "//seam:ignore keepalive ignores nothing here"
	return int(C.strlen(C.CString(s)))
}
