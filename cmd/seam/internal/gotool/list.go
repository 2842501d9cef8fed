package gotool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Package is what go list says about one package. File names are relative to
// Dir.
type Package struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	DepOnly    bool // a dependency of a package that was asked for
	Module     *Module

	GoFiles, CgoFiles         []string
	IgnoredGoFiles            []string // by build constraints, or as they import "C" without cgo
	CFiles, CXXFiles, MFiles  []string
	HFiles, FFiles, SFiles    []string
	SwigFiles, SwigCXXFiles   []string
	TestGoFiles, XTestGoFiles []string
	CgoCFLAGS, CgoCPPFLAGS    []string // of #cgo lines, ${SRCDIR} expanded
	CgoCXXFLAGS, CgoLDFLAGS   []string
	CgoPkgConfig              []string
	Error                     *PackageError
	DepsErrors                []*PackageError

	env   *cgoEnv  // of the folder it was listed in
	flags []string // it was listed with
}

// Module is where a package comes from.
type Module struct {
	Path, Version, Dir string
	Main               bool
}

// PackageError is what is wrong with a package.
type PackageError struct {
	Pos string // "file:line:col", or ""
	Err string
}

// UsesCgo reports whether the package has files that import "C".
func (p *Package) UsesCgo() bool { return len(p.CgoFiles) > 0 }

// UsesSwig reports whether SWIG generates some of the package's cgo files.
func (p *Package) UsesSwig() bool { return len(p.SwigFiles)+len(p.SwigCXXFiles) > 0 }

// CallsC reports whether cgo processes the package: files of its own, or those that SWIG
// generates.
func (p *Package) CallsC() bool { return p.UsesCgo() || p.UsesSwig() }

// listed are the fields of go list's answer that Package has. Asking for fewer
// makes go list quicker.
const listed = "ImportPath,Name,Dir,Standard,DepOnly,Module,GoFiles,CgoFiles,IgnoredGoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles," +
	"SwigFiles,SwigCXXFiles,TestGoFiles,XTestGoFiles,CgoCFLAGS,CgoCPPFLAGS,CgoCXXFLAGS,CgoLDFLAGS,CgoPkgConfig,Error,DepsErrors"

// List asks the go command for packages: flags are the build flags that decide
// which files belong to a package (-tags, -mod, -modfile, -race …) and go list's
// own, like -deps and -test; patterns are as for go list. If some packages can't be loaded,
// the others are returned along with the error.
func List(ctx context.Context, goTool, dir string, flags []string, patterns ...string) ([]Package, error) {
	env, err := readEnv[cgoEnv](ctx, goTool, dir, nil)
	if err != nil {
		return nil, err
	}
	args := slices.Concat([]string{goTool, "list", "-e", "-json=" + listed}, flags, []string{"--"}, patterns)
	out, err := Run(ctx, Cmd{Args: args, Dir: dir})
	if err != nil {
		return nil, err
	}
	var list []Package
	var wrong []error
	seen := map[PackageError]bool{} // a dependency's error comes with every package that needs it
	add := func(e *PackageError) {
		if e == nil || seen[*e] {
			return
		}
		seen[*e] = true
		text := strings.TrimSpace(e.Err)
		if e.Pos != "" {
			text = e.Pos + ": " + text
		}
		wrong = append(wrong, errors.New(text))
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the answer of %s list is not JSON: %w", goTool, err)
		}
		add(p.Error)
		for _, e := range p.DepsErrors {
			add(e)
		}
		p.env, p.flags = env, ownFlags(flags)
		list = append(list, p)
	}
	return list, errors.Join(wrong...)
}

// ownFlags are the build flags among flags, without go list's own.
func ownFlags(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool {
		switch strings.TrimPrefix(f, "-") {
		case "-deps", "-test", "-find", "-e", "deps", "test", "find", "e":
			return true
		}
		return false
	})
}
