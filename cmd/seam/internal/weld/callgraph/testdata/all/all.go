// Package all has a C function for each thing that a proof can find.
package all

/*
#include <string.h>
#include <unistd.h>
#include "all.h"

static int preamble(const char *s) { return (int)strlen(s) + 1; }
static int preamble_reads(int fd) { char c; return (int)read(fd, &c, 1); }
#define macro_abs(x) ((x) < 0 ? -(x) : (x))
static int wraps_macro(int x) { return macro_abs(x); }
*/
import "C"

func Calls() {
	s := C.CString("text")
	C.preamble(s)
	C.preamble_reads(0)
	C.wraps_macro(1)
	C.add(1, 2)
	C.add2(1, 2)
	C.walks(5)
	C.even(5)
	C.by_pointer(nil, 1)
	C.by_ifunc(1)
	C.by_alias(1)
	C.calls_go(1)
	C.calls_go_deep(1)
	C.prints(1)
	C.locks_up()
	C.joins()
	C.joins_deep(1)
	C.sorts(nil, 1)
	C.enters_kernel(1)
	C.fence()
	C.unknown(1)
	C.allocates(10)
	C.aborts(1)
	C.asserts(1)
	C.asserts_inline(1)
	C.logs_and_goes_on(1)
	C.on_stack(10)
	C.big_frame(1)
	C.cxx_virtual(nil)
	C.cxx_plain(3)
	C.strlen(s)
	C.other_static(1)
	if _, err := C.with_errno(1); err != nil {
		return
	}
}

//export goFunction
func goFunction(x C.int) C.int { return x }
