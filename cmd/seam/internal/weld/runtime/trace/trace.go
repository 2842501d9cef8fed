// Package trace carries the run-time of traced programs: the C that becomes a
// part of every traced package and the Go that becomes a part of package
// runtime/cgo, which every package that calls C imports.
package trace

import (
	"embed"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
)

var (
	//go:embed c/*.h
	headers embed.FS
	//go:embed rt/trace.go
	source []byte
	//go:embed watch/watch.c
	watch []byte
)

// Runtime is all of it.
var Runtime = record.Runtime{Name: "trace", Headers: []embed.FS{headers}, Go: source, Apart: watch}

// The C files that others include: HeaderName is what the C wrappers need,
// ImplementationName what one file of every package has besides.
const (
	HeaderName         = "seam_trace.h"
	ImplementationName = "seam_trace_impl.h"
)
