//go:build linux && cgo

package blocking

// #cgo CFLAGS: -O2 -Wall -Wextra -pthread -I${SRCDIR}/../../../../../../include
// #cgo LDFLAGS: -pthread
// #include "trip.h"
import "C"

import (
	"context"
	"fmt"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio" // blocking calls of coroutines wait in Go's poller
	"github.com/seamgo/seam/offload"
)

// A trip is what C is called with. It is on the heap and so doesn't move.
type trip = C.struct_seam_blocking_trip

func newTrip(fd int) *trip { return &trip{fd: C.int(fd)} }

// outcome is C's result as an error.
func outcome(code int64, err error) error {
	if err == nil && code != 0 {
		err = syscall.Errno(code)
	}
	return err
}

// caller returns what calls C that way.
func caller(via string) (func(context.Context, *trip) error, error) {
	switch via {
	case viaCgo:
		return callCgo, nil
	case viaSemaphore:
		free := make(chan struct{}, slots)
		return func(ctx context.Context, t *trip) error {
			free <- struct{}{}
			err := callCgo(ctx, t)
			<-free
			return err
		}, nil
	case viaOffload:
		pool, err := offload.New(offload.Options{Threads: slots})
		if err != nil {
			return nil, err
		}
		fn := C.seam_blocking_trip_offload_address()
		return func(ctx context.Context, t *trip) error {
			return outcome(pool.Do(ctx, fn, unsafe.Pointer(t)))
		}, nil
	case viaCoro:
		executor, err := coro.NewExecutor(coro.ExecutorOptions{})
		if err != nil {
			return nil, err
		}
		fn, runner := C.seam_blocking_trip_coro_address(), executor.Runner()
		return func(ctx context.Context, t *trip) error {
			return outcome(runner.Call(ctx, fn, unsafe.Pointer(t)))
		}, nil
	}
	return nil, fmt.Errorf("no way to call C is named %q", via)
}

func callCgo(_ context.Context, t *trip) error { return outcome(int64(C.seam_blocking_trip(t)), nil) }
