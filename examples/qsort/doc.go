// Command qsort sorts with C's qsort_r and a comparison function in Go. Each
// comparison goes from C to Go and back, at a fraction of the price of a callback
// through cgo:
//
//	go run ./examples/qsort
//	go test -bench . ./examples/qsort
//
// It needs a C compiler, and Linux for this form of qsort_r.
package main
