// Package travel calls C in the ways that differ.
package travel

/*
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#cgo noescape peek
#cgo nocallback peek

typedef struct { int a; char b; double c; } thing;
typedef struct { int64_t x, y; } pair;
typedef struct { char name[100]; short n; } large;
typedef struct opaque opaque;
typedef int (*function)(int);

static int mix(char a, double b, short c, void *p, thing t) { return a + (int)b + c + t.a + (p != 0); }
static void nothing(void) {}
static int fails(int a) { errno = a; return -1; }
static pair both(int64_t *p) { pair r = {p[0], p[1]}; return r; }
static int each(function f, int n) { return f(n); }
static int peek(int *p) { return *p; }
static int triple(int a) { return a * 3; }
static function get(void) { return triple; }
static opaque *make(void) { return 0; }
static int look(opaque *o, _Bool deep, uint8_t n) { return o == 0; }
static unsigned char measure(large l, float f) { return l.n + (int)f; }
*/
import "C"

import "unsafe"

type Thing struct{ n int }

func (t *Thing) Mix(p *int) int {
	var c C.thing
	return int(C.mix(1, 2, 3, unsafe.Pointer(p), c))
}

func Nothing() { C.nothing() }

func Fails() error {
	_, err := C.fails(3)
	return err
}

func FailsQuietly() { C.fails(3) }

func Both() int64 {
	var a [2]C.int64_t
	r := C.both(&a[0]) // <script> & "quotes"
	return int64(r.x + r.y)
}

func Each() int { return int(C.each(C.get(), 3)) }

func Peek() int {
	x := C.int(3)
	return int(C.peek(&x))
}

func String(s string) string {
	p := C.CString(s)
	defer C.free(unsafe.Pointer(p))
	return C.GoString(p)
}

func Look() int { return int(C.look(C.make(), true, 3)) }

func Measure() int {
	var l C.large
	return int(C.measure(l, 2))
}
