//go:build cgo

// Package outside makes things outside of the bubbles of testing/synctest.
package outside

/*
#cgo CFLAGS: -O2 -Wall -Wextra
#cgo !windows LDFLAGS: -lpthread
#include <stdint.h>
int seam_outside(uintptr_t f);
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"syscall"

	"github.com/seamgo/seam/internal/bubble"
)

// Do calls f, and if the goroutine is in a bubble it does so outside: what f makes and the
// goroutines that it starts belong to none. f must not panic.
//
// A goroutine that a bubble's goroutine starts is in the bubble too, so it takes a thread
// that C makes, which calls back. (Rejected: a goroutine that waits from the start of the
// program for something to do; tests that look for leaked goroutines would find it.)
func Do(f func()) {
	if !bubble.Inside() {
		f()
		return
	}
	h := cgo.NewHandle(f)
	defer h.Delete()
	if errno := C.seam_outside(C.uintptr_t(h)); errno != 0 {
		panic(fmt.Sprintf("seam: no thread with which to leave a bubble of testing/synctest: %v", syscall.Errno(errno)))
	}
}

//export seamOutside
func seamOutside(f C.uintptr_t) { cgo.Handle(f).Value().(func())() }
