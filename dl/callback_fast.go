//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

//lint:file-ignore U1000 the assembly uses what seems unused

import (
	"reflect"
	"unsafe"
)

// trampolineSize is the size of a trampoline: a call, or a move and a branch.
const trampolineSize = 5 + 3*isARM64

// trampolineTable is where the trampolines begin.
var trampolineTable uintptr

// incoming is C's call of a callback, as the assembly leaves it on C's stack.
type incoming struct {
	place uintptr
	stack unsafe.Pointer // the words that C passes on the stack
	image image          // the registers, and those of the result afterwards
}

// comeIn is called by assembly, through a func value, so that it is the Go function itself
// and not the compiler's wrapper.
var comeIn = func(in *incoming) {
	mayBeCalled()
	if tracing != nil {
		tracing.callback()
	}
	called(in.place).run(in)
}

func (c *Callback) place_() (err error) {
	if c.shape, err = shapeOf(c.sig); err != nil {
		return err
	}
	trampolines.Lock()
	defer trampolines.Unlock()
	if c.place, err = takePlace(); err != nil {
		return err
	}
	c.address = trampolineTable + uintptr(c.place)*trampolineSize
	callbacks[c.place].Store(c)
	return nil
}

func (c *Callback) freed() { trampolines.free = append(trampolines.free, c.place) }

// run moves the arguments from C's stack to a struct of Go's, and the result back.
func (c *Callback) run(in *incoming) {
	args := reflect.New(c.sig.goType).UnsafePointer()
	var memory unsafe.Pointer // where C wants the result
	if c.shape.memory {
		memory = pointer(in.image.ints[c.shape.address])
	}
	for _, a := range c.shape.args {
		to, from := unsafe.Slice((*byte)(unsafe.Add(args, a.offset)), a.size), unsafe.Pointer(nil)
		switch a.where {
		case inInt:
			from = unsafe.Pointer(&in.image.ints[a.at])
		case inFloat:
			from = unsafe.Pointer(&in.image.floats[a.at])
		case onStack:
			from = unsafe.Add(in.stack, a.at)
		case byAddress:
			from = pointer(in.image.ints[a.at])
		case byStack:
			from = *(*unsafe.Pointer)(unsafe.Add(in.stack, a.at))
		}
		copy(to, unsafe.Slice((*byte)(from), a.size))
	}
	c.call(args)
	switch {
	case c.shape.memory:
		size := c.sig.result.typ.size
		copy(unsafe.Slice((*byte)(memory), size), unsafe.Slice((*byte)(unsafe.Add(args, c.sig.result.offset)), size))
		in.image.ints[0] = uint64(uintptr(memory)) // amd64 returns the address too
	case c.sig.result != nil && c.sig.result.typ.isInteger():
		in.image.ints[0] = widen(unsafe.Add(args, c.sig.result.offset), c.sig.result.typ)
	}
	for _, r := range c.shape.results {
		to := unsafe.Pointer(&in.image.ints[r.at])
		if r.where == inFloat {
			to = unsafe.Pointer(&in.image.floats[r.at])
		} else if c.sig.result.typ.isInteger() {
			continue
		}
		copy(unsafe.Slice((*byte)(to), r.size), unsafe.Slice((*byte)(unsafe.Add(args, r.offset)), r.size))
	}
}

// widen reads an integer as a register holds it.
func widen(p unsafe.Pointer, t *ctype) uint64 {
	switch signed := t.kind == kindInt; {
	case t.size == 1 && signed:
		return uint64(int64(*(*int8)(p)))
	case t.size == 1:
		return uint64(*(*uint8)(p))
	case t.size == 2 && signed:
		return uint64(int64(*(*int16)(p)))
	case t.size == 2:
		return uint64(*(*uint16)(p))
	case t.size == 4 && signed:
		return uint64(int64(*(*int32)(p)))
	case t.size == 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// pointer is an address of C's, which the garbage collector ignores.
func pointer(x uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&x)) }
