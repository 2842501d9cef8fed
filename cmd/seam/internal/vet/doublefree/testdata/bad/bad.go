// Package bad frees twice, or what a variable held before.
package bad

// #include <stdlib.h>
// static int length(char *s) { int n = 0; while (s[n]) n++; return n; }
// static void grow(void **p) { *p = realloc(*p, 100); }
// void fill(char **out);
// struct lib_result { char *name; };
// int lib_resolve(const char *name, struct lib_result **out);
// void lib_result_free(struct lib_result *r);
import "C"

import "unsafe"

func twice(s string) {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs)) // want error "is freed here and again at line 19"
	if C.length(cs) > 3 {
		C.free(unsafe.Pointer(cs))
	}
}

func captured(s string) {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs)) // want error "frees what cs holds here"
	cs = (*C.char)(C.realloc(unsafe.Pointer(cs), 100))
	C.length(cs)
}

func regrown() {
	buf := C.malloc(10)
	defer C.free(buf) // want error "the deferred C.free frees what buf holds here, not what it gets at line"
	C.grow(&buf)
}

func filled() string {
	var out *C.char
	defer C.free(unsafe.Pointer(out)) // want warning "the deferred C.free frees nothing: out has no value yet"
	C.fill(&out)
	return C.GoString(out)
}

// The string of one round is freed as often as there are rounds.
func deferredBeforeRounds(list []string) {
	cs := C.CString("")
	for _, s := range list {
		defer C.free(unsafe.Pointer(cs)) // want error "not what it gets at line"
		cs = C.CString(s)
		C.length(cs)
	}
}

// What is freed at the end is a copy, from before the memory moved.
func copiedBefore(s string) int {
	cs := C.CString(s)
	old := unsafe.Pointer(cs)
	defer C.free(old) // want error "frees old, a copy of cs, whose memory moves at line"
	cs = (*C.char)(C.realloc(unsafe.Pointer(cs), 100))
	return int(C.length(cs))
}

func copiedBeforeGrown() {
	buf := C.malloc(10)
	var old = buf
	defer C.free(old) // want error "frees old, a copy of buf, whose memory moves at line"
	C.grow(&buf)
}

func deferredEarly(name *C.char) string {
	var res *C.struct_lib_result
	defer C.lib_result_free(res) // want warning "the deferred C.lib_result_free frees nothing"
	if C.lib_resolve(name, &res) != 0 {
		return ""
	}
	return C.GoString(res.name)
}
