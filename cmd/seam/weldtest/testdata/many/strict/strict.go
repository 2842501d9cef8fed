// Package strict is compiled as C89 with as many warnings made errors as the files
// of cgo itself stand.
package strict

/*
#cgo CFLAGS: -std=c89 -Wall -Wextra -Wno-unused-parameter -Wno-unused-variable -Werror -O0
#include <errno.h>

static int twice(int a) { return 2 * a; }
static int oops(int a) { errno = a; return a; }
static void nop(void) { }
*/
import "C"

import (
	"fmt"
	"io"
)

// Print calls all functions.
func Print(w io.Writer) {
	C.nop()
	r, err := C.oops(9)
	fmt.Fprintln(w, "strict", C.twice(4), r, err)
}
