// Command bounds calls C of which seam.plan lets only so many calls in at once.
package main

/*
#cgo LDFLAGS: -lpthread
#include <stdlib.h>
#include "c.h"
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"example.com/bounds/other"
)

var scenarios = map[string]func(){
	"naps": naps, "both": both, "nested": nested, "panics": panics, "goexit": goexit, "locked": locked,
	"errno": errno, "handover": handover, "meet": meet, "grow": grow,
}

func main() { scenarios[os.Args[1]]() }

// all runs n goroutines to their ends.
func all(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	wg.Wait()
}

func threads() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(status)) {
		var n int
		if _, err := fmt.Sscanf(line, "Threads: %d", &n); err == nil {
			return n
		}
	}
	panic("no line for threads")
}

// naps has 500 goroutines in C that sleeps.
func naps() {
	before := threads()
	all(500, func(int) { C.nap(5) })
	fmt.Fprintln(os.Stderr, "threads:", threads()-before)
	fmt.Println("at once:", C.most() <= 8, "now:", C.inside())
}

// both has them in C of two packages.
func both() {
	before := threads()
	all(200, func(i int) {
		if i%2 == 0 {
			C.nap(5)
		} else {
			other.Nap(5)
		}
	})
	fmt.Fprintln(os.Stderr, "threads:", threads()-before)
}

//export goDeeper
func goDeeper(depth C.int) C.int {
	switch depth {
	case -1:
		panic("from the callback")
	case -2:
		runtime.Goexit()
	}
	C.nap(1) // of the same group
	return C.through_go(depth)
}

// nested has more goroutines in C than may be, each with calls in its callbacks.
func nested() {
	var mu sync.Mutex
	sum := 0
	all(50, func(int) {
		n := C.through_go(10)
		mu.Lock()
		defer mu.Unlock()
		sum += int(n)
	})
	fmt.Println(sum)
}

// panics leaves C by panics of its callbacks, more often than there are places.
func panics() {
	n := 0
	for range 100 {
		func() {
			defer func() {
				if recover() != nil {
					n++
				}
			}()
			C.leave_by(-1)
		}()
	}
	fmt.Println(n, C.nap(1))
}

func goexit() {
	all(100, func(int) { C.leave_by(-2) })
	fmt.Println(C.nap(1))
}

// locked has goroutines with threads of their own: those need no place.
func locked() {
	all(20, func(int) {
		runtime.LockOSThread()
		C.gather(20)
	})
	fmt.Println("20 met")
}

func errno() {
	all(20, func(i int) {
		n, err := C.fails(C.int(i))
		if int(n) != i || err != syscall.EDOM {
			panic(fmt.Sprint(n, err))
		}
		m, err := C.twice(C.int(i))
		if int(m) != 2*i || err != nil {
			panic(fmt.Sprint(m, err))
		}
	})
	fmt.Println("ok")
}

// handover gives places from hand to hand while garbage is collected.
func handover() {
	done := make(chan bool)
	go func() {
		for range 50 {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		close(done)
	}()
	var mu sync.Mutex
	sum := 0
	all(100, func(i int) {
		for k := range 500 {
			n := int(C.twice(C.int(k)))
			if n != 2*k {
				panic("wrong result")
			}
			if k%100 == 0 {
				C.nap(0)
			}
			s := C.CString("a string")
			C.free(unsafe.Pointer(s))
		}
		mu.Lock()
		defer mu.Unlock()
		sum++
	})
	<-done
	fmt.Println(sum, C.most() <= 8)
}

// meet waits in C for another call of the same function.
func meet() {
	all(2, func(int) { C.meet() })
	fmt.Println("met")
}

// grow moves the goroutine's stack in callbacks, with arguments on it.
func grow() {
	all(20, func(i int) {
		if n := int(C.through_go(C.int(i))); n != i {
			panic(n)
		}
		if deep(100, i) != i {
			panic("deep")
		}
	})
	fmt.Println("ok")
}

func deep(n, i int) int {
	var pad [256]byte
	if n == 0 {
		return int(C.through_go(C.int(i)))
	}
	r := deep(n-1, i)
	runtime.KeepAlive(&pad)
	return r
}
