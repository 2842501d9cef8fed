// Package gcstress builds programs in which the garbage collector runs at calls of C,
// with finalizers and cleanups, and reads what such a program has met: C memory that a
// finalizer frees while a call uses it.
package gcstress

import (
	"embed"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/gcstress"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Passes make such a program.
var Passes = []cgofile.Pass{
	selectFunctions,
	encloseStubs, // in Go
	addRuntime,   // in C
}

// Transform builds such programs.
func Transform() toolexec.Transform { return gcstress.Runtime.Transform(Passes, source) }

// source is that of the passes.
//
//go:embed pass*.go
var source embed.FS

// selectFunctions selects those that are given a pointer.
func selectFunctions(p *cgofile.Package) error {
	goos, goarch := toolexec.Target()
	if !bundle.Known(goos, goarch) {
		return cgofile.ErrSkipRest
	}
	given := map[string]bool{}
	for _, s := range p.Gotypes.Stubs {
		given[s.Name] = len(s.Pointers) > 0 && s.Name != cgofile.Malloc
	}
	for _, f := range p.Functions() {
		switch {
		case !given[f.Name]:
		case f.Reason != "":
			p.Skip(f.Name, f.Reason)
		default:
			p.Selected = append(p.Selected, f)
		}
	}
	if len(p.Selected) == 0 {
		return cgofile.ErrSkipRest
	}
	if p.Export().Start == 0 {
		return fmt.Errorf("%s has no place for the run-time where cgo leaves one: this version of cgo is not known", p.Export().Name)
	}
	return nil
}

// encloseStubs makes the stubs tell of their pointers. C may leave by a panic of Go that
// it has called, so the end is told by defer.
func encloseStubs(p *cgofile.Package) error {
	cgo := p.Gotypes.ImportCgo()
	p.Stubs(func(_ int, s *cgofile.Stub) {
		var pointers strings.Builder
		for _, name := range s.Pointers {
			fmt.Fprintf(&pointers, ", unsafe.Pointer(%s)", name)
		}
		p.Gotypes.Enclose(s, fmt.Sprintf("defer %[1]s.SeamStressLeave(%[1]s.SeamStressEnter(_seam_stress, %[2]q%[3]s))\n\t", cgo, s.Name, &pointers), "")
	})
	return nil
}

// addRuntime gives the package the run-time, under a name of its own for Go.
func addRuntime(p *cgofile.Package) error {
	p.Export().Insert("#include \"" + gcstress.HeaderName + "\"\nSEAM_STRESS_PACKAGE(" + p.Stem() + ")\n")
	p.Gotypes.Append(fmt.Sprintf("\n//go:cgo_import_static %[1]s\n//go:linkname __cgofn_%[1]s %[1]s\nvar __cgofn_%[1]s byte\nvar _seam_stress = unsafe.Pointer(&__cgofn_%[1]s)\n",
		p.Stem()+"_seam_stress"))
	p.Headers = gcstress.Runtime.C()
	return nil
}
