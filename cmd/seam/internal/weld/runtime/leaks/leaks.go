// Package leaks carries the run-time of programs that are searched for leaks:
// the C that becomes a part of every package that allocates through cgo, with
// the program's free, and the Go that becomes a part of package runtime/cgo.
package leaks

import (
	"embed"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
)

//go:embed c/*.h
var headers embed.FS

// Go is the Go side, for package runtime/cgo; record.Callers goes with it.
//
//go:embed rt/leaks.go.txt
var Go []byte

// HeaderName is the C file that includes the others.
const HeaderName = "seam_leaks_impl.h"

// C returns the C files by name.
func C() map[string][]byte { return record.C(headers) }
