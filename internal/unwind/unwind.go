//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

// #cgo CFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../csys
// #cgo LDFLAGS: -lpthread
// #cgo nocallback seam_start
// #cgo nocallback seam_refresh
// #include "say.h"
// #include "traceback.h"
// #include <stdlib.h>
import "C"

import (
	"runtime"
	"sort"
	"sync"
	"syscall"
	"unsafe"
)

// The functions that runtime.SetCgoTraceback takes.
var (
	Traceback  = unsafe.Pointer(C.seam_traceback)
	Context    = unsafe.Pointer(C.seam_context)
	Symbolizer = unsafe.Pointer(C.seam_symbolize)
)

// Start makes the first tables, and starts the thread that renews them. Later calls return what the
// first did.
func Start() error { return started() }

var started = sync.OnceValue(start)

func start() error {
	low, high := goText()
	version := C.CString(runtime.Version())
	C.seam_crash_version(version)
	C.free(unsafe.Pointer(version))
	return failure(C.seam_start(C.uintptr_t(low), C.uintptr_t(high)))
}

// Refresh renews the tables now if anything was loaded or unloaded since the last time. It
// need not be called: walks have it done, somewhat later.
func Refresh() error { return failure(C.seam_refresh()) }

func failure(errno C.int) error {
	if errno == 0 {
		return nil
	}
	return syscall.Errno(errno)
}

// goText returns where the program's Go code begins and ends. It is in one piece, and no
// symbol of the runtime is named: whether Go has a function at an address is asked.
func goText() (low, high uintptr) {
	at, _, _, _ := runtime.Caller(0)
	isGo := func(pc uintptr) bool { return runtime.FuncForPC(pc) != nil }
	const most = 1 << 30
	below := sort.Search(most, func(n int) bool { return uintptr(n) > at || !isGo(at-uintptr(n)) })
	above := sort.Search(most, func(n int) bool { return !isGo(at + uintptr(n)) })
	return at - uintptr(below) + 1, at + uintptr(above)
}
