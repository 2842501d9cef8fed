//go:build cgo && linux

package call

/*
#cgo CFLAGS: -O2
#cgo noescape seam_call_add_noescape
#cgo nocallback seam_call_add_noescape
#include "c.h"

// cgo's directives go by name: the same function under another one.
static inline void seam_call_add_noescape(seam_call_args *args) { seam_call_add_at(args); }
*/
import "C"

import (
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/leaf"
)

var (
	addAt   = leaf.Of[C.seam_call_args]("seam_call_add_at", unsafe.Pointer(C.seam_call_add_at))
	wrapped = leaf.Of[C.seam_call_args]("seam_call_wrapped", unsafe.Pointer(C.seam_call_wrapped))
	nothing = unsafe.Pointer(C.seam_call_empty)
)

// The loops are written out for each way: a call through a func value would be in the
// time.

func cgoAdd() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		var sum C.int64_t
		for i := range n {
			sum += C.seam_call_add(C.int64_t(i), 2)
		}
		sink = int64(sum)
	}}, nil
}

func cgoAddAt() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		var sum C.int64_t
		for i := range n {
			args := C.seam_call_args{a: C.int64_t(i), b: 2}
			C.seam_call_add_at(&args)
			sum += args.sum
		}
		sink = int64(sum)
	}}, nil
}

func cgoAddAtNoescape() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		var sum C.int64_t
		for i := range n {
			args := C.seam_call_args{a: C.int64_t(i), b: 2}
			C.seam_call_add_noescape(&args)
			sum += args.sum
		}
		sink = int64(sum)
	}}, nil
}

// addByLeaf is the loop of two cases, so that they differ in nothing: where a
// loop lies in memory can move a call this cheap by a third.
//
//go:noinline
func addByLeaf(n int) {
	var sum C.int64_t
	for i := range n {
		args := C.seam_call_args{a: C.int64_t(i), b: 2}
		addAt.Call(&args)
		sum += args.sum
	}
	sink = int64(sum)
}

func leafAdd() (*lab.Op, error) { return &lab.Op{Run: addByLeaf}, nil }

// assembly returns why a part can't be isolated in this build, if so: where
// leaf goes through cgo it has all of cgo's steps, and the guard adds its own.
func assembly() error {
	if s := leaf.Status(); s.Path != leaf.PathAssembly {
		return lab.Skip("leaf goes through %s here: %s", s.Path, s.Reason)
	} else if s.Guard != "" {
		return lab.Skip("leaf's guard is on, which costs more than the step: %s", s.Guard)
	}
	return nil
}

func leafEmpty() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		for range n {
			leaf.Call(nothing, nil)
		}
	}}, assembly()
}

func leafStruct() (*lab.Op, error) { return &lab.Op{Run: addByLeaf}, assembly() }

func leafWrapped() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		var sum C.int64_t
		for i := range n {
			args := C.seam_call_args{a: C.int64_t(i), b: 2}
			wrapped.Call(&args)
			sum += args.sum
		}
		sink = int64(sum)
	}}, assembly()
}
