package gotool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// swig runs SWIG for p as the go command would (swigOne in cmd/go/internal/work), and
// returns the Go files that it writes, which cgo processes beside the package's own.
func (p *Package) swig(ctx context.Context, objdir string) ([]string, error) {
	if !p.UsesSwig() {
		return nil, nil
	}
	flags, err := p.compileFlags(ctx, objdir)
	if err != nil {
		return nil, err
	}
	var list []string
	for i, file := range slices.Concat(p.SwigFiles, p.SwigCXXFiles) {
		cxx := i >= len(p.SwigFiles)
		own := flags.c
		if cxx {
			own = flags.cxx
		}
		made, wrapper := swigOutputs(file, objdir)
		module := strings.TrimSuffix(file, filepath.Ext(file))
		args := []string{"swig", "-go", "-cgo", "-intgosize", "64", "-module", module, "-o", wrapper, "-outdir", objdir}
		for _, f := range slices.Concat(flags.cpp, own) {
			if len(f) > 3 && strings.HasPrefix(f, "-I") {
				args = append(args, f)
			}
		}
		if cxx {
			args = append(args, "-c++")
		}
		if _, err := Run(ctx, Cmd{Args: append(args, file), Dir: p.Dir, Env: p.env.forCgo()}); errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("its cgo files are made by SWIG, and there is no program swig in $PATH: install it (as go build needs it too)")
		} else if err != nil {
			return nil, err
		}
		if err := os.Rename(filepath.Join(objdir, module+".go"), made); err != nil {
			return nil, err
		}
		list = append(list, made)
	}
	return list, nil
}

// swigOutputs are what SWIG makes of a file for Go, under the name that the go command gives
// it, and for C or C++.
func swigOutputs(file, objdir string) (goFile, wrapper string) {
	ext := filepath.Ext(file)
	base := strings.TrimSuffix(file, ext)
	wrapped := "_wrap.c"
	if ext == ".swigcxx" {
		wrapped = "_wrap.cxx"
	}
	return filepath.Join(objdir, "_"+base+"_swig.go"), filepath.Join(objdir, base+wrapped)
}

// SwigWrappers are the C and C++ files that [Generate] had SWIG write into objdir.
func (p *Package) SwigWrappers(objdir string) (c, cxx []string) {
	for _, f := range p.SwigFiles {
		_, wrapper := swigOutputs(f, objdir)
		c = append(c, wrapper)
	}
	for _, f := range p.SwigCXXFiles {
		_, wrapper := swigOutputs(f, objdir)
		cxx = append(cxx, wrapper)
	}
	return c, cxx
}
