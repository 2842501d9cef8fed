//go:build cgo

package coro

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/internal/crossing"
)

// A Runner is a way to run C functions as coroutines: [Locked], [Floating] or that of an
// [Executor] or a [Session]. It is a small value, to be copied freely.
type Runner struct {
	mode  mode
	class int8 // of the stack's size, relative to that of DefaultStackSize
	name  unsafe.Pointer
	host  unsafe.Pointer // an *Executor; a *Session with modeSession; a pointer for each would be copied by every call
	err   error          // what was wrong with its options
}

type mode int8

const (
	modeLocked mode = iota
	modeFloating
	modeExecutor
	modeSession
)

var (
	// Locked keeps the goroutine on its thread until the call ends. C sees what it would
	// see in a cgo call: one thread, its thread-local variables, its locks. A wait blocks
	// the thread. Locked is the zero Runner.
	Locked = Runner{}

	// Floating lets the goroutine move: a wait parks it and holds no thread, and C may
	// continue on another thread. It is for C code known to keep nothing of a thread
	// across an upcall or a wait: no thread-local variable, no lock, no address of errno.
	Floating = Runner{mode: modeFloating}
)

// DefaultStackSize is the size of a coroutine's stack in bytes, unless Options say
// otherwise. Memory is taken page by page as it is used.
const DefaultStackSize = 64 << 10

// stackSizes are the sizes that stacks come in, as logarithms to base 2. They are the same
// on all systems, so that options that work on one work on all.
var stackSizes = [...]uint{15, 16, 18, 20, 23}

const defaultClass = 1 // in stackSizes

// Options are the options of a coroutine, or of those of a Runner. The zero value is ready
// to use.
type Options struct {
	// Name is what messages call the C function. "": its address.
	Name string

	// StackSize is how many bytes of stack the C function needs at most. It is rounded up
	// to 32 KB, 64 KB, 256 KB, 1 MB or 8 MB, of which the package takes 256 bytes. C that
	// needs more ends the program with a message. 0: DefaultStackSize.
	StackSize int
}

// errStackSize is wrapped by the error for a size out of range.
var errStackSize = errors.New("coro: Options.StackSize")

// With returns the Runner with options o. If StackSize is below 0 or above 8 MB, every call
// fails.
func (r Runner) With(o Options) Runner {
	class, err := stackClass(o.StackSize)
	r.err = err
	r.class = int8(class - defaultClass)
	r.name = cName(o.Name)
	return r
}

func stackClass(size int) (int, error) {
	if size == 0 {
		size = DefaultStackSize
	}
	for i, bits := range stackSizes {
		// The boundary between a stack and its guard is a page boundary.
		if size > 0 && size <= 1<<bits && os.Getpagesize() <= 1<<bits {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w is %d: want 0 to %d bytes", errStackSize, size, 1<<stackSizes[len(stackSizes)-1])
}

// names are the names given to C functions, in C memory. The fault handler may need them at
// any time, so they are never freed.
var names sync.Map // string → unsafe.Pointer

func cName(name string) unsafe.Pointer {
	if name == "" {
		return nil
	}
	if p, ok := names.Load(name); ok {
		return p.(unsafe.Pointer)
	}
	p, _ := names.LoadOrStore(name, native.NewString(strings.ReplaceAll(name, "\x00", "")))
	return p.(unsafe.Pointer)
}

// Call runs fn(co, arg) as a coroutine until it returns, and serves its requests. fn is the
// address of a C function
//
//	int64_t fn(seam_coro *co, void *arg);
//
// which in cgo is unsafe.Pointer(C.fn). Call returns C's result, and an error if the
// function was not run or was told of a failure: context.Cause(ctx) if an operation failed
// because ctx ended, or the error of a function registered by RegisterContext. What result C
// returns then is up to C.
//
// arg is passed as it is. It escapes to the heap, so it does not move. What it leads to must
// not move either, and must not be freed before the return. C must keep no address of Go
// memory after that.
//
// If a Go function that C called panics, C is told and returns, and then the panic goes on.
// The same holds for runtime.Goexit.
func (r Runner) Call(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	return r.call(ctx, fn, arg, nil)
}

// Call is Locked.Call.
func Call(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	return Locked.call(ctx, fn, arg, nil)
}

// call is Call for a function whose values go to yield.
func (r Runner) call(ctx context.Context, fn, arg unsafe.Pointer, yield func(unsafe.Pointer) bool) (int64, error) {
	if fn == nil {
		return 0, ErrNoFunction
	}
	if r.err != nil {
		return 0, r.err
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	switch r.mode {
	case modeExecutor:
		return r.callOn(ctx, fn, arg, yield)
	case modeSession:
		return r.callIn(ctx, fn, arg, yield)
	}
	k, err := r.begin(ctx, fn, arg, yield)
	if err != nil {
		return 0, err
	}
	switch {
	case r.mode == modeFloating:
		return k.run()
	case yield != nil && pulled():
		return k.runPulled()
	}
	return k.runLocked()
}

// executor returns the executor of a call's Runner, or nil.
func (r Runner) executor() *Executor { return (*Executor)(r.host) }

// callOn is call for the Runner of an executor.
func (r Runner) callOn(ctx context.Context, fn, arg unsafe.Pointer, yield func(unsafe.Pointer) bool) (int64, error) {
	x := r.executor()
	own, err := x.admit(ctx)
	if err != nil {
		return 0, err
	}
	defer x.leave(own)
	k, err := r.begin(ctx, fn, arg, yield)
	if err != nil {
		return 0, err
	}
	return x.run(k, own)
}

// A Func is a C function int64_t f(seam_coro *co, A *args). Make one with [Of]; calls of
// the zero Func fail with [ErrNoFunction].
type Func[A any] struct {
	fn     unsafe.Pointer
	runner Runner
}

// Of returns the C function at fn as a Func that Locked runs. Messages call it name. A must
// have the layout of C's struct: use the C struct's own type (C.scan_args) or one proven to
// match.
//
// Of panics when fn is nil, as a weak C symbol without a definition is.
func Of[A any](name string, fn unsafe.Pointer) Func[A] {
	crossing.MustExist("coro", name, fn)
	return Func[A]{fn, Runner{name: cName(name)}}
}

// On returns the function as one that r runs, with r's stack size.
func (f Func[A]) On(r Runner) Func[A] {
	if r.name == nil {
		r.name = f.runner.name
	}
	return Func[A]{f.fn, r}
}

// Call calls the C function, see [Runner.Call]. args escapes to the heap.
func (f Func[A]) Call(ctx context.Context, args *A) (int64, error) {
	return f.runner.call(ctx, f.fn, unsafe.Pointer(args), nil)
}
