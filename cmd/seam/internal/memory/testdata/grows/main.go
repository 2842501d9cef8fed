// Grows holds more and more memory, or seems to, in the way that its argument names: a step for each line that
// it reads, which it answers with a line. A busy machine makes it no other history.
package main

// #include "grows.h"
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"unsafe"
)

const (
	mb   = 1 << 20
	step = 150 << 10 // bytes
)

var sessions = map[int]string{}

func main() {
	// C's functions hold so many bytes by now.
	by := map[string]func(want int){
		"strdup":  func(want int) { C.answers(C.long(want)) },
		"map":     func(want int) { C.insert(C.long(want)) },
		"handles": func(want int) { C.requests(C.long(want)) },
		"cache":   func(want int) { C.look_up(C.long(2*want), 6*mb) }, // which is full after twenty steps
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
	in := bufio.NewScanner(os.Stdin)
	for want := step; in.Scan(); want += step {
		by(want)
		fmt.Println()
	}
}
