//go:build !(cgo && seam_libs)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "simdjson: built without libsimdjson (on Debian: apt-get install g++ libsimdjson-dev, then go run -tags seam_libs ./examples/simdjson)")
	os.Exit(2)
}
