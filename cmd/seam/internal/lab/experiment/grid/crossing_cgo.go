//go:build cgo && linux

package grid

/*
#cgo CFLAGS: -O2
#include "work.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/leaf"
)

var (
	foldLeaf   = leaf.Of[C.seam_grid_args]("seam_grid_fold", unsafe.Pointer(C.seam_grid_fold_args))
	nofoldLeaf = leaf.Of[C.seam_grid_args]("seam_grid_nofold", unsafe.Pointer(C.seam_grid_nofold_args))
)

// crossingRun returns the timed loop of a way that leaves Go.
//
// The search calls nofold through leaf with counts up to searchHigh, some
// milliseconds of C: more than a leaf may take in a program, where others wait
// for the garbage collector. Here nothing else runs.
//
// The loops are written out: a call through a func value would be in the time.
func crossingRun(k kind, v via, count int64) (func(n int), error) {
	switch {
	case k == fold && v == viaCgo:
		return func(n int) {
			var sum C.int64_t
			for range n {
				sum += C.seam_grid_fold(C.int64_t(count))
			}
			sink = int64(sum)
		}, nil
	case k == nofold && v == viaCgo:
		return func(n int) {
			var sum C.int64_t
			for range n {
				sum += C.seam_grid_nofold(C.int64_t(count))
			}
			sink = int64(sum)
		}, nil
	case k == fold && v == viaLeaf:
		return func(n int) {
			var sum C.int64_t
			for range n {
				args := C.seam_grid_args{count: C.int64_t(count)}
				foldLeaf.Call(&args)
				sum += args.result
			}
			sink = int64(sum)
		}, nil
	case k == nofold && v == viaLeaf:
		return func(n int) {
			var sum C.int64_t
			for range n {
				args := C.seam_grid_args{count: C.int64_t(count)}
				nofoldLeaf.Call(&args)
				sum += args.result
			}
			sink = int64(sum)
		}, nil
	}
	return nil, fmt.Errorf("grid: no way %q to do work of kind %q", v, k)
}
