// Package calls calls C in every way that cgo knows.
package calls

/*
#cgo noescape fill
#cgo nocallback fill
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <stdarg.h>

typedef struct { int a; double b; } pair;
typedef struct { char c; } __attribute__((packed)) odd;
typedef union { int i; float f; } either;
typedef int (*callback)(int);
enum colour { red, green };

static int add(int a, int b) { return a + b; }
static void nothing(void) {}
static const char *name(void) { return "calls"; }
static pair make(int a) { pair p = {a, 2.0}; return p; }
static int take(pair p, pair *q, odd o, either e, void **r, unsigned char c) { return p.a + q->a + o.c + e.i + c; }
static int fails(int e) { errno = e; return -1; }
static void fails_void(int e) { errno = e; }
static void fill(char *p, int n) { p[0] = (char)n; }
static enum colour next(enum colour c) { return c == red ? green : red; }
static _Bool not(_Bool b) { return !b; }
static int print(char *b, const char *f, ...) { va_list ap; va_start(ap, f); int n = vsnprintf(b, 10, f, ap); va_end(ap); return n; }
static int print_int(char *b, int x) { return print(b, "%d", x); }
static int through(callback f, int x) { return f(x); }
extern int goCalled(int);
static int calls_back(int x) { return goCalled(x); }
// A comment that looks like what cgo writes:
//	char *_cgo_stktop = _cgo_topofstack();
// #define _cgo_msan_write(addr, sz)
*/
import "C"

import "unsafe"

//export goCalled
func goCalled(x C.int) C.int { return x + 1 }

// All calls all of them.
func All() (err error) {
	_ = C.add(1, 2)
	C.nothing()
	_ = C.GoString(C.name())
	p := C.make(3)
	var b [16]C.char
	_ = C.take(p, &p, C.odd{}, C.either{}, nil, 1)
	_ = C.fails(1)
	if _, err = C.fails(3); err == nil {
		return nil
	}
	_, err = C.fails_void(4)
	_, _ = C.nothing()
	C.fill(&b[0], 3)
	_ = C.next(C.green)
	_ = C.not(true)
	_ = C.print_int(&b[0], 1)
	_ = C.through(nil, 3)
	_ = C.calls_back(4)
	s := C.CString("abc")
	C.free(unsafe.Pointer(s))
	C.free(C.CBytes([]byte("abc")))
	C.free(C.malloc(10))
	return err
}
