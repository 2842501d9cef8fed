// Package pc finds its header by pkg-config.
package pc

// #cgo pkg-config: seam-e2e
// #include "found.h"
import "C"

import (
	"fmt"
	"io"
)

// Print calls all functions.
func Print(w io.Writer) { fmt.Fprintln(w, "pkg-config", C.found(FOUND)) }

// FOUND is defined by the .pc file's Cflags.
const FOUND = C.FOUND
