// Package lto is optimised as far as gcc can.
package lto

/*
#cgo CFLAGS: -O3
#include "lto.h"
*/
import "C"

import (
	"fmt"
	"io"
)

// Print calls all functions.
func Print(w io.Writer) {
	fmt.Fprintln(w, "lto", C.lto_square(7))
}
