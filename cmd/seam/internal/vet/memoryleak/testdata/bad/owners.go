package bad

/*
#include <stdlib.h>
#include <string.h>
typedef struct lib_obj lib_obj;
typedef struct lib_list lib_list;
typedef struct lib_db lib_db;
struct lib_result { char *name; };
lib_obj *lib_new(const char *kind);
int lib_use(lib_obj *p);
void lib_obj_destroy(lib_obj **p);
lib_list *lib_list_new(int n);
int lib_list_use(lib_list *l);
void lib_list_free(lib_list *l, size_t n);
int lib_resolve(const char *name, struct lib_result **out);
void lib_result_free(struct lib_result *r);
void lib_get(lib_db *db, const char *k, char **val, char **err);
void lib_put(lib_db *db, const char *k, char **err);
void lib_text_free(void *p);
int lib_name(lib_db *db, char **name);
_Bool lib_pack(lib_db *db, unsigned char **bytes, int *n);
_Bool lib_pack_free(unsigned char *bytes, int n);
static int lib_make(char **out) { *out = malloc(8); return 0; }
*/
import "C"

import (
	"errors"
	"unsafe"
)

func byPlace() int {
	p := C.lib_new(nil)
	defer C.lib_obj_destroy(&p)
	return int(C.lib_use(p))
}

func byPlaceLost() error {
	p := C.lib_new(nil) // want warning "from C.lib_new is not freed on the way to line"
	if C.lib_use(p) != 0 {
		return errors.New("use")
	}
	C.lib_obj_destroy(&p)
	return nil
}

func neverFreed() int {
	p := C.lib_new(nil) // want warning "from C.lib_new is never freed"
	return int(C.lib_use(p))
}

func withSize(n int) int {
	l := C.lib_list_new(C.int(n))
	defer C.lib_list_free(l, C.size_t(n))
	return int(C.lib_list_use(l))
}

func withSizeLost(n int) int {
	l := C.lib_list_new(C.int(n)) // want warning "from C.lib_list_new is never freed"
	return int(C.lib_list_use(l))
}

func deferredEarly(name *C.char) string {
	var res *C.struct_lib_result
	defer C.lib_result_free(res)
	if C.lib_resolve(name, &res) != 0 {
		return ""
	}
	return C.GoString(res.name)
}

func get(d *C.lib_db, k *C.char) (string, error) {
	var val, errStr *C.char
	C.lib_get(d, k, &val, &errStr)
	if errStr != nil {
		defer C.lib_text_free(unsafe.Pointer(errStr))
		return "", errors.New(C.GoString(errStr))
	}
	defer C.lib_text_free(unsafe.Pointer(val))
	return C.GoString(val), nil
}

func getLost(d *C.lib_db, k *C.char) (string, error) {
	var val, errStr *C.char
	C.lib_get(d, k, &val, &errStr) // want warning "from C.lib_get is not freed on the way to line"
	if errStr != nil {
		defer C.lib_text_free(unsafe.Pointer(errStr))
		return "", errors.New(C.GoString(errStr))
	}
	return C.GoString(val), nil
}

func putLost(d *C.lib_db, k *C.char) error {
	var errStr *C.char
	C.lib_put(d, k, &errStr) // want warning "from C.lib_put is not freed on the way to line"
	if errStr != nil {
		return errors.New(C.GoString(errStr))
	}
	return nil
}

func made() (string, bool) {
	var s *C.char
	if C.lib_make(&s) != 0 {
		return "", false
	}
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s), true
}

func madeLost() (string, bool) {
	var s *C.char
	C.lib_make(&s) // want warning "from C.lib_make is not freed on the way to line"
	if *s == 0 {
		return "", false
	}
	text := C.GoString(s)
	C.free(unsafe.Pointer(s))
	return text, true
}

func cstr(s string) (*C.char, func()) {
	cs := C.CString(s)
	return cs, func() { C.free(unsafe.Pointer(cs)) }
}

func cleanupDropped(s string) int {
	cs, _ := cstr(s) // want error "what would free it, which comes beside it, is dropped"
	return int(C.strlen(cs))
}

// What is read after the call has succeeded is no message of its failure.
func nameLost(d *C.lib_db) string {
	var name *C.char
	if C.lib_name(d, &name) != 0 { // want warning "from C.lib_name is not freed on the way to line"
		C.lib_text_free(unsafe.Pointer(name))
		return ""
	}
	return C.GoString(name)
}

// packedLost forgets it where the result is true.
func packedLost(d *C.lib_db, much int) []byte {
	var p *C.uchar
	var n C.int
	ok := C.lib_pack(d, &p, &n) // want warning "from C.lib_pack is not freed on the way to line"
	if !ok {
		return nil
	}
	if int(n) > much {
		return nil
	}
	b := C.GoBytes(unsafe.Pointer(p), n)
	C.lib_pack_free(p, n)
	return b
}
