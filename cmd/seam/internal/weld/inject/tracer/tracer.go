// Package tracer carries the run-time of traced programs: the C that becomes a
// part of every traced package and the Go that becomes a part of package
// runtime/cgo, which every package that calls C imports.
package tracer

import (
	"embed"
	"io/fs"
	"path"

	"github.com/seamgo/seam/cmd/seam/internal/weld/inject/macros"
	"github.com/seamgo/seam/cmd/seam/internal/weld/inject/record"
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

// C returns the C files by name. They lie beside those that cgo generates.
func C() map[string][]byte {
	files := record.C()
	names, err := fs.Glob(headers, "c/*.h")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, name := range names {
		text, err := headers.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		files[path.Base(name)] = macros.Shield(text)
	}
	return files
}
