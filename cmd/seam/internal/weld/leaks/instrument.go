package leaks

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaks"
	inject "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Instrument is the transform that makes a program whose C blocks are tracked:
// Go stubs that allocate tell of the block, and the program gets a free and a
// realloc of its own.
type Instrument struct{}

var _ toolexec.Transform = Instrument{}

// source is what rewrites packages: what it writes depends on it.
//
//go:embed instrument*.go
var source embed.FS

// ID names the transform and covers its run-time.
func (Instrument) ID() string { return inject.ID("leaks", source, leaks.C(), leaks.Go) }

// Runtime is the Go side.
func (Instrument) Runtime(goarch string) (toolexec.Runtime, error) {
	return toolexec.Runtime{Go: leaks.Go, WithRuntime: inject.Callers}, nil
}

// An allocator is a function of libc whose result is for free.
type allocator struct {
	params string // kinds: n is a number, p a pointer
	result string
	block  string // Go expression for the block
	size   string
}

// allocators are those that are known, by name. #0 stands for the name of the
// first parameter.
var allocators = map[string]allocator{
	cgofile.Malloc:   {"n", "p", "r1", "uint64(#0)"},
	"calloc":         {"nn", "p", "r1", "uint64(#0) * uint64(#1)"},
	"realloc":        {"pn", "p", "r1", "uint64(#1)"},
	"reallocarray":   {"pnn", "p", "r1", "uint64(#1) * uint64(#2)"},
	"aligned_alloc":  {"nn", "p", "r1", "uint64(#1)"},
	"memalign":       {"nn", "p", "r1", "uint64(#1)"},
	"valloc":         {"n", "p", "r1", "uint64(#0)"},
	"posix_memalign": {"pnn", "n", "*(*unsafe.Pointer)(unsafe.Pointer(#0))", "uint64(#2)"},
	"strdup":         {"p", "p", "r1", "#text"},
	"strndup":        {"pn", "p", "r1", "#text"},
}

// frees are the functions whose first argument is a block that may end there.
var frees = map[string]string{"free": "p", "realloc": "pn", "reallocarray": "pnn"}

// Package tracks the allocations of a package.
func (Instrument) Package(importPath string, g *cgofile.Generated) (toolexec.Result, error) {
	var r toolexec.Result
	goos, goarch := toolexec.Target()
	known := inject.Known(goos, goarch)
	p := &instrumented{g: g}
	for i := range g.Gotypes.Stubs {
		s := &g.Gotypes.Stubs[i]
		_, allocates := allocators[s.Name]
		_, ends := frees[s.Name]
		why := ""
		switch {
		case !allocates && !ends:
			continue
		case !known:
			why = "leaks can be searched on linux/amd64 and linux/arm64 only, this is " + goos + "/" + goarch
		case s.Reason != "":
			why = s.Reason
		case !p.stub(s):
			why = "its type is another than that of the function of libc"
		}
		// The form with errno is the same function.
		if left := (toolexec.Left{Func: s.Name, Reason: why}); why != "" && !slices.Contains(r.Left, left) {
			r.Left = append(r.Left, left)
		} else if why == "" && !slices.Contains(r.Done, s.Name) {
			r.Done = append(r.Done, s.Name)
		}
	}
	if p.stem == "" {
		return r, nil
	}
	export := g.Export()
	if export.Start == 0 {
		return r, fmt.Errorf("%s has no place for the run-time where cgo leaves one: this version of cgo is not known", export.Name)
	}
	export.Insert("#include \"" + leaks.HeaderName + "\"\nSEAM_LEAKS_PACKAGE(" + p.stem + ")\n")
	g.Gotypes.Append(fmt.Sprintf("\n//go:cgo_import_static %[1]s\n//go:linkname __cgofn_%[1]s %[1]s\nvar __cgofn_%[1]s byte\nvar _seam_leaks = unsafe.Pointer(&__cgofn_%[1]s)\n",
		p.stem+"_seam_leaks"))
	r.Files = leaks.C()
	return r, nil
}

// instrumented is a package that is being rewritten.
type instrumented struct {
	g    *cgofile.Generated
	stem string // "_cgo_22f1173705d1": how cgo begins all names of the package; "" as long as nothing was rewritten
}

// stub makes one stub tell of its block; false if its type is not what it should
// be.
func (p *instrumented) stub(s *cgofile.Stub) bool {
	stem, _, ok := strings.Cut(s.Symbol, "_C")
	if !ok {
		return false
	}
	params, ends := frees[s.Name]
	a, allocates := allocators[s.Name]
	if ends && !fits(s.ParamTypes, params) || allocates && (!fits(s.ParamTypes, a.params) || !fits([]string{s.Result}, a.result)) {
		return false
	}
	cgo := p.g.Gotypes.ImportCgo()
	before, after := "", ""
	if ends {
		before = fmt.Sprintf("%s.SeamLeaksFreeing(_seam_leaks, unsafe.Pointer(%s))\n\t", cgo, s.Params[0])
	}
	if allocates {
		names := []string{"#text", cgo + ".SeamLeaksText"}
		for i, name := range s.Params {
			names = append(names, fmt.Sprintf("#%d", i), name)
		}
		fill := strings.NewReplacer(names...)
		done := "r1 != nil"
		if a.result == "n" {
			done = "r1 == 0" // an error number
		}
		after = fmt.Sprintf("\n\tif %s {\n\t\t%s.SeamLeaksMade(_seam_leaks, unsafe.Pointer(%s), %s)\n\t}", done, cgo, fill.Replace(a.block), fill.Replace(a.size))
	}
	p.g.Gotypes.Enclose(s, before, after)
	p.stem = stem
	return true
}

// fits tells whether types are of the kinds.
func fits(types []string, kinds string) bool {
	if len(types) != len(kinds) {
		return false
	}
	for i, t := range types {
		isPointer := t == "unsafe.Pointer" || strings.HasPrefix(t, "*")
		if kinds[i] == 'p' && !isPointer || kinds[i] == 'n' && !slices.Contains(numbers, t) {
			return false
		}
	}
	return true
}

// numbers are the names that cgo has for what libc takes and gives.
var numbers = []string{"_Ctype_size_t", "_Ctype_ulong", "_Ctype_ulonglong", "_Ctype_uint", "_Ctype_int", "_Ctype_long", "uint64", "uint32"}
