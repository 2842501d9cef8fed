package good

/*
#include <stdlib.h>
#include <string.h>
typedef struct lib_obj lib_obj;
typedef struct lib_class lib_class;
typedef struct lib_db lib_db;
lib_obj *lib_new(const char *kind);
int lib_add(lib_obj *to, lib_obj *p);
void lib_obj_destroy(lib_obj **p);
lib_obj *lib_root(lib_db *db);
int lib_open(const char *name, lib_db **db);
void lib_close(lib_db *db);
const char *lib_get(lib_db *db, char **err);
void lib_text_free(void *p);
int lib_parse(lib_db *db, const char *text, char **err);
int lib_run(lib_db *db);
_Bool lib_pack(lib_db *db, unsigned char **bytes, int *n);
_Bool lib_pack_free(unsigned char *bytes, int n);
void gst_element_class_set_static_metadata(lib_class *klass, const char *longname, const char *class, const char *description, const char *author);
void lib_type_register_static(const char *name);
const char *curl_easy_strerror(int code);
static const char *kept(char **out) { static char *last; *out = last; return last; }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// The library keeps it for ever: a contract, and a name, say so.
func metadata(c *C.lib_class, s string) {
	C.gst_element_class_set_static_metadata(c, C.CString(s), C.CString(s), C.CString(s), C.CString(s))
	C.lib_type_register_static(C.CString(s))
	name := C.CString(s)
	C.lib_type_register_static(name)
}

func cstr(s string) (*C.char, func()) {
	cs := C.CString(s)
	return cs, func() { C.free(unsafe.Pointer(cs)) }
}

func cstrByVariable(s string) (*C.char, func()) {
	cs := C.CString(s)
	free := func() { C.free(unsafe.Pointer(cs)) }
	return cs, free
}

func cleanedUp(s string) int {
	cs, free := cstr(s)
	defer free()
	other, done := cstrByVariable(s)
	defer done()
	return int(C.strlen(cs)) + int(C.strlen(other))
}

// What is freed only where it wasn't taken over is taken over elsewhere.
func added(to *C.lib_obj) error {
	p := C.lib_new(nil)
	if C.lib_add(to, p) != 0 {
		C.lib_obj_destroy(&p)
		return errors.New("add")
	}
	return nil
}

func addedAgain(to *C.lib_obj) bool {
	p := C.lib_new(nil)
	return C.lib_add(to, p) == 0
}

// What C puts into a variable is freed where there is anything.
func opened(name *C.char) error {
	var db *C.lib_db
	if rc := C.lib_open(name, &db); rc != 0 {
		return errors.New("open")
	}
	defer C.lib_close(db)
	return nil
}

func openedToo(name *C.char) (*C.lib_db, error) {
	var db *C.lib_db
	if C.lib_open(name, &db) != 0 {
		return nil, errors.New("open")
	}
	return db, nil
}

func openedInside(name *C.char) (err error) {
	var db *C.lib_db
	if C.lib_open(name, &db) == 0 {
		C.lib_close(db)
		return nil
	}
	return errors.New("open")
}

func shown(code int) string { return C.GoString(C.curl_easy_strerror(C.int(code))) }

// C is seen to hand out what is its own.
func looksAtKept() string {
	var out *C.char
	C.kept(&out)
	return C.GoString(out)
}

// parse is told what is wrong only if something is, as by LLVM.
func parse(db *C.lib_db, text *C.char) error {
	var message *C.char
	if C.lib_parse(db, text, &message) != 0 {
		err := errors.New(C.GoString(message))
		C.lib_text_free(unsafe.Pointer(message))
		return err
	}
	return nil
}

// parseAndRun looks at the message on another way, too.
func parseAndRun(db *C.lib_db, text *C.char) error {
	var errmsg *C.char
	result := C.lib_parse(db, text, &errmsg)
	if result != 0 {
		err := errors.New(C.GoString(errmsg))
		C.lib_text_free(unsafe.Pointer(errmsg))
		return err
	}
	if C.lib_run(db) == 0 {
		return nil
	}
	err := errors.New(C.GoString(errmsg))
	C.lib_text_free(unsafe.Pointer(errmsg))
	return err
}

// packed is given nothing if the result is false.
func packed(db *C.lib_db) ([]byte, error) {
	var p *C.uchar
	var n C.int
	ok := C.lib_pack(db, &p, &n)
	if !ok {
		return nil, errors.New("not packed")
	}
	b := C.GoBytes(unsafe.Pointer(p), n)
	C.lib_pack_free(p, n)
	return b, nil
}

func packedFailed(db *C.lib_db) []byte {
	var p *C.uchar
	var n C.int
	failed := !C.lib_pack(db, &p, &n)
	if failed {
		return nil
	}
	defer C.lib_pack_free(p, n)
	return C.GoBytes(unsafe.Pointer(p), n)
}
