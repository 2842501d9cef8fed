//go:build cgo

package barrier

// #cgo CFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../../../../../../include
// #include <stdlib.h>
// #include "refs.h"
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"

	_ "github.com/seamgo/seam/include"
	"github.com/seamgo/seam/mem"
)

// inC returns n zero values of a type in C memory, and what frees them.
func inC[T any](n int) ([]T, func(), error) {
	var of T
	p := C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof(of)))
	if p == nil {
		return nil, nil, fmt.Errorf("calloc: no memory for %d references", n)
	}
	return unsafe.Slice((*T)(p), n), func() { C.free(p) }, nil
}

// things are what C owns: n of them, and a list of their addresses, both in C memory.
func things[T any](n int, address func(*C.seam_barrier_thing) T) (list []T, free func(), err error) {
	all, freeAll, err := inC[C.seam_barrier_thing](n)
	if err != nil {
		return nil, nil, err
	}
	list, freeList, err := inC[T](n)
	if err != nil {
		freeAll()
		return nil, nil, err
	}
	for i := range list {
		list[i] = address(&all[i])
	}
	return list, func() { freeList(); freeAll() }, nil
}

// inGo is a column whose slots are in Go memory and lead to things of C.
func inGo[T any](n int, address func(*C.seam_barrier_thing) T) (*column[T], error) {
	values, free, err := things(n, address)
	if err != nil {
		return nil, err
	}
	return filled(&column[T]{slots: make([]T, n), values: values, free: free}), nil
}

func typed(p *C.seam_barrier_thing) *C.seam_barrier_thing { return p }
func number(p *C.seam_barrier_thing) uintptr              { return uintptr(unsafe.Pointer(p)) }

