package good

/*
#include <stdlib.h>
typedef struct lib_item lib_item;
typedef struct lib_io lib_io;
lib_item *lib_item_new(const char *name, const char *text);
const char *lib_item_name(const lib_item *i);
void lib_item_free(lib_item *i);
void *lib_buffer(size_t n);
void lib_buffer_free(void *p);
void lib_set_folder(char *folder);
lib_item *lib_item_fill(const char *name, lib_item *into);
*/
import "C"

import "unsafe"

// A function that goes through what it was given frees all of it.
func freeEach(list ...*C.char) {
	for _, s := range list {
		freeOne(s)
	}
}

func freeOne(s *C.char) { C.free(unsafe.Pointer(s)) }

func freedByList(a, b string) {
	x, y := C.CString(a), C.CString(b)
	defer freeEach(x, y)
	C.lib_item_free(C.lib_item_new(x, y))
}

// Item has a string that the library doesn't copy.
type Item struct{ c *C.lib_item }

// NewItem makes one.
func NewItem(name string) *Item { return &Item{C.lib_item_new(C.CString(name), nil)} }

// Free takes it apart: what the others ask for isn't theirs.
func (i *Item) Free() {
	C.free(unsafe.Pointer(C.lib_item_name(i.c)))
	C.lib_item_free(i.c)
}

// Name is its name.
func (i *Item) Name() string { return C.GoString(C.lib_item_name(i.c)) }

// C that gets nothing but the string, and sets something, can only keep it.
func setFolder(name string) { C.lib_set_folder(C.CString(name)) }

// With an item to fill it returns that one.
func filled(i *C.lib_item, name *C.char) {
	made := C.lib_item_fill(name, nil)
	defer C.lib_item_free(made)
	C.lib_item_fill(nil, i)
}
