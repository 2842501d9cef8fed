// Package macros has macros that hit plain words, as old headers do.
package macros

/*
#include "words.h"

int add(int a, int b);
int macro_sum(void);
int through(int a);
*/
import "C"

import (
	"fmt"
	"io"
)

//export goBack
func goBack(a C.int) C.int { return a + 1 }

// Print calls all functions. The name of the first is sub to cgo.
func Print(w io.Writer) {
	fmt.Fprintln(w, "macros", C.sub(5, 3), C.macro_sum(), C.through(1))
}
