package rt

import "unsafe"

// The C side. In a program these are addresses of C functions: package prof says so in this
// file's place, in words that the compiler takes from cgo and the standard library alone.
var seamProfEntry, seamProfTraceback, seamProfContext, seamProfSymbolizer unsafe.Pointer
