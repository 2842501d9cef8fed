//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "heapbench: the profilers are Linux's")
	os.Exit(2)
}
