// Package good has a 0 at the end, or says how long it is.
package good

/*
#include <stdlib.h>
#include <string.h>
static int by_uuid(const char *uuid) { return (int)strlen(uuid); }
static int counted(const char *s, size_t n) { return n ? s[0] : 0; }
static int first(const char *s) { return s[0]; }
int unseen(const char *name, int n);
int fill(char *to);
*/
import "C"

import "unsafe"

func ended(uuid string) int {
	p := (*C.char)(unsafe.Pointer(unsafe.StringData(uuid + "\x00")))
	return int(C.by_uuid(p))
}

func appended(uuid string) int {
	b := append([]byte(uuid), 0)
	return int(C.by_uuid((*C.char)(unsafe.Pointer(&b[0]))))
}

func bytesEnded(uuid string) int {
	b := []byte(uuid + "\x00")
	return int(C.by_uuid((*C.char)(unsafe.Pointer(&b[0]))))
}

func constant() int {
	return int(C.by_uuid((*C.char)(unsafe.Pointer(unsafe.StringData("constant\x00")))))
}

func copied(uuid string) int {
	cs := C.CString(uuid)
	defer C.free(unsafe.Pointer(cs))
	return int(C.by_uuid(cs))
}

func told(s string) int {
	return int(C.counted((*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s))) +
		C.unseen((*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.int(len(s))))
}

func one(s string) int { return int(C.first((*C.char)(unsafe.Pointer(unsafe.StringData(s))))) }

func filled(n int) string {
	b := make([]byte, n)
	C.fill((*C.char)(unsafe.Pointer(&b[0])))
	return string(b)
}

func given(b []byte) int { return int(C.by_uuid((*C.char)(unsafe.Pointer(&b[0])))) }

type header struct {
	Data unsafe.Pointer
	Len  int
}

func unpack(s string) *C.char {
	h := (*header)(unsafe.Pointer(&s))
	return (*C.char)(h.Data)
}

// ByHeader adds the 0.
func ByHeader(name string) int { return int(C.by_uuid(unpack(name + string(rune(0))))) }

// pack is a view of C's string.
func pack(p *C.char) (s string) {
	h := (*header)(unsafe.Pointer(&s))
	h.Data = unsafe.Pointer(p)
	h.Len = int(C.strlen(p))
	return s
}

func again(p *C.char) int { return int(C.by_uuid(unpack(pack(p)))) }
