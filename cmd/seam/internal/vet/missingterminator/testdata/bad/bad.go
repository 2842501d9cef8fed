// Package bad forgets the 0.
package bad

/*
#include <string.h>
#include <stdio.h>
static int by_uuid(const char *uuid) { return (int)strlen(uuid); }
static void show(const char *s) { printf("%s", s); }
int unseen(const char *name);
*/
import "C"

import "unsafe"

func byString(uuid string) int {
	p := (*C.char)(unsafe.Pointer(unsafe.StringData(uuid)))
	return int(C.by_uuid(p)) // want error "C.by_uuid reads as far as a 0"
}

func byBytes(uuid string) {
	b := []byte(uuid)
	C.show((*C.char)(unsafe.Pointer(&b[0]))) // want error "C.show reads as far as a 0"
}

func chars(s string) *C.char { return (*C.char)(unsafe.Pointer(unsafe.StringData(s))) }

func byWrapper(uuid string) int { return int(C.by_uuid(chars(uuid))) } // want error "C.by_uuid reads"

func constant() int {
	return int(C.by_uuid((*C.char)(unsafe.Pointer(unsafe.StringData("constant"))))) // want error "C.by_uuid reads"
}

func library(s string) {
	C.puts((*C.char)(unsafe.Pointer(unsafe.StringData(s)))) // want error "C.puts reads"
}

func notSeen(s string) {
	C.unseen((*C.char)(unsafe.Pointer(unsafe.StringData(s)))) // want warning "C.unseen reads"
}

// What generators of bindings write for a string.
type stringHeader struct {
	Data unsafe.Pointer
	Len  int
}

var known = new(struct{})

func unpack(s string) (*C.char, *struct{}) {
	h := (*stringHeader)(unsafe.Pointer(&s))
	return (*C.char)(h.Data), known
}

// ByHeader passes the name as it is.
func ByHeader(name string) int {
	cname, _ := unpack(name)
	return int(C.by_uuid(cname)) // want error "C.by_uuid reads"
}
