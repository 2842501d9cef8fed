// Package elsewhere says nothing of Windows.
package elsewhere

// #cgo linux LDFLAGS: -lm
// int lib_seek(long offset);
import "C"

// Seek goes to an offset.
func Seek(offset int64) { C.lib_seek(C.long(offset)) }
