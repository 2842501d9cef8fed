//go:build cgo && unix

package leaf_test

import (
	"testing"
	"unsafe"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/leaf/internal/ctest"
)

//go:noinline
func goAdd(a, b int64) int64 { return a + b }

var sink int64

func BenchmarkGo(b *testing.B) {
	var s int64
	for i := range b.N {
		s += goAdd(int64(i), s)
	}
	sink = s
}

func BenchmarkLeaf(b *testing.B) {
	add := leaf.Of[ctest.Add]("add", ctest.AddFn)
	var s int64
	for i := range b.N {
		args := ctest.Add{A: int64(i), B: s}
		add.Call(&args)
		s += args.Sum
	}
	sink = s
}

func BenchmarkLeafEmpty(b *testing.B) {
	for range b.N {
		leaf.Call(ctest.EmptyFn, unsafe.Pointer(nil))
	}
}

func BenchmarkCgo(b *testing.B) {
	var s int64
	for i := range b.N {
		s += ctest.CgoAdd(int64(i), s)
	}
	sink = s
}
