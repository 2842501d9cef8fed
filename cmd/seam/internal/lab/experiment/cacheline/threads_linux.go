//go:build cgo

package cacheline

import (
	"slices"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// setupThreads makes an operation that two threads do at the same time, each with a
// struct of its own.
func setupThreads(s sharing, via string) (*lab.Op, error) {
	if err := otherLines(); err != nil {
		return nil, err
	}
	call := byLeaf
	if via == viaCgo {
		call = byCgo
	}
	first, second := s.pair()
	run := func(w *walk) func(int) { return func(n int) { call(w, n) } }
	if s.threads == 1 {
		return twoThreads(run(first), nil)
	}
	return twoThreads(run(first), run(second))
}

// pair makes the structs of two threads: the first two places of an array.
func (s sharing) pair() (first, second *walk) {
	f := *forms[small][slices.Index(layouts, s.layout)]
	if s.step > 0 {
		f.size = s.step
	}
	a := f.newArray(2, []int{0, 1})
	one := func(i int) *walk {
		w := *a
		w.order = a.order[i : i+1]
		return &walk{array: &w}
	}
	return one(0), one(1)
}

// address is where the next struct of a walk is.
func (w *walk) address() uintptr { return uintptr(unsafe.Add(w.base, w.order[w.step])) }
