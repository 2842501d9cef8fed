//go:build !unix

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "kitexbench: this measures the processor's time as Unix tells it")
	os.Exit(3)
}
