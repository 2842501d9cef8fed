// Package tracer carries the run-time of traced programs: the C that becomes a
// part of every traced package and the Go that becomes a part of package
// runtime/cgo, which every package that calls C imports.
package tracer

import _ "embed"

// The files, as they are put into a build.
var (
	// Header is what the C wrappers need, Implementation what one file of every
	// package has besides.
	//go:embed c/seam_trace.h
	Header []byte
	//go:embed c/seam_trace_impl.h
	Implementation []byte

	// Go is the Go side, for package runtime/cgo. Callers is the part that
	// imports package runtime.
	//go:embed rt/tracer.go.txt
	Go []byte
	//go:embed rt/callers.go.txt
	Callers []byte
)

// Names of the C files, beside those that cgo generates.
const (
	HeaderName         = "seam_trace.h"
	ImplementationName = "seam_trace_impl.h"
)

// Known tells whether programs can be traced on a system.
func Known(goos, goarch string) bool {
	return goos == "linux" && (goarch == "amd64" || goarch == "arm64")
}