// opened and held are results without the nil pointer that an error comes with: in an
// interface it would not be nil.
func opened[T table](t T, err error) (table, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

func held[T holder](h T, err error) (holder, error) {
	if err != nil {
		return nil, err
	}
	return h, nil
}

func openC(_ *population, n int) (table, error)        { return opened(inGo(n, typed)) }
func holdC(_ *population, n int) (holder, error)       { return held(inGo(n, typed)) }
func openUintptr(_ *population, n int) (table, error)  { return opened(inGo(n, number)) }
func holdUintptr(_ *population, n int) (holder, error) { return held(inGo(n, number)) }

// A type that C declares and does not define can't be in Go's heap, and the compiler
// leaves the barrier out. It can't be a type argument either.
type opaques struct {
	slots, values []*C.seam_barrier_opaque
	free          func()
}

func newOpaques(n int) (*opaques, error) {
	addresses, free, err := things(n, number)
	if err != nil {
		return nil, err
	}
	o := &opaques{slots: make([]*C.seam_barrier_opaque, n), free: free}
	o.values = unsafe.Slice((**C.seam_barrier_opaque)(unsafe.Pointer(&addresses[0])), n)
	copy(o.slots, o.values)
	return o, nil
}

func openOpaque(_ *population, n int) (table, error)  { return opened(newOpaques(n)) }
func holdOpaque(_ *population, n int) (holder, error) { return held(newOpaques(n)) }

//go:noinline
func (o *opaques) store(n int) {
	for n > 0 {
		m := min(n, len(o.slots))
		slots, values := o.slots[:m], o.values[:m]
		for i := range slots {
			slots[i] = values[i]
		}
		n -= m
	}
}

func (o *opaques) renew(n int) { o.store(n) }

func (o *opaques) close() {
	o.slots, o.values = nil, nil
	o.free()
}

// openNumbers stores handles, which are numbers, into C memory.
func openNumbers(live *population, n int) (table, error) {
	slots, free, err := inC[uint64](n)
	if err != nil {
		return nil, err
	}
	return &column[uint64]{slots: slots, values: live.numbers[:n], free: free}, nil
}

// openPinned stores the addresses of pinned Go objects into C memory.
func openPinned(live *population, n int) (table, error) {
	slots, free, err := inC[*object](n)
	if err != nil {
		return nil, err
	}
	pins := new(runtime.Pinner)
	for _, o := range live.objects[:n] {
		pins.Pin(o)
	}
	return &column[*object]{slots: slots, values: live.objects[:n], free: func() {
		free()
		pins.Unpin()
	}}, nil
}

// A ring makes and drops references in C memory, the oldest first.
type ring[T any] struct {
	slots  []T
	at     int
	create func(i int) T
	drop   func(i int, v T)
	free   func()
}

func newRing[T any](n int, create func(int) T, drop func(int, T)) (*ring[T], error) {
	slots, free, err := inC[T](n)
	if err != nil {
		return nil, err
	}
	r := &ring[T]{slots: slots, create: create, drop: drop, free: free}
	for i := range r.slots {
		r.slots[i] = create(i)
	}
	return r, nil
}

func (r *ring[T]) renew(n int) {
	for n > 0 {
		m := min(n, chunk, len(r.slots)-r.at)
		for i := r.at; i < r.at+m; i++ {
			r.drop(i, r.slots[i])
		}
		for i := r.at; i < r.at+m; i++ {
			r.slots[i] = r.create(i)
		}
		r.at = (r.at + m) % len(r.slots)
		n -= m
	}
}

func (r *ring[T]) close() {
	for i, v := range r.slots {
		r.drop(i, v)
	}
	r.free()
}

func holdCgoHandles(live *population, n int) (holder, error) {
	return held(newRing(n,
		func(i int) C.uintptr_t { return C.uintptr_t(cgo.NewHandle(live.objects[i])) },
		func(_ int, v C.uintptr_t) { cgo.Handle(v).Delete() }))
}

func holdMemHandles(live *population, n int) (holder, error) {
	all := new(mem.Handles[object])
	return held(newRing(n,
		func(i int) C.uint64_t {
			h, err := all.New(live.objects[i])
			if err != nil {
				panic(err)
			}
			return C.uint64_t(h)
		},
		func(_ int, v C.uint64_t) {
			if err := all.Delete(mem.Handle(v)); err != nil {
				panic(err)
			}
		}))
}

// pinEach are objects with a Pinner each, whose addresses C has.
type pinEach struct {
	*ring[*object]
	again column[*object] // the same slots
}

func (p *pinEach) store(n int) { p.again.store(n) }

func holdPins(live *population, n int) (holder, error) {
	pins := make([]runtime.Pinner, n)
	r, err := newRing(n,
		func(i int) *object { pins[i].Pin(live.objects[i]); return live.objects[i] },
		func(i int, _ *object) { pins[i].Unpin() })
	if err != nil {
		return nil, err
	}
	return &pinEach{r, column[*object]{slots: r.slots, values: live.objects[:n]}}, nil
}

// One Pinner lets go of all it has pinned, or of nothing.
type pinAll struct {
	pins            runtime.Pinner
	column[*object] // the slots are in C memory
}

func holdPinAll(live *population, n int) (holder, error) {
	slots, free, err := inC[*object](n)
	if err != nil {
		return nil, err
	}
	p := &pinAll{column: column[*object]{slots: slots, values: live.objects[:n], free: free}}
	p.pin()
	return p, nil
}

func (p *pinAll) pin() {
	for i, o := range p.values {
		p.pins.Pin(o)
		p.slots[i] = o
	}
}

// renew is for a multiple of all.
func (p *pinAll) renew(n int) {
	for ; n > 0; n -= len(p.slots) {
		p.pins.Unpin()
		p.pin()
	}
}

func (p *pinAll) close() {
	p.pins.Unpin()
	p.column.close()
}

// Buffers that C holds and Go has released. It has their handles.
type buffers struct {
	pool  *mem.Pool
	slots []C.seam_buffer
	at    int
	free  func()
}

func holdBuffers(_ *population, n int) (holder, error) {
	slots, free, err := inC[C.seam_buffer](n)
	if err != nil {
		return nil, err
	}
	b := &buffers{slots: slots, free: free}
	// As many more as are between Get and the end of the one before.
	b.pool, err = mem.NewPool(mem.Class{Size: int(unsafe.Sizeof(object{})), Count: n + chunk})
	if err != nil {
		free()
		return nil, err
	}
	b.renew(n)
	return b, nil
}

func (b *buffers) renew(n int) {
	var got [chunk]mem.Buffer
	var fresh [chunk]C.seam_buffer
	for n > 0 {
		m := min(n, chunk, len(b.slots)-b.at)
		for i := range m {
			x, err := b.pool.Get(1)
			if err != nil {
				panic(err)
			}
			got[i], fresh[i] = x, C.seam_buffer(x.Handle())
		}
		b.swap(fresh[:m])
		for _, x := range got[:m] {
			if err := x.Release(); err != nil {
				panic(err)
			}
		}
		b.at = (b.at + m) % len(b.slots)
		n -= m
	}
}

func (b *buffers) swap(fresh []C.seam_buffer) {
	if refused := C.seam_barrier_swap((*C.seam_pool)(b.pool.C()), &b.slots[b.at], &fresh[0], C.size_t(len(fresh))); refused != 0 {
		panic(fmt.Sprintf("barrier: the pool refused %d holds or releases", refused))
	}
}

func (b *buffers) close() {
	b.at = 0
	b.swap(make([]C.seam_buffer, len(b.slots)))
	err := b.pool.Close()
	b.free()
	if err != nil {
		panic(err)
	}
}
