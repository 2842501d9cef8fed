package mem

import "unsafe"

// A Str is a string, or the bytes of a slice, as C reads them: a seam_str. C may read it
// until the function that got it returns. The caller must not change the bytes meanwhile.
//
// Data is a Go pointer, so the bytes live as long as the Str, and package leaf passes it as
// it is. To pass it through cgo, pin the bytes (runtime.Pinner) or pass the two fields as
// arguments of their own.
type Str struct {
	Data *byte
	Len  int // bytes
}

// StrOf returns s as C reads it, without a copy.
func StrOf(s string) Str { return Str{unsafe.StringData(s), len(s)} }

// StrOfBytes returns b as C reads it, without a copy.
func StrOfBytes(b []byte) Str { return Str{unsafe.SliceData(b), len(b)} }

// A Span is a slice as C sees it: a seam_span, or in C++ a seam::span<T>. C may use its
// elements until the function that got it returns.
type Span[T any] struct {
	Data *T
	Len  int // elements
}

// SpanOf returns s as C sees it, without a copy. T must have the layout of C's element
// (`seam layout` proves that) and hold no Go pointers that C would keep.
func SpanOf[T any](s []T) Span[T] { return Span[T]{unsafe.SliceData(s), len(s)} }
