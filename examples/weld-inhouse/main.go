//go:build cgo

// Command weld-inhouse is a program with a small C library of its own, and with
// every kind of call that cgo knows: structs as arguments and results, a Go string
// without a copy, errno, a variadic macro, a function that calls back into Go and
// one that blocks. seam plan finds out which of them can be welded; the last two
// can't:
//
//	seam trace -- go test -bench . .
//	seam plan
//	seam weld -- go test -bench . .
package main

import (
	"fmt"
	"time"
)

func main() {
	line := "anna\t42\tberlin"
	for n := range 3 {
		f, _ := Field(line, n)
		fmt.Printf("%-6s %016x\n", Upper(f), Hash(f))
	}
	Each(line, func(field string) bool {
		n, err := Number(field)
		fmt.Println(n, err)
		return err != nil // the first number ends it
	})
	Settle(time.Millisecond)
	fmt.Println(Widest(4, 2, 6))
}
