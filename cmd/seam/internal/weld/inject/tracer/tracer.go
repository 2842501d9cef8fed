// Package tracer carries the run-time of traced programs: the C that becomes a
// part of every traced package and the Go that becomes a part of package
// runtime/cgo, which every package that calls C imports.
package tracer

import (
	"embed"
	"io/fs"
	"path"

	"github.com/seamgo/seam/cmd/seam/internal/weld/inject/macros"
)

//go:embed c/*.h
var headers embed.FS

// The Go side, for package runtime/cgo.
var (
	//go:embed rt/tracer.go.txt
	Go []byte

	// Callers is the part that imports package runtime.
	//go:embed rt/callers.go.txt
	Callers []byte
)

// The C files that others include: HeaderName is what the C wrappers need,
// ImplementationName what one file of every package has besides.
const (
	HeaderName         = "seam_trace.h"
	ImplementationName = "seam_trace_impl.h"
)

// C returns the C files by name. They lie beside those that cgo generates.
func C() map[string][]byte {
	files := map[string][]byte{}
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

// Known tells whether programs can be traced on a system.
func Known(goos, goarch string) bool {
	return goos == "linux" && (goarch == "amd64" || goarch == "arm64")
}
