// Package seam carries the source of the library's packages, which the tool builds
// programs with where the module can't be downloaded. A program has no use for it.
package seam

import "embed"

// Thrift is the source of packages thrift and codec and of what they import of this module,
// by path in the module. Test files are among it.
//
//go:embed thrift/*.go thrift/codec/*.go thrift/internal/swap/*.go thrift/internal/swap/*.s
var Thrift embed.FS

// Crossing is the source of packages leaf, mem and include, and of what they import of
// this module, by path in the module. Test files are among it.
//
//go:embed leaf/*.go leaf/*.s leaf/internal/viacgo/* internal/abi/*.go internal/abi/*.s internal/crossing/*.go
//go:embed mem/*.go include/*.go include/seam/*.h
var Crossing embed.FS
