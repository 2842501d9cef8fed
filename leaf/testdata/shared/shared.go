// Command shared is built as a C library: Go runs on threads that it did not
// create, finds its thread-local storage in another way, and calls leaves there.
package main

import "C"

import (
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/leaf/internal/ctest"
)

var add = leaf.Of[ctest.Add]("add", ctest.AddFn)

// LeafAdd adds by a leaf call.
//
//export LeafAdd
func LeafAdd(a, b C.longlong) C.longlong {
	args := ctest.Add{A: int64(a), B: int64(b)}
	add.Call(&args)
	return C.longlong(args.Sum)
}

// LeafPath returns the path that calls take.
//
//export LeafPath
func LeafPath() *C.char { return C.CString(leaf.Status().String()) }

func main() {}
