//go:build !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package dl

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A pureTrampoline is a C function that purego has made. purego never frees one, so those of a
// type of function are used again.
type pureTrampoline struct {
	place   int
	address uintptr
}

var pureFree = map[reflect.Type][]pureTrampoline{} // by the type of the function; trampolines is locked

func (c *Callback) place_() (err error) {
	defer func() {
		if r := recover(); r != nil { // so purego says which types it doesn't know
			err = fmt.Errorf("%v", r)
		}
	}()
	t := c.sig.funcType()
	trampolines.Lock()
	defer trampolines.Unlock()
	var at pureTrampoline
	if free := pureFree[t]; len(free) > 0 {
		at, pureFree[t] = free[0], free[1:]
	} else {
		place, err := takePlace()
		if err != nil {
			return err
		}
		at = pureTrampoline{place, purego.NewCallback(reflect.MakeFunc(t, func(in []reflect.Value) []reflect.Value {
			return called(uintptr(place)).pure(in)
		}).Interface())}
	}
	c.place, c.address = at.place, at.address
	callbacks[c.place].Store(c)
	return nil
}

func (c *Callback) freed() {
	t := c.sig.funcType()
	pureFree[t] = append(pureFree[t], pureTrampoline{c.place, c.address})
}

func (c *Callback) pure(in []reflect.Value) []reflect.Value {
	args := reflect.New(c.sig.goType).UnsafePointer()
	for i, a := range c.sig.args {
		reflect.NewAt(a.goType, unsafe.Add(args, a.offset)).Elem().Set(in[i])
	}
	c.call(args)
	if c.sig.result == nil {
		return nil
	}
	return []reflect.Value{reflect.NewAt(c.sig.result.goType, unsafe.Add(args, c.sig.result.offset)).Elem()}
}
