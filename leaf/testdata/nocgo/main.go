// Command nocgo uses package leaf without importing "C". With CGO_ENABLED=0 it
// must not compile, and the compiler must say why.
package main

import (
	"unsafe"

	"github.com/seamgo/seam/leaf"
)

type args struct{ a int }

func main() {
	var fn unsafe.Pointer
	leaf.Call(fn, nil)
	f := leaf.Of[args]("fn", fn)
	f.Call(&args{})
}
