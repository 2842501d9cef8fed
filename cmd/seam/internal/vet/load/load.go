// Package load reads packages for seam vet: those that were asked for, and what they import,
// from source. Nothing is compiled by the go command: of a package with C in it cgo alone is
// run, and gcc for what it knows about the C.
package load

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Program is a set of packages with types.
type Program struct {
	Packages []*packages.Package       // those that were asked for
	C        map[string]*csource.Facts // by import path
	Problems []string                  // what could not be known, and why
	Unseen   map[string]string         // those of Problems that are about C, by import path
	Broken   map[string]string         // those that are about Go which doesn't compile
}

// Options say how to load.
type Options struct {
	GOARCH string
	Go     string // the language, as go.mod says it, or ""
	Cache  *filecache.Cache
}

// Load gives types to the packages of a list that has their dependencies too, in the order
// of [gotool.List] with -deps.
func Load(ctx context.Context, list []gotool.Package, o Options) (*Program, error) {
	l := &loader{
		Options: o, ctx: ctx, fset: token.NewFileSet(), done: map[string]*packages.Package{}, types: map[string]*types.Package{},
		prog: &Program{C: map[string]*csource.Facts{}, Unseen: map[string]string{}, Broken: map[string]string{}}, sizes: types.SizesFor("gc", o.GOARCH),
	}
	if l.sizes == nil {
		return nil, fmt.Errorf("the sizes of types for GOARCH=%s are not known", o.GOARCH)
	}
	cgo := make([]chan made, len(list))
	for i := range cgo {
		cgo[i] = make(chan made, 1)
	}
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { l.generate(list, cgo) }) // it waits for other processes, mostly
	files := l.parse(list)
	for i, p := range list {
		var m made
		if needsCgo(p) {
			m = <-cgo[i] // the packages before the first of these are checked meanwhile
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := l.check(p, files[i], m); err != nil {
			return nil, err
		}
	}
	slices.Sort(l.prog.Problems)
	l.prog.Problems = slices.Compact(l.prog.Problems)
	return l.prog, nil
}

type loader struct {
	Options
	ctx   context.Context
	fset  *token.FileSet
	sizes types.Sizes
	types map[string]*types.Package
	done  map[string]*packages.Package // those with bodies
	prog  *Program
}

// whole reports whether a package's functions are looked into, and not only their types.
func whole(p gotool.Package) bool {
	return !p.DepOnly || !p.Standard && p.UsesCgo()
}

// parsed is what parsing the files of a package has given.
type parsed struct {
	files []*ast.File
	errs  []error
}

// parse parses all files, several at a time.
func (l *loader) parse(list []gotool.Package) []parsed {
	result := make([]parsed, len(list))
	var group sync.WaitGroup
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	for i, p := range list {
		if p.ImportPath == "unsafe" || l.ctx.Err() != nil {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			mode := parser.SkipObjectResolution
			if whole(p) {
				mode |= parser.ParseComments
			}
			for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
				f, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, name), nil, mode)
				if err != nil {
					result[i].errs = append(result[i].errs, err)
				}
				if f != nil {
					result[i].files = append(result[i].files, f)
				}
			}
		})
	}
	group.Wait()
	return result
}

// needsCgo reports whether a package's C is looked at.
func needsCgo(p gotool.Package) bool { return p.UsesCgo() && !p.Standard }

// generate runs cgo for the packages that need it, several at a time, the largest first: none
// of them is waited for alone at the end. Each of them gets an answer.
func (l *loader) generate(list []gotool.Package, result []chan made) {
	size, order := make([]int64, len(list)), make([]int, len(list))
	for i, p := range list {
		size[i], order[i] = sizeOf(p), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, i := range order {
		p := list[i]
		if !needsCgo(p) {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if l.ctx.Err() != nil {
				result[i] <- made{err: l.ctx.Err()}
			} else {
				result[i] <- l.make(p, true)
			}
		})
	}
	group.Wait()
}

