//go:build !(cgo && seam_servers)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "sqlite-function: built without SQLite (Debian: apt-get install libsqlite3-dev, then go run -tags seam_servers ./examples/sqlite-function)")
	os.Exit(2)
}
