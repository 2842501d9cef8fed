// Command interrupted waits in C in each of libc's ways that a signal ends, while Go asks for the thread,
// and prints how the waits ended.
package main

// #include "waits.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

func main() {
	go func() {
		for { // each stops the world: signals go to all threads that are in Go, or seem so
			runtime.GC()
		}
	}()
	C.blocked()
	wait := func(way C.int) C.int { return C.wait_in(way, 50) }
	if len(os.Args) > 1 {
		runtime.LockOSThread()
		wait = func(way C.int) C.int { return C.killed(way, 900) }
	}
	for way := C.int(0); C.name_of(way) != nil; way++ {
		errno := syscall.Errno(wait(way))
		for range 20 { // Go's signals, which are pending, come now
			runtime.Gosched()
		}
		fmt.Println(C.GoString(C.name_of(way)), int(errno), "blocked:", C.blocked())
	}
}
