// Package lib has a C function of every kind that a tracer has to tell apart.
package lib

/*
#cgo CFLAGS: -std=gnu89 -Wall -Werror -Wno-unused-function -Wno-unused-variable
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { int a; double b; } pair;

static int quick(int a, int b) { return a + b; }
static void nothing(void) {}
static double slow(int n) { volatile double x = 0; int i; for (i = 0; i < n; i++) x += i; return x; }
static void waits(int us) { usleep((unsigned)us); }
static int fails(int e) { errno = e; return -1; }
static pair makes(int a, double b) { pair p; p.a = a; p.b = b; return p; }
static int length(const char *s) { return (int)strlen(s); }
#define variadic(a) quick(a, 1)

extern int goBack(int);
static int back(int n) { return goBack(n); }
static int unused(void) { return 1; }
*/
import "C"

import "unsafe"

// Back is what C calls.
var Back func(n int) int

//export goBack
func goBack(n C.int) C.int { return C.int(Back(int(n))) }

func Quick(a, b int) int     { return int(C.quick(C.int(a), C.int(b))) }
func Nothing()               { C.nothing() }
func Slow(n int) float64     { return float64(C.slow(C.int(n))) }
func Waits(us int)           { C.waits(C.int(us)) }
func Callback(n int) int     { return int(C.back(C.int(n))) }
func Fails(e int) error      { _, err := C.fails(C.int(e)); return err }
func FailsQuietly(e int) int { return int(C.fails(C.int(e))) }
func Makes() (int, float64)  { p := C.makes(3, 4.5); return int(p.a), float64(p.b) }
func Unused() int            { return int(C.unused()) }

func Length(s string) int {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	return int(C.length(c))
}
