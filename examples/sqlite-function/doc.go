// Command sqlite-function gives SQLite a function written in Go, and calls it in a
// query:
//
//	go run -tags seam_servers ./examples/sqlite-function
//
// The query runs as a coroutine. For each row SQLite calls a C function that hands
// the arguments to Go and takes the result back: a switch of some nanoseconds, where
// a callback through cgo goes through the Go runtime.
//
// It needs Debian's package libsqlite3-dev, and the build tag seam_servers, which
// says that the examples' C libraries are installed.
package main
