//go:build cgo && linux && !android && (amd64 || arm64)

package ctest

/*
#cgo LDFLAGS: -lpthread -lrt
#include <errno.h>
#include <stdlib.h>
#include "ctest.h"
#include "table.h"

static int64_t case_in_coroutine(seam_coro *co, void *arg) {
	ctest_case *c = arg;
	(void)co;
	c->ends = case_ends(c->i);
	c->ends_errno = c->ends < 0 ? errno : 0; // otherwise it says what was on the way
	c->late = case_times_out(c->i);
	c->late_errno = c->late < 0 ? errno : 0;
	return 0;
}

static void *case_function(void) { return (void *)case_in_coroutine; }
static void case_plainly(ctest_case *c) { case_in_coroutine(NULL, c); }
*/
import "C"

import "unsafe"

// CaseName returns the name of a function of libc that waits, or "".
func CaseName(i int) string {
	if name := C.case_name(C.int(i)); name != nil {
		return C.GoString(name)
	}
	return ""
}

// NewCase returns a case for CaseFn, in C memory that is never freed.
func NewCase(i int) unsafe.Pointer {
	c := (*C.ctest_case)(C.calloc(1, C.sizeof_ctest_case))
	c.i = C.int(i)
	return unsafe.Pointer(c)
}

// CaseFn runs the case that is its argument, CasePlainly does so by cgo.
var CaseFn = unsafe.Pointer(C.case_function())

func CasePlainly(c unsafe.Pointer) { C.case_plainly((*C.ctest_case)(c)) }

// CaseResults returns what came of it where the wait ended and where it timed out: results and error numbers.
func CaseResults(c unsafe.Pointer) [4]int64 {
	r := (*C.ctest_case)(c)
	return [4]int64{int64(r.ends), int64(r.ends_errno), int64(r.late), int64(r.late_errno)}
}
