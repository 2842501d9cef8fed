package trace

import (
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Instrument is the transform that makes a traced program.
type Instrument struct{}

// ID names the tracer.
func (Instrument) ID() string { return "trace" }

// Runtime is the tracer's Go side.
func (Instrument) Runtime(goarch string) (toolexec.Runtime, error) { return toolexec.Runtime{}, nil }

// Package encloses every C call.
func (Instrument) Package(importPath string, g *cgofile.Generated) (toolexec.Result, error) {
	return toolexec.Result{}, nil
}
