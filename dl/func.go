package dl

import (
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/seamgo/seam/internal/crossing"
)

// A function is a C function and how to call it. The assembly reads it.
type function struct {
	entry uintptr // where call jumps; changed while others call
	fn    uintptr // the C function
	plan  *plan
	fast  uintptr // the entry of a leaf call

	name   string
	lib    *Lib
	sig    *signature
	shape  *shape
	leaf   bool
	bound  *bound
	guard  guard
	traced atomic.Pointer[traced]    // nil before the first call that is
	err    error                     // why it can't be called; nil if it can
	purego func(args unsafe.Pointer) // where there is no assembly
}

// newFunction returns the C function at fn with arguments described by t.
func newFunction(lib *Lib, name string, fn uintptr, t reflect.Type, leaf bool) (*function, error) {
	s, err := signatureOf(t)
	if err != nil {
		return nil, fmt.Errorf("dl: %s: %w", name, err)
	}
	f := &function{fn: fn, name: name, lib: lib, sig: s, leaf: leaf}
	if state.Path == PathPurego {
		f.purego, err = viaPurego(s, fn)
	} else {
		err = f.prepare()
	}
	if err != nil {
		return nil, fmt.Errorf("dl: %s%s: %w", name, s, err)
	}
	f.entry = slowEntry
	switch {
	case state.Path != PathAssembly || tracing != nil:
	case !leaf:
		f.entry = countedEntry
	default:
		f.guard.start(f)
	}
	return f, nil
}

func (f *function) prepare() error {
	var err error
	if f.shape, err = shapeOf(f.sig); err != nil {
		return err
	}
	errno := uintptr(0)
	if f.sig.errno != nil {
		if errno, err = errnoLocation(); err != nil {
			return err
		}
	}
	if f.plan, err = newPlan(f.sig, f.shape, errno); err != nil {
		return err
	}
	f.fast = fastEntry(f.sig, f.plan)
	return nil
}

// shapeOf places a signature's values as this architecture does.
func shapeOf(s *signature) (*shape, error) {
	if runtime.GOARCH == "arm64" {
		return aapcs64(s)
	}
	return sysV(s)
}

// slow makes a call that has no quick entry at the moment.
func (f *function) slow(args unsafe.Pointer) {
	if f.err != nil {
		panic(f.err.Error())
	}
	if f.leaf && tracing == nil && f.guard.times(f) {
		f.guard.call(f, args)
		return
	}
	f.announced(args)
}

// announced makes a call as cgo does. Unless f is a leaf, C may block and call Go meanwhile.
func (f *function) announced(args unsafe.Pointer) {
	if f.bound != nil && !inCallback() {
		defer f.bound.leave(f.bound.enter())
	}
	if f.lib != linked { // which is never closed
		running := f.lib.enter(unsafe.Pointer(&args), f.name)
		defer running.Add(-1)
	}
	if tracing != nil {
		if f.leaf {
			defer f.forbidCallbacks()()
		}
		defer tracing.begin(f)()
		f.announce(args, f.leaf)
		return
	}
	switch {
	case f.purego != nil:
		f.purego(args)
	case f.leaf:
		defer f.forbidCallbacks()()
		f.announce(args, true)
	case state.Path == PathAssembly:
		f.announce(args, false)
	default: // nobody finds the arguments again if they are on a stack that moves
		heap := reflect.New(f.sig.goType)
		heap.Elem().Set(reflect.NewAt(f.sig.goType, args).Elem())
		f.announce(heap.UnsafePointer(), true)
		reflect.NewAt(f.sig.goType, args).Elem().Set(heap.Elem())
	}
}

// A Func is a C function that may block, take its time and call Go. A describes its arguments
// and result, as the package comment says. Make one with [Of]; the zero Func can't be called.
type Func[A any] struct{ f *function }

// Of returns the function called name of the library. It is an error if the library has none,
// or if A can't describe one.
func Of[A any](lib *Lib, name string, options ...Option) (Func[A], error) {
	f, err := lib.function(name, reflect.TypeFor[A](), false)
	if err != nil {
		return Func[A]{}, err
	}
	for _, o := range options {
		o(f)
	}
	return Func[A]{f}, nil
}

