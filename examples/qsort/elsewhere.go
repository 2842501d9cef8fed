//go:build !(cgo && linux)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "qsort: built without C (set CGO_ENABLED=1 and have a C compiler, on Linux)")
	os.Exit(2)
}
