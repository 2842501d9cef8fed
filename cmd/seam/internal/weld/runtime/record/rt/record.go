// Package rt is the Go side of programs that record something about themselves.
// It becomes a part of package runtime/cgo: so it imports nothing that runtime/cgo
// does not, except in callers.go, and all names begin with Seam or seam.
package rt

import "unsafe"

// SeamCgocall calls C as cgo's own stubs do.
//
//go:linkname SeamCgocall runtime.cgocall
func SeamCgocall(fn unsafe.Pointer, arg uintptr) int32

// What only package runtime can tell. callers.go sets them; where a build could not
// have it, they are zero.
var (
	SeamCallers func(skip int, pcs []uintptr) int
	SeamFrames  func(pcs []uintptr) []byte // function, file and line of each, each ended by a 0
	SeamVersion string                     // version of Go, system and architecture, with a 0 between
)

// SeamMain is the program's main module and build ID, with a tab between: the linker sets it.
var SeamMain string

// SeamHash hashes a stack, and what tells it from the same stack elsewhere.
// FNV-1a, by words.
func SeamHash(of uintptr, pcs []uintptr) uint64 {
	const prime = 1099511628211
	hash := uint64(14695981039346656037)
	if of != 0 {
		hash = (hash ^ uint64(of)) * prime
	}
	for _, pc := range pcs {
		hash = (hash ^ uint64(pc)) * prime
		hash ^= hash >> 29
	}
	return hash
}
