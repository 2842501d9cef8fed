// Package errs calls C for its errno.
package errs

/*
#include <errno.h>

static int fail(int code) { errno = code; return -code; }
static int half(int n) { if (n % 2) errno = EINVAL; return n / 2; }
static void none(int code) { errno = code; }
static void quiet(void) {}
struct pair { long a; char b; };
static struct pair both(int code) { struct pair p = {code, 'b'}; errno = code; return p; }
static int both_ways(int code) { errno = code; return 1; }
static int get_errno(void) { return errno; }
*/
import "C"

import (
	"fmt"
	"io"
)

// Print calls all functions.
func Print(w io.Writer) {
	p := func(a ...any) { fmt.Fprintln(w, a...) }
	for range 300 { // beyond the first calls, which are timed
		C.fail(3)
		C.both_ways(1)
		C.both_ways(2)
	}
	for range 300 {
		if r, err := C.fail(2); r != -2 || err == nil {
			p("lost errno", r, err)
		}
	}
	r, err := C.fail(2)
	p("errno", r, err)
	r, err = C.half(8)
	p("no errno", r, err)
	_, err = C.none(13)
	p("void with errno", err)
	_, err = C.quiet()
	p("void without", err)
	s, err := C.both(4)
	p("struct with errno", s.a, s.b, err)
	a := C.both_ways(5)
	b, err := C.both_ways(5)
	p("both forms", a, b, err)
	r, err = C.get_errno()
	p("errno is 0 at first", r, err)
}
