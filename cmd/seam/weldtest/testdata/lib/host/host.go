// Command host opens a plugin.
package main

import (
	"fmt"
	"os"
	"plugin"

	"example.com/lib/c"
)

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	sum, err := p.Lookup("Sum")
	if err != nil {
		panic(err)
	}
	allocs, err := p.Lookup("Allocs")
	if err != nil {
		panic(err)
	}
	fmt.Println(sum.(func(int) int)(40), c.Sum(1, 2, 3))
	fmt.Println("allocations:", allocs.(func() int)(), c.Allocs())
}
