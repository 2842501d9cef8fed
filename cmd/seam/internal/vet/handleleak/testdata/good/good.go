// Package good has near misses.
package good

// #include <stdint.h>
// int take(uintptr_t h);
// static uintptr_t kept;
// static void keep(uintptr_t h) { kept = h; }
// static int give(uintptr_t h) { return take(h); }
// static uintptr_t same(uintptr_t h) { return h; }
import "C"

import (
	"errors"
	"runtime/cgo"
)

func deferred(v any) int {
	h := cgo.NewHandle(v)
	defer h.Delete()
	return int(C.take(C.uintptr_t(h)))
}

func takenOnSuccess(v any) error {
	h := cgo.NewHandle(v)
	if C.take(C.uintptr_t(h)) != 0 {
		h.Delete()
		return errors.New("not taken")
	}
	return nil
}

//export seamVetTestDone
func seamVetTestDone(h C.uintptr_t) { cgo.Handle(h).Delete() }

func takenByC(v any) int { return int(C.take(C.uintptr_t(cgo.NewHandle(v)))) }

type owner struct{ h cgo.Handle }

func stored(v any) *owner { return &owner{h: cgo.NewHandle(v)} }

func (o *owner) Close() { o.h.Delete() }

func literal(v any) {
	h := cgo.NewHandle(v)
	defer func() { h.Delete() }()
	C.take(C.uintptr_t(h))
}

type node struct{}

func (*node) Close() error { return errors.New("busy") }

//export seamVetTestCloses
func seamVetTestCloses(n C.uintptr_t) C.int {
	h := cgo.Handle(n)
	v, ok := h.Value().(*node)
	if !ok {
		return 1
	}
	err := v.Close()
	h.Delete()
	if err != nil {
		return 2
	}
	return 0
}

//export seamVetTestFirst
func seamVetTestFirst(n C.uintptr_t) C.int {
	v := cgo.Handle(n).Value().(*node)
	cgo.Handle(n).Delete()
	if v.Close() != nil {
		return 1
	}
	return 0
}

//export seamVetTestDefer
func seamVetTestDefer(n C.uintptr_t) C.int {
	defer cgo.Handle(n).Delete()
	if cgo.Handle(n).Value().(*node).Close() != nil {
		return 1
	}
	return 0
}

// C keeps it, gives it to others, or gives it back.
func keptByC(v any) uintptr {
	h := cgo.NewHandle(v)
	C.keep(C.uintptr_t(h))
	g := cgo.NewHandle(v)
	C.give(C.uintptr_t(g))
	k := cgo.NewHandle(v)
	return uintptr(C.same(C.uintptr_t(k)))
}
