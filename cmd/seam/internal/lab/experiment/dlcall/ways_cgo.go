//go:build cgo && linux && (amd64 || arm64)

package dlcall

/*
#cgo CFLAGS: -O2
#include <stdlib.h>
#include "c.h"

int64_t seamDLBack(int64_t n, void *data);
*/
import "C"

import (
	"unsafe"

	"github.com/seamgo/seam/dl"
	"github.com/seamgo/seam/leaf"
)

//export seamDLBack
func seamDLBack(n C.int64_t, _ unsafe.Pointer) C.int64_t { return n + 1 }

// functions are the addresses of the C functions, for the ways without cgo.
var functions = map[string]unsafe.Pointer{
	"int0": C.seam_dl_int0, "int2": C.seam_dl_int2, "int6": C.seam_dl_int6, "float4": C.seam_dl_float4,
	"struct": C.seam_dl_struct, "string": C.seam_dl_string, "callback": C.seam_dl_callback,
}

func cgoLoop(args string) (loop, func(), error) {
	return map[string]loop{
		"int0": func(n int) (sum int64) {
			for range n {
				sum += int64(C.seam_dl_int0())
			}
			return sum
		},
		"int2": func(n int) (sum int64) {
			for i := range n {
				sum += int64(C.seam_dl_int2(C.int64_t(i), 2))
			}
			return sum
		},
		"int6": func(n int) (sum int64) {
			for i := range n {
				sum += int64(C.seam_dl_int6(C.int64_t(i), 1, 2, 3, 4, 5))
			}
			return sum
		},
		"float4": func(n int) (sum int64) {
			for i := range n {
				sum += int64(C.seam_dl_float4(C.double(i), 1, 2, 4))
			}
			return sum
		},
		"struct": func(n int) (sum int64) {
			for i := range n {
				sum += int64(C.seam_dl_struct(C.seam_dl_pair{n: C.int64_t(i), x: 3}))
			}
			return sum
		},
		"string": func(n int) (sum int64) {
			for range n {
				s := C.CString(text)
				sum += int64(C.seam_dl_string(s))
				C.free(unsafe.Pointer(s))
			}
			return sum
		},
		"callback": func(n int) (sum int64) {
			for i := range n {
				sum += int64(C.seam_dl_callback(C.seam_dl_function(C.seamDLBack), C.int64_t(i), nil))
			}
			return sum
		},
	}[args], nil, nil
}

var (
	leafInt0   = leaf.Of[C.seam_dl_args0]("seam_dl_leaf_int0", unsafe.Pointer(C.seam_dl_leaf_int0))
	leafInt2   = leaf.Of[C.seam_dl_args2]("seam_dl_leaf_int2", unsafe.Pointer(C.seam_dl_leaf_int2))
	leafInt6   = leaf.Of[C.seam_dl_args6]("seam_dl_leaf_int6", unsafe.Pointer(C.seam_dl_leaf_int6))
	leafFloat4 = leaf.Of[C.seam_dl_floats]("seam_dl_leaf_float4", unsafe.Pointer(C.seam_dl_leaf_float4))
	leafStruct = leaf.Of[C.seam_dl_pairs]("seam_dl_leaf_struct", unsafe.Pointer(C.seam_dl_leaf_struct))
	leafString = leaf.Of[C.seam_dl_text]("seam_dl_leaf_string", unsafe.Pointer(C.seam_dl_leaf_string))
)

func leafLoop(args string) (loop, func(), error) {
	return map[string]loop{
		"int0": func(n int) (sum int64) {
			for range n {
				var a C.seam_dl_args0
				leafInt0.Call(&a)
				sum += int64(a.r)
			}
			return sum
		},
		"int2": func(n int) (sum int64) {
			for i := range n {
				a := C.seam_dl_args2{a: C.int64_t(i), b: 2}
				leafInt2.Call(&a)
				sum += int64(a.r)
			}
			return sum
		},
		"int6": func(n int) (sum int64) {
			for i := range n {
				a := C.seam_dl_args6{a: C.int64_t(i), b: 1, c: 2, d: 3, e: 4, f: 5}
				leafInt6.Call(&a)
				sum += int64(a.r)
			}
			return sum
		},
		"float4": func(n int) (sum int64) {
			for i := range n {
				a := C.seam_dl_floats{a: C.double(i), b: 1, c: 2, d: 4}
				leafFloat4.Call(&a)
				sum += int64(a.r)
			}
			return sum
		},
		"struct": func(n int) (sum int64) {
			for i := range n {
				a := C.seam_dl_pairs{p: C.seam_dl_pair{n: C.int64_t(i), x: 3}}
				leafStruct.Call(&a)
				sum += int64(a.r)
			}
			return sum
		},
		"string": func(n int) (sum int64) {
			for range n {
				a := C.seam_dl_text{s: (*C.char)(unsafe.Pointer(dl.CString(text)))}
				leafString.Call(&a)
				sum += int64(a.r)
			}
			return sum
		},
	}[args], nil, nil
}
