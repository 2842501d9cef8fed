//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

// #cgo nocallback seam_put_signals
// #cgo nocallback seam_crash_copy
// #include "say.h"
// #include <stdlib.h>
import "C"

import (
	"strings"
	"unsafe"
)

var empty C.char // a string

// Signals lists what is wrong with the process's handlers of signals, in sentences without a
// full stop.
func Signals() []string {
	room := C.malloc(64 << 10)
	defer C.free(room)
	text := C.seam_text{at: (*C.char)(room), room: 64 << 10}
	C.seam_put_signals(&text, (*C.char)(unsafe.Pointer(&empty)))
	var list []string
	for line := range strings.Lines(string(unsafe.Slice((*byte)(room), text.n))) {
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
	return list
}

// CrashDirectory has each report of a crash in C written to a file of its own in a directory, too.
func CrashDirectory(path string) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return failure(C.seam_crash_directory(p))
}

// CrashOutput has reports of crashes in C written to a descriptor, too, or to none (-1), and returns
// the one before.
func CrashOutput(fd int) (before int) { return int(C.seam_crash_output(C.int(fd))) }

// CrashCopy has reports of crashes in C written to a file, too, which is made then.
func CrashCopy(path string) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return failure(C.seam_crash_copy(p))
}
