//go:build (amd64 || arm64) && gc

// Package asmcall has a function in assembly that does nothing: the price of
// passing arguments through memory, which calls from Go into assembly do.
package asmcall

import "unsafe"

// Available reports whether this build has it.
const Available = true

// Empty does nothing and returns 0. Its arguments are those of leaf's own
// entry.
//
//go:noescape
func Empty(fn, arg unsafe.Pointer) int32
