// A program whose sites hold bytes that are known. It prints nothing; the record is looked at when
// it has ended. A line of what holds what is in truth_test.go.
package main

/*
#cgo CFLAGS: -O1 -g
#cgo CXXFLAGS: -O1 -g
#cgo LDFLAGS: -ldl -lpthread -lstdc++
#include <stdlib.h>
#include <string.h>
#include "truth.h"
*/
import "C"

import (
	"os"
	"runtime"
	"sync"
)

//go:noinline
func forgets(n int) {
	for range n {
		C.forgotten(100)
	}
}

//go:noinline
func cstring() { C.CString("four and twenty letters.") }

func main() {
	if len(os.Args) > 2 && os.Args[1] == "sample" {
		C.sampled()
		return
	}
	C.plain()
	C.zero()
	C.chain()
	C.aligned()
	C.other_threads()
	C.cxx()
	C.cxx_map(1000)
	C.strings()
	C.mappings()
	C.in_child()
	if len(os.Args) > 1 {
		path := C.CString(os.Args[1])
		C.loaded(path)
		C.free(nil)
	}
	forgets(10)
	cstring()
	var wg sync.WaitGroup
	for range 8 { // of many goroutines, under garbage collection
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 200 {
				C.forgotten(7)
				C.churn()
			}
			runtime.GC()
		}()
	}
	wg.Wait()
}
