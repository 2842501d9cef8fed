// Command layout has C fill structs that Go declares itself, without a copy and
// without cgo's types. Compiling the program proves that both languages mean the
// same bytes: seam layout --write has compared the two layouts and written
// layout_seam.go and layout_seam.h, which stop compiling as soon as one side changes.
//
//	go run ./examples/layout
//	seam layout ./examples/layout            # the bytes, as a picture
//	go generate ./examples/layout            # after a change on both sides
//	seam layout ./examples/layout/mismatch   # a pair that does not agree
//
// It needs a C compiler.
package main
