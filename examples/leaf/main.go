// Command leaf adds two numbers in C, with a call that costs about as much as two
// Go calls.
package main

/*
#include <stdint.h>

typedef struct { int64_t a, b, sum; } add_args;

// A leaf function: it finds its arguments in a struct, leaves its result there,
// returns soon, does not block and calls nothing of Go's.
void add(add_args *x) { x->sum = x->a + x->b; }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/leaf"
)

var add = leaf.Of[C.add_args]("add", unsafe.Pointer(C.add))

// Add returns a+b, computed in C.
func Add(a, b int64) int64 {
	args := C.add_args{a: C.int64_t(a), b: C.int64_t(b)}
	add.Call(&args) // args stays on the goroutine's stack
	return int64(args.sum)
}

func main() {
	fmt.Println(Add(40, 2))
	fmt.Println(leaf.Status())
}
