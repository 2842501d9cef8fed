package dl

//lint:file-ignore U1000 the assembly calls what seems unused

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Callback is a Go function that C can call by its address. Make one with [NewCallback].
type Callback struct {
	name    string
	address uintptr
	place   int
	call    func(args unsafe.Pointer)
	sig     *signature
	shape   *shape
}

// NewCallback makes fn a C function, which any thread may call until [Callback.Release]. A
// describes its arguments and its result, which fn sets, as the package comment says; it has
// no errno and no variable arguments. name is for messages. C's thread waits until fn returns. fn must not
// keep args. A panic that leaves fn ends the program unless Go code that has called the C
// function recovers it; C's frames between are then abandoned, as with cgo.
//
// There is room for 1,024 callbacks at once, so make one for each type of function, and give
// C a [Handle] to hand on.
func NewCallback[A any](name string, fn func(args *A)) (*Callback, error) {
	return newCallback(name, reflect.TypeFor[A](), func(args unsafe.Pointer) { fn((*A)(args)) })
}

func newCallback(name string, t reflect.Type, call func(args unsafe.Pointer)) (*Callback, error) {
	s, err := signatureOf(t)
	if err == nil && (s.errno != nil || s.variadic) {
		err = errors.New("a callback has no errno and no variable arguments")
	}
	if err != nil {
		return nil, fmt.Errorf("dl: callback %s: %w", name, err)
	}
	c := &Callback{name: name, call: call, sig: s}
	if err := c.place_(); err != nil {
		return nil, fmt.Errorf("dl: callback %s%s: %w", name, s, err)
	}
	return c, nil
}

// Pointer returns the address of the C function, as C takes it.
func (c *Callback) Pointer() uintptr { return c.address }

// Release ends the callback; its place can be used again. C must not call it any more: until
// the place is used again, a call ends the program with a message. To release a callback again
// is no error.
func (c *Callback) Release() {
	trampolines.Lock()
	defer trampolines.Unlock()
	if !callbacks[c.place].CompareAndSwap(c, nil) {
		return
	}
	names[c.place].Store(&c.name)
	c.freed()
}

// maxCallbacks is how many trampolines there are.
const maxCallbacks = 1024

var (
	callbacks [maxCallbacks]atomic.Pointer[Callback]
	names     [maxCallbacks]atomic.Pointer[string] // of the last callback that was released

	trampolines struct {
		sync.Mutex
		free []int
		used int // places that have been used at all
	}
)

var errNoPlace = fmt.Errorf("%d callbacks exist: release some, or make one for the type and tell values apart by a Handle", maxCallbacks)

// takePlace returns a free place. trampolines is locked. Places are used again as late as possible, so
// that a call of a released callback is noticed.
func takePlace() (int, error) {
	if trampolines.used < maxCallbacks {
		trampolines.used++
		return trampolines.used - 1, nil
	}
	if len(trampolines.free) == 0 {
		return 0, errNoPlace
	}
	place := trampolines.free[0]
	trampolines.free = trampolines.free[1:]
	return place, nil
}

// called returns the callback of a place.
func called(place uintptr) *Callback {
	c := callbacks[place].Load()
	if c == nil {
		name := "?"
		if n := names[place].Load(); n != nil {
			name = *n
		}
		fatal("dl: C called the callback " + name + " after it was released")
	}
	return c
}
