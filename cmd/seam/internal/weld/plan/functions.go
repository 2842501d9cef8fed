package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// Code is one package as it is now.
type Code struct {
	Package   gotool.Package
	Functions []cgofile.Function // that it calls in C, by name
	Build     string             // cgo's own hash over the package's Go files
	Exports   bool               // it exports Go functions
	GoString  bool               // it has C.GoString
	Strings   cgofile.Strings    // its calls of C.CString, if that and C.free are cgo's
	Proof     *callgraph.Package // nil if none was asked for or needed
}

// Source says what code to look at.
type Source struct {
	Go       string   // the go command
	Dir      string   // where it is run
	Flags    []string // build flags that decide which files belong to a package
	Packages []string // as for go list; packages without cgo are skipped
	Deps     bool     // and what they depend on, in their tests too

	Proof *callgraph.Options // nil for no proofs

	// Worth, if not nil, says whether a package's proofs matter: compiling C
	// takes time, and if no function is quick enough, no proof will make it
	// so.
	Worth func(importPath string) bool

	// Hint, if not nil, is told what else could be known.
	Hint func(text string)

	// Warn is told of packages that can't be looked at. They are left out.
	Warn func(text string)
}

// Current finds out which C functions the packages call now. Packages of
// the standard library are left out: they are never welded.
func Current(ctx context.Context, s Source) ([]Code, error) {
	if len(s.Packages) == 0 {
		return nil, nil
	}
	flags := slices.Clone(s.Flags)
	if s.Deps {
		flags = append(flags, "-deps", "-test")
	}
	list, err := gotool.List(ctx, s.Go, s.Dir, flags, s.Packages...)
	if err != nil {
		if len(list) == 0 || ctx.Err() != nil {
			return nil, err
		}
		s.Warn(err.Error())
	}
	work, err := os.MkdirTemp("", "seam-plan-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	var code []Code
	done := map[string]bool{}
	for _, p := range list {
		// With -test, packages come a second time, built for a test.
		p.ImportPath, _, _ = strings.Cut(p.ImportPath, " ")
		if p.Standard || !p.CallsC() || p.Error != nil || done[p.ImportPath] {
			continue
		}
		done[p.ImportPath] = true
		c, err := look(ctx, s, p, filepath.Join(work, fmt.Sprint(len(done))))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			s.Warn(err.Error())
			continue
		}
		code = append(code, *c)
	}
	slices.SortFunc(code, func(a, b Code) int { return strings.Compare(a.Package.ImportPath, b.Package.ImportPath) })
	return code, nil
}

// look runs cgo for one package.
func look(ctx context.Context, s Source, p gotool.Package, objdir string) (*Code, error) {
	if err := gotool.Generate(ctx, p, objdir); err != nil {
		return nil, err
	}
	g, err := cgofile.Load(objdir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	c := &Code{Package: p, Functions: g.Functions(), Exports: len(g.Exports) > 0, GoString: g.Gotypes.GoString}
	if g.Gotypes.CString {
		if c.Strings, err = g.Strings(); err != nil {
			return nil, fmt.Errorf("package %s: %w", p.ImportPath, err)
		}
	}
	for _, stub := range g.Gotypes.Stubs {
		// _cgo_0123456789ab_Cfunc_name
		if rest, ok := strings.CutPrefix(stub.Symbol, "_cgo_"); ok {
			c.Build, _, _ = strings.Cut(rest, "_")
			break
		}
	}
	if s.Proof != nil && len(c.Functions) > 0 && (s.Worth == nil || s.Worth(p.ImportPath)) {
		if c.Proof, err = callgraph.Prove(ctx, p, objdir, *s.Proof); err != nil {
			return nil, fmt.Errorf("package %s: %w", p.ImportPath, err)
		}
		if c.Proof.Missing != "" {
			s.Warn(fmt.Sprintf("package %s: no proofs, the trace alone decides: %s", p.ImportPath, c.Proof.Missing))
		}
		if c.Proof.Blind && s.Hint != nil {
			s.Hint(fmt.Sprintf("package %s: clang doesn't say where pointers come from, so every call through one may be a call of Go; there may be more leaves with: CC=gcc seam plan", p.ImportPath))
		}
	}
	return c, errors.Join(os.RemoveAll(objdir))
}
