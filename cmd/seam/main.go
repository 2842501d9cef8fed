// Command seam measures what crossing a boundary costs a Go program (into C,
// to another goroutine, thread or process), finds where a program pays it and
// makes its calls of C cheaper without a change to its source.
//
// What it can do is told by its own help:
//
//	seam -h
//	seam lab -h
//	seam lab compare -h
package main

import (
	"os"

	"github.com/seamgo/seam/cmd/seam/internal/cli"
)

func main() { os.Exit(cli.Main()) }
