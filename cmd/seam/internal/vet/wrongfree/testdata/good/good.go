// Package good frees by what owns it.
package good

/*
#include <stdlib.h>
#include <string.h>
void lib_free(void *p);
char *lib_get_path(const char *name);
char *lib_other(void);
char *sqlite3_mprintf(const char *f);
void sqlite3_free(void *p);
typedef struct thing thing;
thing *thing_new(void);
void thing_free(thing *t);
static void my_free(void *p) { free(p); }
static char *maybe(int i) { return i ? strdup("1") : "0"; }
static char *same(char *p) { return p; }
*/
import "C"

import "unsafe"

func plain(s string) {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	C.strlen(cs)
}

func seen(s string) {
	cs := C.CString(s)
	defer C.my_free(unsafe.Pointer(cs))
	C.strlen(cs)
}

func path() {
	p := C.lib_get_path(nil)
	C.lib_free(unsafe.Pointer(p))
}

func other() { C.free(unsafe.Pointer(C.lib_other())) }

func contract() {
	p := C.sqlite3_mprintf(nil)
	defer C.sqlite3_free(unsafe.Pointer(p))
	C.strlen(p)
}

func object() {
	t := C.thing_new()
	C.thing_free(t)
}

func either(i int) {
	p := C.maybe(C.int(i))
	if i != 0 {
		C.free(unsafe.Pointer(p))
	}
}

func cast(s string) { C.free(unsafe.Pointer(C.same(C.CString(s)))) }

type holder struct{ p unsafe.Pointer }

func (h *holder) close() { C.free(h.p) }

func newHolder(fromC bool) *holder {
	if fromC {
		return &holder{C.malloc(8)}
	}
	return &holder{unsafe.Pointer(C.lib_other())}
}

func none() {
	var p *C.char
	C.free(unsafe.Pointer(p))
}

func parameter(p unsafe.Pointer) { C.free(p) }

func first(s string) {
	cs := C.CString(s)
	C.free(unsafe.Pointer(&(*[4]C.char)(unsafe.Pointer(cs))[0]))
}
