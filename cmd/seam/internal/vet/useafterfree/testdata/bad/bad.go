// Package bad uses memory that was freed.
package bad

// #include <stdlib.h>
// #include <string.h>
// static int length(char *s) { return (int)strlen(s); }
// static char *copy(const char *s) { char *d = malloc(strlen(s)+1); strcpy(d, s); return d; }
// typedef struct { int n; } counter;
// counter *counter_new(void);
// void counter_free(counter *c);
// int counter_get(counter *c);
import "C"

import "unsafe"

func usedLater(s string) int {
	cs := C.CString(s)
	C.free(unsafe.Pointer(cs)) // want error "cs is freed here and used at line"
	return int(C.length(cs))
}

func readLater(s string) string {
	cs := C.copy(nil)
	if s != "" {
		C.free(unsafe.Pointer(cs)) // want error "cs is freed here and used at line"
	}
	return C.GoString(cs)
}

func viewedLater(n int) byte {
	p := C.calloc(1, C.size_t(n))
	b := unsafe.Slice((*byte)(p), n)
	C.free(p) // want error "p is freed here and used at line"
	return b[0]
}

func viewReturned(n int) []byte {
	p := C.calloc(1, C.size_t(n))
	defer C.free(p) // want error "p is freed when the function ends and returned at line"
	return unsafe.Slice((*byte)(p), n)
}

func destroyed() int {
	c := C.counter_new()
	C.counter_free(c) // want warning "c is freed here, by C.counter_free, and used at line"
	return int(C.counter_get(c))
}

type counting struct{ c *C.counter }

func (c *counting) close() int {
	C.counter_free(c.c) // want warning "c.c is freed here, by C.counter_free, and used at line"
	return int(C.counter_get(c.c))
}
