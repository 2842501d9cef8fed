// Command nocgo uses package offload without importing "C". With CGO_ENABLED=0 it
// must not compile, and the compiler must say why.
package main

import (
	"context"
	"unsafe"

	"github.com/seamgo/seam/offload"
)

type args struct{ a int }

func main() {
	var fn unsafe.Pointer
	pool, _ := offload.New(offload.Options{})
	f := offload.Of[args]("fn", fn)
	f.Call(context.Background(), pool, &args{})
}
