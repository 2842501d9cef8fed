// Command nocgo does not compile without cgo; TestWithoutCgo sees how.
package main

import (
	"context"
	"unsafe"

	"github.com/seamgo/seam/coro"
)

type args struct{ a, b int64 }

var add unsafe.Pointer // what cgo would give as unsafe.Pointer(C.add)

func main() {
	coro.Call(context.Background(), add, unsafe.Pointer(&args{1, 2}))
	coro.Of[args]("add", add)
	coro.Register(func(*args) {})
}
