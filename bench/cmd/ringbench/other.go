//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "ringbench: rings between processes are for Linux")
	os.Exit(3)
}
