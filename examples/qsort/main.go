//go:build cgo && linux

package main

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../include
// #include "sort.h"
import "C"

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"unsafe"

	"github.com/seamgo/seam/coro"
)

// Number is what can be sorted. C moves the items about, and keeps some in memory
// of its own meanwhile, where the garbage collector does not look: so they must
// hold no Go pointers.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64
}

var sortItems = coro.Of[C.struct_sort]("sort_items", unsafe.Pointer(C.sort_items))

// SortFunc sorts items by C's qsort_r, in the order that compare gives: its result
// is below, equal to or above 0 as a is to b. A panic of compare goes on when
// qsort_r has returned; items are then in no certain order.
func SortFunc[T Number](items []T, compare func(a, b T) int) error {
	order := coro.Register(func(p *C.struct_pair) {
		p.order = C.int(compare(*(*T)(p.a), *(*T)(p.b)))
	})
	defer order.Free()
	var one T
	_, err := sortItems.Call(context.Background(), &C.struct_sort{
		base:    unsafe.Pointer(unsafe.SliceData(items)),
		count:   C.size_t(len(items)),
		size:    C.size_t(unsafe.Sizeof(one)),
		compare: C.seam_func(order.ID()),
	})
	return err
}

func main() {
	items := []float64{3, -1, 4, -1.5, -9, 2.6}
	err := SortFunc(items, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "qsort:", err)
		os.Exit(1)
	}
	fmt.Println(items)
	fmt.Println(coro.Status())
}
