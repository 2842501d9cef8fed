// Package trace carries the run-time of traced programs: the C that becomes a
// part of every traced package and the Go that becomes a part of package
// runtime/cgo, which every package that calls C imports.
package trace

import (
	"embed"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
)

//go:embed c/*.h
var headers embed.FS

// Go is the Go side, for package runtime/cgo; record.Callers goes with it.
//
//go:embed rt/tracer.go.txt
var Go []byte

// The C files that others include: HeaderName is what the C wrappers need,
// ImplementationName what one file of every package has besides.
const (
	HeaderName         = "seam_trace.h"
	ImplementationName = "seam_trace_impl.h"
)

// C returns the C files by name.
func C() map[string][]byte { return record.C(headers) }
