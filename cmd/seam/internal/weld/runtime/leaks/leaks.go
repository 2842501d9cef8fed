// Package leaks carries the run-time of programs that are searched for leaks:
// the C that becomes a part of every package that allocates through cgo, with
// the program's free, and the Go that becomes a part of package runtime/cgo.
package leaks

import (
	"embed"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
)

var (
	//go:embed c/*.h
	headers embed.FS
	//go:embed rt/leaks.go
	source []byte
)

// Runtime is all of it.
var Runtime = record.Runtime{Name: "leaks", Headers: []embed.FS{headers}, Go: source}

// HeaderName is the C file that includes the others.
const HeaderName = "seam_leaks_impl.h"
