//go:build !linux || !cgo

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "program: needs Linux and cgo")
	os.Exit(2)
}
