package leaks

import (
	"embed"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Passes make a program whose C blocks are tracked: Go stubs that allocate or free
// tell of the block, and the program gets a free and a realloc of its own.
var Passes = []cgofile.Pass{
	selectFunctions,
	encloseStubs, // in Go
	addRuntime,   // in C
}

// Transform builds such programs.
func Transform() toolexec.Transform { return leaks.Runtime.Transform(Passes, source) }

// source is that of the passes.
//
//go:embed pass*.go
var source embed.FS

// selectFunctions selects those of libc that allocate or free.
func selectFunctions(p *cgofile.Package) error {
	goos, goarch := toolexec.Target()
	known := bundle.Known(goos, goarch)
	for _, f := range p.Functions() {
		a, allocates := allocators[f.Name]
		params, frees := frees[f.Name]
		switch {
		case !allocates && !frees:
		case !known:
			p.Skip(f.Name, "seam leaks works on linux/amd64 and linux/arm64 only, this is "+goos+"/"+goarch)
		case f.Reason != "":
			p.Skip(f.Name, f.Reason)
		case frees && !fits(f.Params, params), allocates && !(fits(f.Params, a.params) && fits([]string{f.Result}, a.result)):
			p.Skip(f.Name, "its type differs from that of libc's function")
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

// addRuntime gives the package the run-time, under a name of its own for Go.
func addRuntime(p *cgofile.Package) error {
	p.Export().Insert("#include \"" + leaks.HeaderName + "\"\nSEAM_LEAKS_PACKAGE(" + p.Stem() + ")\n")
	p.Gotypes.Append(fmt.Sprintf("\n//go:cgo_import_static %[1]s\n//go:linkname __cgofn_%[1]s %[1]s\nvar __cgofn_%[1]s byte\nvar _seam_leaks = unsafe.Pointer(&__cgofn_%[1]s)\n\nfunc init() { %[2]s.SeamLeaksBegin(_seam_leaks) }\n",
		p.Stem()+"_seam_leaks", p.Gotypes.ImportCgo()))
	p.Headers = leaks.Runtime.C()
	return nil
}
