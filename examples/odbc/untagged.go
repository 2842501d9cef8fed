//go:build !(cgo && linux && seam_servers)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "odbc: built without unixODBC (on Linux: apt-get install unixodbc-dev odbc-postgresql postgresql, then go run -tags seam_servers ./examples/odbc)")
	os.Exit(2)
}
