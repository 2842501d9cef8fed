// Package bad panics through C.
package bad

// #include <stdint.h>
import "C"

type table struct{ onRow func(int) error }

var tables = map[uintptr]*table{}

//export seamVetTestRow
func seamVetTestRow(h C.uintptr_t) C.int {
	t := tables[uintptr(h)]
	if t == nil {
		panic("no table") // want note "this panic goes past C's frames"
	}
	if err := t.onRow(2); err != nil { // want note "t.onRow"
		panic(err) // want warning "this panic goes past C's frames"
	}
	if t.onRow(1) != nil { // want note "t.onRow is code of somebody else"
		return 1
	}
	return 0
}

//export seamVetTestMust
func seamVetTestMust(n C.int) C.int {
	return C.int(number(int(n))) // want warning "a panic of number goes past C's frames"
}

func number(n int) int {
	must(tables[uintptr(n)].onRow(n))
	return n
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
