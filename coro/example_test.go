//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

// The C function calls item.func N times with an item, in place, and adds up what it
// finds there.
func ExampleRegister() {
	double := coro.Register(func(item *ctest.Item) { item.Y = 2 * item.X })
	defer double.Free()

	upcalls := coro.Of[ctest.Args]("upcalls", ctest.Upcalls)
	args := ctest.Args{Func: double.ID(), N: 4}
	status, err := upcalls.Call(context.Background(), &args)
	fmt.Println(status, err, args.Sum)
	// Output: 0 <nil> 12
}

// The C function yields numbers and their squares. Leaving the loop ends it.
func ExampleGenerate() {
	squares := coro.Generate[ctest.Item](coro.Locked, ctest.Count, unsafe.Pointer(&ctest.Args{N: 100}))
	for v := range squares.Values(context.Background()) {
		if v.X > 3 {
			break
		}
		fmt.Print(v.Y, " ")
	}
	fmt.Println(squares.Err())
	// Output: 0 1 4 9 <nil>
}

// A context ends what C waits for. The thread of the executor is free meanwhile.
func ExampleExecutor() {
	pool, err := coro.NewExecutor(coro.ExecutorOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	sleep := coro.Of[ctest.Args]("sleep", ctest.Sleep).On(pool.Runner())
	status, err := sleep.Call(ctx, &ctest.Args{N: int64(time.Hour)})
	fmt.Println(status, errors.Is(err, context.DeadlineExceeded)) // SEAM_ECANCELED
	// Output: -1 true
}
