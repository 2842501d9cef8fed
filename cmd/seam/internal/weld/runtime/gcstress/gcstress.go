// Package gcstress carries the run-time of programs in which the garbage collector
// runs at calls of C, and finalizers and cleanups with it: the C that becomes a part
// of every package that calls C, and the Go that becomes a part of package
// runtime/cgo.
package gcstress

import (
	"embed"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
)

var (
	//go:embed c/*.h
	headers embed.FS
	//go:embed rt/gcstress.go
	source []byte
	//go:embed rt/collector.go
	collector []byte
)

// Runtime is all of it.
var Runtime = record.Runtime{Name: "gcstress", Headers: []embed.FS{headers}, Go: source, WithRuntime: collector}

// HeaderName is the C file that includes the others.
const HeaderName = "seam_stress_impl.h"
