package frames

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A Builder builds packages to be looked at.
type Builder struct {
	Go    string   // the go command
	Dir   string   // that patterns are relative to
	Flags []string // for go build or go test
	Test  bool     // the test binaries of the packages, not programs

	// Run runs a go command for the user: its messages are theirs. Its error is
	// passed on.
	Run func(argv []string) error
}

// A target is a package that is built.
type target struct {
	path string // import path
	file string // what is built
}

// build builds packages into a folder.
func (b *Builder) build(ctx context.Context, work string, patterns []string) ([]target, error) {
	for _, f := range b.Flags {
		if name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); !strings.HasPrefix(f, "-") || name == "o" || name == "c" || name == "n" {
			return nil, fmt.Errorf("--build %s: not a go build flag that can be used here (want for example --build=-race)", f)
		}
	}
	packages, err := gotool.List(ctx, b.Go, b.Dir, b.Flags, patterns...)
	if err != nil {
		return nil, err
	}
	var list []target
	for _, p := range packages {
		if p.Name != "main" && !b.Test {
			continue
		}
		list = append(list, target{p.ImportPath, filepath.Join(work, fmt.Sprint(len(list)))})
	}
	if len(list) == 0 {
		if len(packages) == 0 {
			return nil, fmt.Errorf("no package matches %s", strings.Join(patterns, " "))
		}
		return nil, fmt.Errorf("%s: no package main, so there is no program to look at; --test looks at the test binary", strings.Join(patterns, " "))
	}
	var built []target
	for _, t := range list {
		argv := []string{b.Go, "build"}
		if b.Test {
			argv = []string{b.Go, "test", "-c"}
		}
		argv = append(argv, b.Flags...)
		what := []string{t.path}
		if t.path == "command-line-arguments" {
			what = patterns // files of a package
		}
		if err := b.Run(append(append(argv, "-o", t.file), what...)); err != nil {
			return nil, err
		}
		if _, err := os.Stat(t.file); err != nil {
			if b.Test { // go test -c writes nothing where there are no tests
				continue
			}
			return nil, fmt.Errorf("the go command built %s and wrote nothing: %w", t.path, err)
		}
		built = append(built, t)
	}
	if len(built) == 0 {
		return nil, fmt.Errorf("%s: no package has tests", strings.Join(patterns, " "))
	}
	return built, nil
}

// Run looks at programs that are there (binaries), or builds packages and looks at
// those. progress is told what is done.
func Run(ctx context.Context, b *Builder, packages, binaries []string, o Options, seam string) (*Report, error) {
	r := &Report{Seam: seam, Panics: o.Panics, Binaries: []Binary{}}
	for _, path := range binaries {
		bin, err := Analyse(path, o)
		if err != nil {
			return nil, err
		}
		bin.Path = path
		r.Binaries = append(r.Binaries, *bin)
	}
	if len(binaries) > 0 {
		return r, nil
	}
	work, err := os.MkdirTemp("", "seam-frames-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	targets, err := b.build(ctx, work, packages)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		bin, err := Analyse(t.file, o)
		if err != nil {
			// The name of a temporary file means nothing to anyone.
			return nil, fmt.Errorf("%s: %w", t.path, errors.New(strings.TrimPrefix(err.Error(), t.file+": ")))
		}
		bin.Package, bin.Test = t.path, b.Test
		r.Binaries = append(r.Binaries, *bin)
		os.Remove(t.file) // the folder may be in memory
	}
	return r, nil
}
