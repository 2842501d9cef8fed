// Command interrupted waits in C in each of libc's ways that a signal ends, while Go asks for the thread,
// and prints how the waits ended.
package main

// #include "waits.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

var scenarios = map[string]func(way C.int) C.int{
	"short": func(way C.int) C.int { return C.wait_in(way, 50) },
	// Longer than C waits before it calls Go.
	"long": func(way C.int) C.int { return C.wait_in(way, 300) },
	// Other signals end a wait, before that and after.
	"killed":       func(way C.int) C.int { return C.killed(way, 50) },
	"killed later": func(way C.int) C.int { return C.killed(way, 300) },
	// Where C must not call Go.
	"in a child":   func(way C.int) C.int { return C.in_child(way, 300) },
	"in a handler": func(way C.int) C.int { return C.in_handler(way, 300) },
	// Go code ends the wait, which needs the world not to be stopped.
	"for Go":          func(way C.int) C.int { return forGo(way, -1) },
	"for Go, in time": func(way C.int) C.int { return forGo(way, 60_000) },
}

func forGo(way, ms C.int) C.int {
	if way >= 9 {
		return 0 // they wait for time alone
	}
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	defer r.Close()
	go func() {
		time.Sleep(300 * time.Millisecond)
		w.Close()
	}()
	return C.wait_for(way, C.int(r.Fd()), ms)
}

func main() {
	go func() {
		for { // each stops the world: signals go to all threads that are in Go, or seem so
			runtime.GC()
			time.Sleep(time.Millisecond) // hundreds in each wait, and not two processors' work
		}
	}()
	runtime.LockOSThread()
	C.blocked()
	for way := C.int(0); C.name_of(way) != nil; way++ {
		result := scenarios[os.Args[1]](way)
		for range 20 { // Go's signals, which are pending, come now
			runtime.Gosched()
		}
		fmt.Println(C.GoString(C.name_of(way)), result, "blocked:", C.blocked())
	}
}
