//go:build cgo

package main

import "fmt"

func ExampleAdd() {
	fmt.Println(Add(40, 2), Add(-1, 1))
	// Output: 42 0
}
