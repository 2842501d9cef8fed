//go:build payload_program && payload_cxx

package main

// #include <stdlib.h>
// #include "codec.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/mem"
)

var allocated []byte // holds what is allocated for its cost alone

// partOf returns what does one piece of a call n times.
func partOf(o order, b *bench) (func(n int) error, error) {
	in, size := b.in, len(b.in)
	from := (*C.char)(unsafe.Pointer(unsafe.SliceData(in)))
	room := make([]byte, max(len(b.out), len(in))+slack)
	to := (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(room)))
	copies := func(bytes int) (func(int) error, error) {
		return func(n int) error {
			C.repeat_copy(to, from, C.size_t(bytes), C.size_t(n))
			return nil
		}, nil
	}
	mallocs := func(bytes int) (func(int) error, error) {
		return func(n int) error {
			C.repeat_malloc(C.size_t(bytes), C.size_t(n))
			return nil
		}, nil
	}
	switch o.Part {
	case "work":
		return func(n int) error {
			return failed(int(C.repeat_codec(from, C.size_t(size), C.size_t(cap(in)), to, C.size_t(len(room)), C.size_t(n))))
		}, nil
	case "copy-in":
		return copies(size)
	case "copy-out":
		return copies(len(b.out))
	case "malloc-in":
		return mallocs(size)
	case "malloc-out":
		return mallocs(len(b.out) + 1)
	case "make-out":
		bytes := len(b.out)
		return func(n int) error {
			for range n {
				allocated = make([]byte, bytes)
			}
			return nil
		}, nil
	case "pool":
		p, err := registered()
		return func(n int) error {
			for range n {
				x, err := p.Get(len(b.out))
				if err != nil {
					return err
				}
				if err := x.Release(); err != nil {
					return err
				}
			}
			return nil
		}, err
	case "crossing":
		return crossing(o.Via, in, room)
	}
	return nil, fmt.Errorf("unknown part %q", o.Part)
}

// crossing makes the calls of a way, of functions that do nothing.
func crossing(via string, in, room []byte) (func(n int) error, error) {
	from, size := (*C.char)(unsafe.Pointer(unsafe.SliceData(in))), C.size_t(len(in))
	to := (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(room)))
	var one func()
	switch via {
	case "cgo-copy": // C.CBytes, the work, C.free, C.free
		p := C.CBytes(in)
		return func(n int) error {
			for range n {
				C.empty_malloc(size)
				C.empty_copy((*C.char)(p), size)
				C.empty_free(p)
				C.empty_free(p)
			}
			return nil
		}, nil
	case "view": // the work, C.free
		p := C.CBytes(in)
		return func(n int) error {
			for range n {
				C.empty_view(from, size, size)
				C.empty_free(p)
			}
			return nil
		}, nil
	case "fill":
		one = func() { C.empty_fill(from, size, size, to, size) }
	case "registered":
		one = func() { C.empty_registered(1, size, 1) }
	case "leaf":
		args := codecArgs{in: mem.StrOfBytes(in)}
		one = func() { emptyLeaf.Call(&args) }
	default:
		return nil, fmt.Errorf("no crossing via %s", via)
	}
	return func(n int) error {
		for range n {
			one()
		}
		return nil
	}, nil
}
