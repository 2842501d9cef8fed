// Command cxxwaits waits in C++ in each of its ways, in many goroutines, and prints what came out and
// how many threads there were.
package main

// #cgo CXXFLAGS: -std=c++20 -Wall
// #include "waits.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const many = 300

var scenarios = map[string]func(){
	"static":       func() { all(many, func(int) { want(C.made_once(), 1) }) },
	"static fails": func() { all(many, func(int) { want(C.made_after_throw(), 4) }) },
	"barrier": func() {
		C.barrier_for(60)
		all(60, func(int) { want(C.meet(60, 20), 0) })
	},
	"latch": func() {
		all(many, func(i int) {
			if i == 0 {
				time.Sleep(50 * time.Millisecond)
				want(C.latched(1), 1)
			} else {
				want(C.latched(0), 1)
			}
		})
	},
	"semaphore": func() {
		all(many, func(i int) {
			if i%2 == 0 {
				want(C.acquire(0), 1)
			} else {
				time.Sleep(time.Duration(i%7) * time.Millisecond)
				C.release(1)
			}
		})
		all(20, func(int) { want(C.acquire(10), 0) })
	},
	"value": func() {
		var group sync.WaitGroup
		group.Go(func() { all(many, func(int) { want(C.wait_value(0), 1) }) })
		for C.waits_for_value() < many {
			time.Sleep(time.Millisecond)
		}
		threads()
		C.set_value(1)
		group.Wait()
	},
	"locks":  func() { all(20, func(int) { want(C.guarded(5), 0) }) },
	"future": func() { all(20, func(i int) { want(C.future(C.int(i)), C.int(i)) }) },
	"caught": func() { all(many, func(i int) { want(C.caught(C.int(i), C.int(i%4)), C.int(i)) }) },
}

func main() {
	if len(os.Args) > 2 {
		go func() {
			for {
				runtime.GC()
			}
		}()
	}
	scenarios[os.Args[1]]()
	threads()
	fmt.Printf("wrong: %d\nend\n", wrong.Load())
	fmt.Fprintln(os.Stderr, "threads:", most)
}

// all runs f in so many goroutines at once.
func all(n int, f func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { f(i) })
	}
	time.Sleep(10 * time.Millisecond)
	threads()
	group.Wait()
}

var wrong atomic.Int32

func want[T comparable](got, want T) {
	if got != want && wrong.Add(1) < 10 {
		_, _, line, _ := runtime.Caller(1)
		fmt.Printf("line %d: %v, want %v\n", line, got, want)
	}
}

// threads notes how many threads there are.
var most int

func threads() {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	n := 0
	_, rest, _ := strings.Cut(string(text), "Threads:")
	fmt.Sscan(rest, &n)
	most = max(most, n)
}
