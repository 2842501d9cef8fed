package rewrite

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
)

// Passes weld: they turn each C wrapper of a leaf into a slot, which knows how the
// function is to be called, and have the Go stub call what is in it; that of a coro function too. The stubs of
// bounded functions wait for a place and then call C as before.
func (l *Leaves) Passes() []cgofile.Pass {
	return []cgofile.Pass{
		l.selectFunctions,
		l.declareRuntime, // in Go
		l.includeHeaders,
		l.enterFromC,
		l.makeSlots,    // in C
		l.callSlots,    // in Go
		l.keepBlocks,   // in C
		l.reuseStrings, // in Go
		l.dropChecks,
		l.appendSlowPath,
		l.defineBounds, // in C
		l.enterBounds,  // in Go
		l.makeParked,   // in C
		l.callParked,   // in Go
		l.findFixed,    // in C
		l.viewStrings,  // in Go
	}
}

// declareRuntime tells Go of the run-time.
func (l *Leaves) declareRuntime(p *cgofile.Package) error {
	p.Gotypes.Append(leaf.Declarations)
	return nil
}

// includeHeaders gives every C file with a leaf the run-time's declarations, and one file
// of the package its definitions and the package's bounds.
func (l *Leaves) includeHeaders(p *cgofile.Package) error {
	const declarations = "#include \"" + leaf.HeaderName + "\"\n"
	with := map[*cgofile.Wrappers]bool{p.Export(): true}
	p.Export().Insert(declarations + "#include \"" + leaf.ImplementationName + "\"\n")
	include := func(s *cgofile.Stub) {
		if file, _ := p.Wrapper(s); !with[file] {
			with[file] = true
			file.Insert(declarations)
		}
	}
	l.directStubs(p, include)
	l.parkedStubs(p, include)
	p.Headers = leaf.C()
	return nil
}

// slot is the C name of a wrapper's slot, and body that of the wrapper itself from
// now on: unique like the wrapper's old name, which has a hash of the package in it.
func slot(symbol string) string { return body(symbol) + "_slot" }
func body(symbol string) string { return strings.Replace(symbol, "_cgo_", "_seam_", 1) }
