// Command typecheck makes sure that packages and their tests compile for systems that
// can't be run here.
//
//	go run ./internal/typecheck -for darwin/arm64,windows/amd64 ./... ./cmd/seam/...
//
// It checks the types of all packages, dependencies and standard library included,
// from source. The go command would compile the standard library for each system
// first, which takes a minute of a processor where this takes three seconds.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	systems := flag.String("for", runtime.GOOS+"/"+runtime.GOARCH, "`GOOS/GOARCH`, several separated by commas")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./internal/typecheck [flags] PACKAGE…")
		flag.PrintDefaults()
	}
	flag.Parse()
	failed := false
	for system := range strings.SplitSeq(*systems, ",") {
		if err := check(context.Background(), system, flag.Args()); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", system, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// A listed package is one that go list printed.
type listed struct {
	ImportPath, ForTest, Dir string
	GoFiles, CgoFiles        []string
	ImportMap                map[string]string
	DepOnly                  bool
	Module                   *struct{ GoVersion string }
	Error                    *struct{ Err string }
}

// check checks the packages for one system, and returns all errors.
func check(ctx context.Context, system string, patterns []string) error {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return errors.New("not GOOS/GOARCH")
	}
	packages, err := list(ctx, goos, goarch, patterns)
	if err != nil {
		return err
	}
	c := checker{types.SizesFor("gc", goarch), token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}}
	var errs []error
	for _, p := range packages { // dependencies come first
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue // no source, or the main package of a test, which the go command writes
		}
		errs = append(errs, c.check(p)...)
	}
	return errors.Join(errs...)
}

// list lists the packages, their tests and all they depend on.
func list(ctx context.Context, goos, goarch string, patterns []string) (packages []*listed, err error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,ForTest,Dir,GoFiles,CgoFiles,ImportMap,DepOnly,Module,Error"}, patterns)...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, errors.Join(err, cmd.Wait())
		}
		packages = append(packages, &p)
	}
	return packages, cmd.Wait()
}

type checker struct {
	sizes   types.Sizes
	files   *token.FileSet
	checked map[string]*types.Package // by the path that go list prints
}

func (c *checker) check(p *listed) (errs []error) {
	fail := func(err error) { errs = append(errs, err) }
	if p.Error != nil && !p.DepOnly && !strings.Contains(p.Error.Err, "build constraints exclude all Go files") {
		fail(fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err))
	}
	var files []*ast.File
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			fail(err)
			continue
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return errs
	}
	config := types.Config{
		Sizes:            c.sizes,
		Importer:         importer(func(path string) (*types.Package, error) { return c.imported(p, path) }),
		FakeImportC:      true, // C.x is taken as it comes
		IgnoreFuncBodies: p.DepOnly,
		Error:            fail,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // of "a [a.test]"
	c.checked[p.ImportPath], _ = config.Check(path, c.files, files, nil)
	return errs
}

func (c *checker) imported(by *listed, path string) (*types.Package, error) {
	if mapped, ok := by.ImportMap[path]; ok {
		path = mapped
	}
	if p := c.checked[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s was not listed", path)
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
