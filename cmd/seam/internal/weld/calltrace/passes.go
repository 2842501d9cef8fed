package calltrace

import (
	"embed"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Passes make a traced program: its C wrappers and Go stubs are enclosed, and Go
// functions that C calls leave a mark.
var Passes = []cgofile.Pass{
	selectFunctions,
	encloseStubs,    // in Go
	encloseWrappers, // in C
	listFunctions,   // the package's functions, for the C side
	markExports,     // entries from C into Go
}

// Transform builds traced programs.
func Transform() toolexec.Transform { return trace.Runtime.Transform(Passes, source) }

// source is that of the passes.
//
//go:embed pass*.go
var source embed.FS

// selectFunctions selects all functions whose form is known.
func selectFunctions(p *cgofile.Package) error {
	goos, goarch := toolexec.Target()
	known := bundle.Known(goos, goarch)
	for _, f := range p.Functions() {
		switch {
		case !known:
			p.Skip(f.Name, "programs can be traced on linux/amd64 and linux/arm64 only, this is "+goos+"/"+goarch)
		case f.Reason != "":
			p.Skip(f.Name, f.Reason)
		default:
			p.Selected = append(p.Selected, f)
		}
	}
	if !known {
		return cgofile.ErrSkipRest
	}
	if p.Export().Start == 0 {
		return fmt.Errorf("%s has no place for the tracer where cgo leaves one: this version of cgo is not known", p.Export().Name)
	}
	return nil
}

// markExports has Go functions note that C has called them, and that they return.
func markExports(p *cgofile.Package) error {
	for _, e := range p.Exports {
		p.Export().InsertAt(e.Entered, "\tSEAM_TRACE_MARK\n")
		if e.Left > 0 {
			p.Export().InsertAt(e.Left, "\tSEAM_TRACE_MARK_END\n")
		}
	}
	return nil
}
