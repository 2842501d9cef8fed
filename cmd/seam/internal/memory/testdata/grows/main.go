// Grows holds more and more memory, or seems to, in the way that its argument names, until it is killed.
// How much depends on the time alone: a busy machine makes it no other history.
package main

// #include "grows.h"
import "C"

import (
	"fmt"
	"os"
	"time"
	"unsafe"
)

const (
	mb   = 1 << 20
	rate = 3 * mb // bytes a second
)

var sessions = map[int]string{}

func main() {
	start := time.Now()
	// C's functions hold so many bytes by now.
	by := map[string]func(want int){
		"strdup":  func(want int) { C.answers(C.long(want)) },
		"map":     func(want int) { C.insert(C.long(want)) },
		"handles": func(want int) { C.requests(C.long(want)) },
		"cache":   func(want int) { C.look_up(C.long(2*want), 6*mb) }, // which is full after a second
		"arenas":  func(want int) { C.workers(C.long(want)) },
		"stacks":  func(want int) { C.forgotten_threads(C.long(want)) },
		"mmap":    func(want int) { C.mappings(C.long(want)) },
		"file": func(want int) {
			name := C.CString(os.Args[2])
			C.store(name, C.long(want))
			C.free(unsafe.Pointer(name))
		},
		"go": func(want int) {
			for len(sessions)*1000 < want {
				sessions[len(sessions)] = fmt.Sprintf("%0960d", 1)
			}
		},
	}[os.Args[1]]
	for {
		by(int(time.Since(start).Seconds() * rate))
		time.Sleep(5 * time.Millisecond)
	}
}
