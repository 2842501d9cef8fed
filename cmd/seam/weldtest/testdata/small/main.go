// Command small prints results that come from C, and on request how many
// allocations a call makes that gives C an address.
package main

import (
	"fmt"
	"os"
	"runtime"

	"example.com/small/alpha"
	"example.com/small/beta"
	"example.com/small/plain"
)

func main() {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "allocs":
		fmt.Println("allocations:", allocations())
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

// allocations is testing.AllocsPerRun. Package testing would be compiled, with all
// that it imports, for every kind of build that the tests try.
func allocations() uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const runs = 100
	sink = alpha.Sum(1, 2, 3, 4) // what is made at the first call
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		sink = alpha.Sum(1, 2, 3, 4)
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / runs
}
