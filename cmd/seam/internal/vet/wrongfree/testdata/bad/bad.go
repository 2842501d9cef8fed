// Package bad frees what isn't its to free.
package bad

/*
#include <stdlib.h>
#include <string.h>
void lib_free(void *p);
char *lib_get_path(const char *name);
char *sqlite3_mprintf(const char *f);
const char *curl_easy_strerror(int code);
void sqlite3_free(void *p);
char *g_format_size(unsigned long size);
const char *gtk_button_get_label(void *button);
char *SDL_GameControllerMapping(void *c);
static const char *version(void) { return "1.0"; }
static char *variable(void) { static char v[4] = "1.0"; return v; }
static const char *by_way(void) { return version(); }
*/
import "C"

import "unsafe"

func mismatch(s string) {
	cs := C.CString(s)
	defer C.lib_free(unsafe.Pointer(cs)) // want warning "C.lib_free frees what C.CString gave"
	C.strlen(cs)
}

func allocated() {
	p := C.malloc(8)
	C.lib_free(p) // want warning "frees what C.malloc gave"
}

func newPath(s string) *C.char { return C.CString(s) }

func byWrapper(s string) { C.lib_free(unsafe.Pointer(newPath(s))) } // want warning "frees what C.CString gave"

func path() {
	p := C.lib_get_path(nil)
	C.free(unsafe.Pointer(p)) // want warning "which the package frees by C.lib_free elsewhere"
}

func pathRight() {
	p := C.lib_get_path(nil)
	C.lib_free(unsafe.Pointer(p))
}

func contract() {
	p := C.sqlite3_mprintf(nil)
	defer C.free(unsafe.Pointer(p)) // want error "which C.sqlite3_free frees (sqlite)"
	C.strlen(p)
}

func library() {
	p := C.curl_easy_strerror(1)
	C.free(unsafe.Pointer(p)) // want error "which belongs to the library (curl)"
}

func constant() {
	p := C.version()
	defer C.free(unsafe.Pointer(p)) // want error "which may be a constant or a static variable of C"
	C.strlen(p)
}

func static()      { C.free(unsafe.Pointer(C.variable())) } // want error "which may be a constant"
func staticByWay() { C.free(unsafe.Pointer(C.by_way())) }   // want error "which may be a constant"

func ofGo(b []byte) { C.free(unsafe.Pointer(&b[0])) } // want warning "Go memory, unless b is a view of C's"

func made() {
	b := make([]byte, 8)
	C.free(unsafe.Pointer(&b[0])) // want error "Go memory, which the garbage collector owns"
}

func variable() {
	var x C.int
	C.free(unsafe.Pointer(&x)) // want error "Go memory"
}

func inner(s string) {
	cs := C.CString(s)
	C.free(unsafe.Add(unsafe.Pointer(cs), 4)) // want error "an address behind the beginning of what C.CString gave"
}

// go-sdl2 0.4.35: SDL's own allocator may be behind it.
func mapping(c unsafe.Pointer) string {
	m := C.SDL_GameControllerMapping(c)
	defer C.free(unsafe.Pointer(m)) // want error "which C.SDL_free frees (sdl)"
	return C.GoString(m)
}

func byIntrospection(button unsafe.Pointer) {
	p := C.g_format_size(1)
	C.free(unsafe.Pointer(p)) // want note "frees what C.g_format_size returns, which C.g_free frees: they are the same since GLib 2.46 only"
	label := C.gtk_button_get_label(button)
	C.free(unsafe.Pointer(label)) // want error "frees what C.gtk_button_get_label returns, which belongs to the library (glib)"
}
