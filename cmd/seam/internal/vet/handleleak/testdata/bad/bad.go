// Package bad leaks handles.
package bad

// #include <stdint.h>
// int take(uintptr_t h);
// static int odd(uintptr_t h) { return h != 0; }
import "C"

import (
	"errors"
	"runtime/cgo"
)

func some(v any) error {
	h := cgo.NewHandle(v) // want warning "deleted on some paths only: not on the way to line 17"
	if C.take(C.uintptr_t(h)) != 0 {
		return errors.New("not taken")
	}
	if C.take(0) != 0 {
		h.Delete()
		return errors.New("no")
	}
	return nil
}

func early(v any, n int) int {
	h := cgo.NewHandle(v) // want warning "not on the way to line 29"
	if n > 3 {
		return 0
	}
	n = int(C.take(C.uintptr_t(h)))
	h.Delete()
	return n
}

type node struct{}

func (*node) Close() error { return errors.New("busy") }

func lookUp(n C.uintptr_t) (*node, error) {
	v, ok := cgo.Handle(n).Value().(*node)
	if !ok {
		return nil, errors.New("no node")
	}
	return v, nil
}

//export seamVetTestClose
func seamVetTestClose(n C.uintptr_t) C.int {
	v, err := lookUp(n)
	if err != nil {
		return 1
	}
	if err := v.Close(); err != nil { // want warning "the handle is not deleted on the way to line"
		return 2
	}
	cgo.Handle(n).Delete()
	return 0
}

// The package deletes others, this one never.
func local(v any) any {
	h := cgo.NewHandle(v) // want error "the handle is never deleted: it stays in this function"
	return h.Value()
}

func localToC(v any) int {
	h := cgo.NewHandle(v) // want error "it stays in this function, and C.odd doesn't keep it"
	return int(C.odd(C.uintptr_t(h)))
}
