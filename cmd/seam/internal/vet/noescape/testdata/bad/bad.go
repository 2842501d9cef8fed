// Package bad has directives that are wrong, and lacks others.
package bad

// #cgo noescape keep
// // want-1 error "keeps its argument 1"
// #cgo nocallback keep
// #cgo noescape back
// // want-1 error "calls Go (back → goBack), so it can't have noescape"
// #cgo nocallback back
// // want-1 error "the program ends when it does"
// #cgo nocallback alone
// // want-1 error "alone calls Go (alone → goBack), so it can't have nocallback: the program ends when it does"
// #cgo noescape half
// // want-1 note "noescape of half does nothing without #cgo nocallback half, which its body proves right"
// #cgo nocallback other
//
// static int *kept;
// static void keep(int *p) { kept = p; }
//
// void goBack(int *p);
// static void back(int *p) { goBack(p); }
//
// static int parse(const char *s, int *end) { *end = 3; return s[0]; }
//
// static void alone(int *p) { goBack(p); }
// static int half(const char *s, int *end) { *end = 3; return s[0]; }
// static int other(const char *s, int *end) { *end = 3; return s[0]; }
import "C"

// Parse puts end on the heap.
func Parse(s *C.char) int {
	var end C.int
	n := C.parse(s, &end) // want note "end is put on the heap for this call, though C.parse keeps no pointer"
	return int(n + end)
}

// Others use the functions.
func Others() {
	var a, b C.int
	C.keep(&a)
	C.back(&b)
}

// Halves have one line of the two.
func Halves(s *C.char) int {
	var a, b, c C.int
	C.alone(&a)
	n := C.half(s, &b)
	n += C.other(s, &c) // want note "c is put on the heap for this call, though C.other keeps no pointer: #cgo noescape other, beside the nocallback that is there"
	return int(n)
}