// sizeOf is how many bytes of a package go to cgo and compilers.
func sizeOf(p gotool.Package) (bytes int64) {
	if !needsCgo(p) {
		return 0
	}
	for _, name := range slices.Concat(p.CgoFiles, p.CFiles, p.CXXFiles) {
		if info, err := os.Stat(filepath.Join(p.Dir, name)); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

func (l *loader) check(p gotool.Package, files parsed, m made) error {
	if p.ImportPath == "unsafe" {
		return nil
	}
	c := source.Config{Importer: l, Sizes: l.sizes, Signatures: !whole(p), Fake: true}
	if l.Go != "" && !p.Standard && p.Module != nil && p.Module.Main {
		c.Go = "go" + l.Go
	}
	all := files.files
	if needsCgo(p) {
		if m.err != nil {
			l.prog.C[p.ImportPath] = csource.FromText(p)
		} else {
			f, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, "_cgo_gotypes.go"), m.gotypes, parser.SkipObjectResolution)
			if err != nil {
				return fmt.Errorf("%s: what cgo wrote can't be read: %w", p.ImportPath, err)
			}
			all, c.Fake = append(slices.Clip(all), f), false
			l.prog.C[p.ImportPath] = m.facts
		}
	}
	pkg, info, errs := source.Check(p.ImportPath, l.fset, all, c)
	if len(errs) > 0 && m.together {
		return l.check(p, files, l.make(p, false)) // a name may mean something else in another file's C
	}
	if problem := m.problem(p); problem != "" && needsCgo(p) {
		l.prog.Problems = append(l.prog.Problems, problem)
		l.prog.Unseen[p.ImportPath] = problem
	}
	l.types[p.ImportPath] = pkg
	if !whole(p) || pkg == nil || len(all) == 0 { // a folder that isn't there, or of another module
		return nil
	}
	result := &packages.Package{
		// A file without a package clause has no name; the driver of the rules wants one.
		ID: p.ImportPath, Name: cmp.Or(p.Name, "_"), PkgPath: p.ImportPath, Dir: p.Dir, Fset: l.fset,
		Syntax: all, Types: pkg, TypesInfo: info, TypesSizes: l.sizes, Imports: map[string]*packages.Package{},
	}
	for _, i := range pkg.Imports() {
		if d := l.done[i.Path()]; d != nil {
			result.Imports[i.Path()] = d
		}
	}
	if c.Fake && p.UsesCgo() {
		errs = nil // what is C's has no type, which is said already or, of the standard library, is no news
	}
	// Errors of types may come of C that isn't seen, in this package or in one that it imports.
	broken := len(files.errs) > 0 || len(errs) > 0 && len(l.prog.Unseen) == 0
	errs = append(files.errs, errs...)
	if len(errs) > 0 && !p.DepOnly {
		problem := fmt.Sprintf("%s has errors, so not everything in it is seen: %v", p.ImportPath, errs[0])
		l.prog.Problems = append(l.prog.Problems, problem)
		if broken {
			l.prog.Broken[p.ImportPath] = problem
		}
	}
	l.done[p.ImportPath] = result
	if !p.DepOnly {
		l.prog.Packages = append(l.prog.Packages, result)
	}
	return nil
}

// Import finds a package among those that are checked already.
func (l *loader) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	for _, path := range []string{path, "vendor/" + path} {
		if p := l.types[path]; p != nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("package %s could not be loaded", path)
}

// made is what cgo has made of a package, and what its C does.
type made struct {
	gotypes  []byte
	facts    *csource.Facts
	together bool // cgo was run once for several files
	err      error
}

// problem says what keeps the C of a package from being seen, "" if nothing does.
func (m *made) problem(p gotool.Package) string {
	switch {
	case m.err != nil:
		return fmt.Sprintf("%s: what is C's has no type here: %v", p.ImportPath, gotool.Brief(m.err))
	case m.facts != nil && m.facts.Missing != "":
		return fmt.Sprintf("%s: what its C does is not known: %s", p.ImportPath, m.facts.Missing)
	}
	return ""
}

// Same reports whether the C that could not be seen of packages still can't be, and for the same
// reasons: what was missing may have been installed.
func Same(ctx context.Context, list []gotool.Package, unseen map[string]string, o Options) bool {
	l := &loader{Options: o, ctx: ctx}
	for _, p := range list {
		was, ok := unseen[p.ImportPath]
		if !ok {
			continue
		}
		m := l.make(p, true)
		if m.problem(p) != was {
			return false
		}
	}
	return ctx.Err() == nil
}

// make runs cgo, for several files at once if it may.
func (l *loader) make(p gotool.Package, together bool) (m made) {
	key, keyed := cgoKey(p)
	if keyed && m.load(l.Cache, key) && (together || !m.together) {
		return m
	}
	m = made{}
	dir, err := os.MkdirTemp("", "seam-vet-")
	if err != nil {
		return made{err: err}
	}
	defer os.RemoveAll(dir)
	if m.together, err = runCgo(l.ctx, p, dir, together); err != nil {
		return made{err: err}
	}
	if m.gotypes, err = os.ReadFile(filepath.Join(dir, "_cgo_gotypes.go")); err != nil {
		return made{err: err}
	}
	if m.facts, err = csource.Read(l.ctx, p, dir); err != nil {
		return made{err: err}
	}
	if keyed {
		m.store(l.Cache, key)
	}
	return m
}

// MainGo is the language version that a folder's go.mod asks for, or "".
func MainGo(gomod string) string {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "go" {
			return f[1]
		}
	}
	return ""
}
