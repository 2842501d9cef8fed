// Command small prints results that come from C, and on request how many
// allocations a call makes that gives C an address.
package main

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"example.com/small/alpha"
	"example.com/small/beta"
	"example.com/small/plain"
)

func main() {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "allocs":
		fmt.Println("allocations:", testing.AllocsPerRun(100, func() { sink = alpha.Sum(1, 2, 3, 4) }))
		return
	case len(os.Args) > 1 && os.Args[1] == "args":
		fmt.Printf("%q\n", os.Args[2:])
		return
	}
	fmt.Println(alpha.Add(20, 22), alpha.Other(5), alpha.Sum(1, 2, 3, 4), beta.Scale(1.5, 4), plain.Twice(4), runtime.GOARCH)
	if beta.Extra != nil {
		fmt.Println("extra", beta.Extra(41))
	}
}

var sink int
