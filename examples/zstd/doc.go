// Command zstd compresses files with libzstd, as Debian ships it, through buffers of Go
// memory that C keeps from one call to the next: a [Writer] fills a buffer, C takes it over
// and gives it back once it has compressed all of it, which may be some calls later.
//
//	go run -tags seam_libs ./examples/zstd file             # makes file.zst
//	go run -tags seam_libs ./examples/zstd -d file.zst
//	tar c . | go run -tags seam_libs ./examples/zstd > all.tar.zst
//
// It needs Debian's package libzstd-dev and the build tag seam_libs, which says that it is
// installed. README.md says whose memory is whose.
//
// # Which call for what
//
// A leaf call (package leaf) must be over in microseconds. Taking a buffer over is, and so
// is a [Block] of some kilobytes at a low level: these are leaf calls, and the crossing,
// which would otherwise be a large part of them, costs next to nothing.
//
// A step of a stream is not. How long it takes doesn't depend on its input: one byte that
// fills the library's own block makes it compress 128 KB. So steps go through cgo, which
// lets the garbage collector and other goroutines continue, and whose tens of nanoseconds
// are nothing beside the hundred microseconds of a block. Within a step C checks the
// context after every 16 KB that it has taken.
//
// Package offload is for C that waits for something other than the processor, or for many
// long calls that must not take many threads. Here the number of buffers already bounds
// the streams, and each of them computes.
package main
