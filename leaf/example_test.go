//go:build cgo && unix

package leaf_test

import (
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/leaf/internal/ctest"
)

// The C side is
//
//	typedef struct { int64_t a, b, sum; } add_args;
//	int seam_test_add(void *p) { add_args *x = p; x->sum = x->a + x->b; return 7; }
//
// and a program of its own writes leaf.Of[C.add_args]("add",
// unsafe.Pointer(C.seam_test_add)); examples/leaf is one.
func ExampleOf() {
	add := leaf.Of[ctest.Add]("add", ctest.AddFn)
	args := ctest.Add{A: 40, B: 2}
	add.Call(&args)
	fmt.Println(args.Sum)
	// Output: 42
}

func ExampleCall() {
	args := ctest.Add{A: 40, B: 2}
	status := leaf.Call(ctest.AddFn, unsafe.Pointer(&args))
	fmt.Println(args.Sum, status)
	// Output: 42 7
}
