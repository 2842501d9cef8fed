//go:build cgo && unix

package offload_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

// The C side is
//
//	typedef struct { int64_t a, b, sum; } seam_test_add_args;
//	int64_t seam_test_add(const seam_token *t, void *args);
//
// and a program of its own writes offload.Of[C.seam_test_add_args]("add",
// unsafe.Pointer(C.seam_test_add)).
func ExampleOf() {
	ctx := context.Background()
	pool, err := offload.New(offload.Options{Threads: 4, Name: "adders"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close(ctx)

	add := offload.Of[ctest.Add]("add", ctest.AddFn)
	args := ctest.Add{A: 40, B: 2}
	result, err := add.Call(ctx, pool, &args)
	fmt.Println(result, args.Sum, err)
	// Output: 42 42 <nil>
}

// The C function looks at its token in a loop and returns 1 when it is cancelled.
func ExamplePool_Do() {
	pool, err := offload.New(offload.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close(context.Background())

	ctx, cancel := context.WithCancelCause(context.Background())
	started := new(int32) // C sets it
	go func() {
		for atomic.LoadInt32(started) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel(errors.New("the user has left"))
	}()
	result, err := pool.Do(ctx, ctest.UntilCancelledFn, unsafe.Pointer(started))
	fmt.Println(result, err)
	// Output: 1 the user has left
}

// A server that would rather refuse a request than let it wait.
func ExamplePool_TryDo() {
	pool, err := offload.New(offload.Options{Threads: 2, Queue: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close(context.Background())

	args := &ctest.Add{A: 1, B: 2}
	result, err := pool.TryDo(context.Background(), ctest.AddFn, unsafe.Pointer(args))
	if err == offload.ErrFull {
		fmt.Println("try again later")
		return
	}
	fmt.Println(result, err)
	// Output: 3 <nil>
}
