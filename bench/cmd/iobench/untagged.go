//go:build !(cgo && linux && seam_servers)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "iobench: built without libhiredis (on Linux: apt-get install libhiredis-dev redis-server, then go run -tags seam_servers ./bench/cmd/iobench)")
	os.Exit(2)
}
