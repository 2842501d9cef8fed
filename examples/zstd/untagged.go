//go:build !(cgo && seam_libs)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "zstd: built without libzstd (on Debian: apt-get install libzstd-dev, then go run -tags seam_libs ./examples/zstd)")
	os.Exit(2)
}
