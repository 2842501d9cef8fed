// Package good has the directives that it can have.
package good

// #cgo noescape parse
// #cgo nocallback parse
// #cgo nocallback keep
// #cgo noescape unseen
//
// #include <stdlib.h>
// static int parse(const char *s, int *end) { *end = 3; return s[0]; }
//
// static int *kept;
// static void keep(int *p) { kept = p; }
// static int *same(int *p) { return p; }
// static int through(int *p, int (*f)(int *)) { return f(p); }
// static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
// static void sort(int *p) { qsort(p, 1, sizeof *p, cmp); }
// static int sum(const int *p) { return p[0] + p[1]; }
// void look_at(const int *p);
// static void unseen(const int *p) { look_at(p); }
import "C"

import "runtime"

var pinner runtime.Pinner

// Parse has both directives.
func Parse(s *C.char) int {
	var end C.int
	n := C.parse(s, &end)
	return int(n + end)
}

// Kept can have none: C keeps, returns, or calls what can't be seen.
func Kept() {
	var a, b, c, d C.int
	pinner.Pin(&a)
	C.keep(&a)
	C.same(&b)
	C.through(&c, nil)
	C.sort(&d)
}

// Anyway is on the heap for another reason.
func Anyway() *C.int {
	v := new(C.int)
	C.sum(v)
	return v
}

// Unseen has noescape, and what it calls isn't known: whether nocallback is right neither.
func Unseen() {
	var v C.int
	C.unseen(&v)
}
