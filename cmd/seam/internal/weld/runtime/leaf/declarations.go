package leaf

import (
	"embed"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

//go:embed *.go
var source embed.FS

// SourceID is a hash of this package, whose declarations become a part of welded packages.
func SourceID() string { return cgofile.Hash(source) }

// Declarations is what stubs of a welded package know of the run-time, by linkname: the export data
// of package runtime/cgo has none of it (toolexec.Runtime.Apart says why). A test holds them against
// package rt.
//
// The assembly's functions have Go's old convention for calls (ABI0). Where the compiler sees a
// package's export data it knows that, and calls them directly; here cgo_unsafe_args says it, or each
// call would go through a wrapper (8 % of a short call).
//
// None of the functions keeps an argument that doesn't lie in C's memory, which the compiler found
// out where it saw their bodies.
const Declarations = `
type _seam_Slot struct{ Entry, _, _, Call unsafe.Pointer }

type _seam_Parked struct {
	_, _ uintptr
	Call unsafe.Pointer
}

//go:noescape
//go:cgo_unsafe_args
//go:linkname _seam_Call runtime/cgo.SeamCall
func _seam_Call(fn, arg unsafe.Pointer) int32

//go:noescape
//go:cgo_unsafe_args
//go:linkname _seam_CallOpen runtime/cgo.SeamCallOpen
func _seam_CallOpen(fn, arg unsafe.Pointer) int32

//go:noescape
//go:cgo_unsafe_args
//go:linkname _seam_CallCoro runtime/cgo.SeamCallCoro
func _seam_CallCoro(fn, arg unsafe.Pointer) uintptr

//go:noescape
//go:linkname _seam_Prepare runtime/cgo.SeamPrepare
func _seam_Prepare(s *_seam_Slot, cgocall func(fn unsafe.Pointer, arg uintptr) int32) unsafe.Pointer

//go:noescape
//go:linkname _seam_Race runtime/cgo.SeamRace
func _seam_Race(s *_seam_Slot, cgocall func(fn unsafe.Pointer, arg uintptr) int32)

//go:noescape
//go:linkname _seam_CalledBack runtime/cgo.SeamCalledBack
func _seam_CalledBack(s *_seam_Slot)

//go:linkname _seam_MayCallGo runtime/cgo.SeamMayCallGo
func _seam_MayCallGo() bool

//go:noescape
//go:linkname _seam_Enter runtime/cgo.SeamEnter
func _seam_Enter(b unsafe.Pointer, who string, cgocall func(fn unsafe.Pointer, arg uintptr) int32) unsafe.Pointer

//go:noescape
//go:linkname _seam_Leave runtime/cgo.SeamLeave
func _seam_Leave(b, place unsafe.Pointer)

//go:noescape
//go:linkname _seam_Park runtime/cgo.SeamPark
func _seam_Park(f *_seam_Parked, arg unsafe.Pointer, cgocall func(fn unsafe.Pointer, arg uintptr) int32) int32

//go:noescape
//go:linkname _seam_View runtime/cgo.SeamView
func _seam_View(fixed, p unsafe.Pointer) (s string, ok bool)

//go:noescape
//go:linkname _seam_Take runtime/cgo.SeamTake
func _seam_Take(blocks unsafe.Pointer, n int) (p unsafe.Pointer, size, place uintptr)

//go:noescape
//go:linkname _seam_Give runtime/cgo.SeamGive
func _seam_Give(blocks, p unsafe.Pointer, place uintptr) bool
`
