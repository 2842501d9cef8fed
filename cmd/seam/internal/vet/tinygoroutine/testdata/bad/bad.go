// Package bad starts goroutines for nothing.
package bad

import (
	"math"
	"sync"
	"sync/atomic"
)

// Double does.
func Double(list []int) []int {
	out := make([]int, len(list))
	var wg sync.WaitGroup
	for i := range list {
		wg.Add(1)
		go func() { // want note "less than starting it costs (300 ns here)"
			defer wg.Done()
			out[i] = 2 * list[i]
		}()
	}
	wg.Wait()
	return out
}

// Sum does, with a few calls that take no time.
func Sum(list []float64) (n atomic.Int64) {
	for _, x := range list {
		go func(x float64) { // want note "less than starting it costs"
			if y := math.Sqrt(x); y > 2 {
				n.Add(int64(y))
			}
		}(x)
	}
	return
}

func group(list []int) {
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() { list[i]++ }) // want note "this goroutine does less than starting it costs"
	}
	wg.Wait()
}

func named(list []int) {
	for i := range list {
		go increment(list, i) // want note "this goroutine does less than starting it costs"
	}
}

func increment(list []int, i int) { list[i]++ }

func groupNamed(n *int) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { *n++ }) // want note "this goroutine does less than starting it costs"
		wg.Go(count)           // want note "this goroutine does less than starting it costs"
	}
	wg.Wait()
}

var counted atomic.Int64

var total int64

func count() { total = counted.Add(1) }