// Optional is [Of] for a function that some versions of the library lack: calling it panics
// then with what is wrong, and [Func.Err] tells beforehand.
func Optional[A any](lib *Lib, name string, options ...Option) Func[A] {
	f, err := Of[A](lib, name, options...)
	if err != nil {
		return Func[A]{&function{entry: slowEntry, name: name, err: err}}
	}
	return f
}

// Err returns why the function can't be called, or nil.
func (f Func[A]) Err() error { return f.f.err }

// linked is the program itself, and what is linked to it, which is never closed.
var linked = &Lib{name: "the program"}

// At returns the C function at an address that C has returned, as a [Func]. name is for
// messages. lib must be the library that the function is in; nil is the program itself, with
// what cgo has linked to it.
func At[A any](lib *Lib, name string, fn unsafe.Pointer, options ...Option) (Func[A], error) {
	f, err := at[A](lib, name, fn, false)
	if err != nil {
		return Func[A]{}, err
	}
	for _, o := range options {
		o(f)
	}
	return Func[A]{f}, nil
}

func at[A any](lib *Lib, name string, fn unsafe.Pointer, leaf bool) (*function, error) {
	crossing.MustExist("dl", name, fn)
	if lib == nil {
		lib = linked
	}
	return lib.at(name, uintptr(fn), reflect.TypeFor[A](), leaf)
}

// Call calls the C function. C may use args, and what it leads to, until the call returns. It
// panics if the library has been closed.
func (f Func[A]) Call(args *A) {
	if escape {
		escaped = *args
	}
	call(f.f, unsafe.Pointer(args))
}

// escape is never true. The compiler doesn't know, so it puts what the arguments lead to on the
// heap, where callbacks can't move it. The arguments themselves may stay on the stack.
var (
	escape  bool
	escaped any //lint:ignore U1000 it only has to be there
)

// An Option changes how a [Func] is called.
type Option func(*function)

// Bound lets at most n goroutines into the function at once; others wait. Goroutines that C
// has called are let through, since the call they are in may be what others wait for. It panics
// if n is not positive.
func Bound(n int) Option {
	b := newBound(n)
	return func(f *function) {
		f.bound = b
		f.setEntry(slowEntry)
	}
}

// A Leaf is a C function that returns within microseconds, doesn't block, and doesn't call
// Go. A describes its arguments and result, as the package comment says. Make one with
// [LeafOf]; the zero Leaf can't be called.
type Leaf[A any] struct{ f *function }

// LeafOf returns the function called name of the library as a leaf. It is an error if the
// library has none, or if A can't describe one.
func LeafOf[A any](lib *Lib, name string) (Leaf[A], error) {
	f, err := lib.function(name, reflect.TypeFor[A](), true)
	return Leaf[A]{f}, err
}

// OptionalLeaf is [LeafOf] for a function that some versions of the library lack, as [Optional] is.
func OptionalLeaf[A any](lib *Lib, name string) Leaf[A] {
	f, err := LeafOf[A](lib, name)
	if err != nil {
		return Leaf[A]{&function{entry: slowEntry, name: name, err: err}}
	}
	return f
}

// LeafAt is [At] for a leaf.
func LeafAt[A any](lib *Lib, name string, fn unsafe.Pointer) (Leaf[A], error) {
	f, err := at[A](lib, name, fn, true)
	return Leaf[A]{f}, err
}

// Err returns why the function can't be called, or nil.
func (f Leaf[A]) Err() error { return f.f.err }

// Call calls the C function. C may use args, and what it leads to, until the call returns.
// Nothing escapes. It panics if the library has been closed.
func (f Leaf[A]) Call(args *A) { call(f.f, unsafe.Pointer(args)) }

// setEntry changes where calls of f go.
func (f *function) setEntry(entry uintptr) { atomic.StoreUintptr(&f.entry, entry) }
