// Package seam carries the source of library packages, with which the tool builds programs
// when it can't download the module. Other programs have no use for it.
package seam

import "embed"

// Thrift has the source of packages thrift and codec and of what they import from this
// module, by path in the module, test files included.
//
//go:embed thrift/*.go thrift/codec/*.go thrift/internal/swap/*.go thrift/internal/swap/*.s
var Thrift embed.FS

// Crossing has the source of packages leaf, mem and include and of what they import from
// this module, by path in the module, test files included.
//
//go:embed leaf/*.go leaf/*.s leaf/internal/viacgo/* internal/abi/*.go internal/abi/*.s internal/crossing/*.go internal/bubble/*.go
//go:embed mem/*.go include/*.go include/seam/*.h
var Crossing embed.FS

// Prof has the source of package prof and of what it imports from this module, by path in
// the module, test files included.
//
//go:embed prof/*.go prof/internal/unwind/*.go prof/internal/unwind/*.c prof/internal/unwind/*.h
//go:embed internal/abi/*.go internal/abi/*.s internal/crossing/*.go
var Prof embed.FS

// Netio has the C of package coro/netio.
//
//go:embed coro/netio/*.c coro/netio/*.h
var Netio embed.FS

// Python has the source of package seam_ring, which takes seam/ring.h besides.
//
//go:embed python/build.py python/seam_ring/*.py python/seam_ring/*.c
var Python embed.FS
