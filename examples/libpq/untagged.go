//go:build !(cgo && linux && seam_servers)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "libpq: built without libpq (on Linux: apt-get install libpq-dev postgresql, then go run -tags seam_servers ./examples/libpq)")
	os.Exit(2)
}
