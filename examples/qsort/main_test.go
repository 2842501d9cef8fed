//go:build cgo && linux

//seam:test race arm64

package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/seamgo/seam/coro"
)

func ExampleSortFunc() {
	items := []float64{3, -1, 4, -1.5, -9, 2.6}
	SortFunc(items, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	fmt.Println(items)
	// Output: [-1 -1.5 2.6 3 4 -9]
}

func numbers(n int, r *rand.Rand) []int64 {
	items := make([]int64, n)
	for i := range items {
		items[i] = r.Int64() - r.Int64()
	}
	return items
}

func TestSortFunc(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 2, 3, 100, 2000}
	if coro.Status().Path == coro.PathAssembly {
		sizes = append(sizes, 50_000) // a million comparisons: too many for the fallback
	}
	for _, n := range sizes {
		items := numbers(n, r)
		want := slices.Clone(items)
		slices.SortFunc(want, func(a, b int64) int { return cmp.Compare(b, a) })
		calls := 0
		err := SortFunc(items, func(a, b int64) int {
			if calls++; calls%1000 == 0 {
				runtime.GC() // the memory that C holds on to must stay
			}
			return cmp.Compare(b, a)
		})
		if err != nil || !slices.Equal(items, want) {
			t.Errorf("%d items are sorted wrong, error %v", n, err)
		}
		if (calls > 0) != (n > 1) {
			t.Errorf("%d comparisons of %d items", calls, n)
		}
	}
	bytes := []uint8("qsort_r")
	if err := SortFunc(bytes, cmp.Compare); err != nil || string(bytes) != "_oqrrst" {
		t.Errorf("bytes are sorted to %q, %v", bytes, err)
	}
}

// A comparison may itself do anything that Go does: grow its stack, wait for
// another goroutine, sort.
func TestCompareIsOrdinaryGo(t *testing.T) {
	question, answer := make(chan [2]int64), make(chan int)
	go func() {
		for q := range question {
			sorted := q
			if err := SortFunc(sorted[:], cmp.Compare); err != nil {
				t.Error(err)
			}
			if sorted == q {
				answer <- -1
			} else {
				answer <- 1
			}
		}
	}()
	defer close(question)
	var all sync.WaitGroup
	for seed := range uint64(4) {
		all.Go(func() {
			items := numbers(200, rand.New(rand.NewPCG(seed, 0)))
			var mu sync.Mutex
			err := SortFunc(items, func(a, b int64) int {
				mu.Lock()
				defer mu.Unlock()
				return deep(50, func() int {
					if seed > 0 {
						return cmp.Compare(a, b)
					}
					question <- [2]int64{a, b}
					return <-answer
				})
			})
			if err != nil || !slices.IsSorted(items) {
				t.Errorf("sorted wrong, error %v", err)
			}
		})
	}
	all.Wait()
}

// deep calls f at the end of a stack of n frames of 256 bytes.
//
//go:noinline
func deep(n int, f func() int) int {
	var pad [256]byte
	if n > 0 {
		return deep(n-1, f) + int(pad[n])
	}
	return f()
}

// A panic ends the comparing at once and comes out of SortFunc; other sorts go on.
func TestPanic(t *testing.T) {
	calls := 0
	func() {
		defer func() {
			if got := recover(); got != "no order" {
				t.Errorf("recovered %v", got)
			}
		}()
		SortFunc(numbers(100_000, rand.New(rand.NewPCG(3, 4))), func(a, b int64) int {
			if calls++; calls == 1000 {
				panic("no order")
			}
			return cmp.Compare(a, b)
		})
		t.Error("SortFunc returned")
	}()
	if calls != 1000 {
		t.Errorf("%d comparisons, the 1000th panicked", calls)
	}
	items := []int{2, 1}
	if err := SortFunc(items, cmp.Compare); err != nil || items[0] != 1 {
		t.Errorf("afterwards: %v, %v", items, err)
	}
}

// A comparison is what is priced: 1e5 items take some 1.5e6 of them.
func BenchmarkSortFunc(b *testing.B) {
	items := numbers(100_000, rand.New(rand.NewPCG(5, 6)))
	work := make([]int64, len(items))
	calls := 0
	for b.Loop() {
		copy(work, items)
		if err := SortFunc(work, func(x, y int64) int { calls++; return cmp.Compare(x, y) }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/compare")
}
