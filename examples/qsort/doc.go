// Command qsort sorts with C's qsort_r by an order that is a Go function. Each
// comparison goes from C to Go and back, which costs a fraction of what a callback
// through cgo does:
//
//	go run ./examples/qsort
//	go test -bench . ./examples/qsort
//
// It needs a C compiler, and Linux for this form of qsort_r.
package main
