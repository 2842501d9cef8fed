package thrift

import "embed"

// Source has the source of this package and of package codec, by path in the folder, test files included: with
// it the tool builds programs when it can't download the module. Other programs have no use for it.
//
//go:embed *.go codec/*.go internal/swap/*.go internal/swap/*.s
var Source embed.FS
