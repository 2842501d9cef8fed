//go:build !((amd64 || arm64) && gc)

// Package asmcall has a function in assembly that does nothing, on other
// architectures than this one.
package asmcall

import "unsafe"

// Available reports whether this build has it.
const Available = false

// Empty is not available in this build.
func Empty(fn, arg unsafe.Pointer) int32 { return 0 }
