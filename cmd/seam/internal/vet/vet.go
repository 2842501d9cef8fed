// Package vet is seam vet: it finds unsafe, leaking and costly use of C in Go source.
//
// Its rules are analysers of golang.org/x/tools/go/analysis, a folder each, with the list in
// [Rules]. Four packages carry them: source shows a package as its author wrote it, values tells
// where values come from, flow follows them along the ways of a function, and ownership tells who
// must free what, with csource, which reads the C. [Run] is the driver behind the verb.
package vet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/load"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Options say what to search.
type Options struct {
	Go       string // the go command
	Dir      string // where it runs
	Flags    []string
	Packages []string
	Rules    []*rule.Rule
	Deps     bool // search what the packages import too, where that has C
	Config   *Config
	Cache    *filecache.Cache
	Measured *measured.Facts // what rules may quote; may be nil
	Seam     string          // the version of seam
}

// leavesOutC reports whether a package that is to be searched has files with import "C" that aren't built.
func leavesOutC(p gotool.Package) bool {
	return !p.DepOnly && slices.ContainsFunc(p.IgnoredGoFiles, func(name string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		return err == nil && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
	})
}

// Run searches packages. What can't be known is no error: the report says it.
func Run(ctx context.Context, o Options) (*Report, error) {
	env, err := gotool.ReadEnv(ctx, o.Go, o.Dir)
	if err != nil {
		return nil, err
	}
	list, listErr := gotool.List(ctx, o.Go, o.Dir, append([]string{"-deps"}, o.Flags...), o.Packages...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if env.CGO_ENABLED == "0" && slices.ContainsFunc(list, leavesOutC) { // programs with package dl have no such files
		return nil, errors.New("CGO_ENABLED is 0 (set so, or as no C compiler is found, or GOOS and GOARCH are another system's): files that import \"C\" would be left out, and nothing found in them; set CGO_ENABLED=1 and CC")
	}
	if len(list) == 0 {
		return nil, cmp.Or(listErr, errors.New("there is no package to search"))
	}
	if listErr != nil && !slices.ContainsFunc(list, func(p gotool.Package) bool { return !p.DepOnly && len(p.GoFiles)+len(p.CgoFiles) > 0 }) {
		return nil, listErr // nothing of what was asked for is there
	}
	r := &Report{Seam: o.Seam}
	if o.Deps {
		for i, p := range list {
			list[i].DepOnly = p.DepOnly && !hasC(p)
		}
	}
	key := keysOf(list, o)
	loading := load.Options{GOARCH: env.GOARCH, Go: load.MainGo(env.GOMOD), Cache: o.Cache}
	if k, ok := fromCache(o.Cache, key); ok && load.Same(ctx, list, k.Unseen, loading) {
		return r.conclude(o, k)
	}
	prog, err := load.Load(ctx, list, loading)
	if err != nil {
		return nil, err
	}
	k := kept{Problems: prog.Problems, Unseen: prog.Unseen, Broken: len(prog.Broken) > 0 || listErr != nil}
	if k.Findings, err = analyse(prog, o); err != nil {
		return nil, err
	}
	own := ownFiles(list, env)
	for i := range k.Findings {
		own.mark(&k.Findings[i])
	}
	if listErr != nil { // it says best what the packages' own errors come of
		k.Problems = slices.DeleteFunc(slices.Clone(k.Problems), func(s string) bool { return slices.Contains(slices.Collect(maps.Values(prog.Broken)), s) })
		k.Problems = append([]string{gotool.Brief(listErr).Error()}, k.Problems...)
	}
	for _, p := range list {
		switch {
		case !p.DepOnly:
			k.Packages++
			k.WithC = k.WithC || p.UsesCgo()
		case hasC(p):
			k.Elsewhere = append(k.Elsewhere, p.ImportPath)
		}
	}
	for _, p := range prog.Packages {
		whole := !slices.ContainsFunc(prog.Problems, func(s string) bool { return strings.HasPrefix(s, p.PkgPath+":") || strings.HasPrefix(s, p.PkgPath+" ") })
		for _, f := range p.Syntax {
			for _, i := range rule.Ignores(p.Fset, f) {
				k.Ignores = append(k.Ignores, ignore{i, p.PkgPath, whole})
			}
		}
	}
	toCache(o.Cache, key, k)
	return r.conclude(o, k)
}

// hasC reports whether a package has C of its own, or of a library that it is written for.
func hasC(p gotool.Package) bool { return !p.Standard && p.UsesCgo() }

// analyse runs the rules on the packages of a program.
func analyse(prog *load.Program, o Options) ([]Finding, error) {
	rules := o.Rules
	analyzers := Analyzers(rules, func(path string) *csource.Facts { return prog.C[path] }, o.Measured)
	for _, p := range prog.Packages {
		p.IllTyped = false // what has no type is passed over
	}
	graph, err := checker.Analyze(analyzers, prog.Packages, nil)
	if err != nil {
		return nil, err
	}
	byName := map[string]*rule.Rule{}
	for i, a := range analyzers {
		byName[a.Name] = rules[i]
	}
	var all []Finding
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("rule %s on %s: %w", byName[act.Analyzer.Name].Name, act.Package.PkgPath, act.Err)
		}
		for _, d := range act.Diagnostics {
			all = append(all, newFinding(act.Package, byName[act.Analyzer.Name], d))
		}
	}
	slices.SortFunc(all, inOrder)
	return slices.CompactFunc(all, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.File == b.File && a.Line == b.Line && a.Column == b.Column && a.Message == b.Message
	}), nil
}

// inOrder compares findings as they are shown.
func inOrder(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
}

func newFinding(p *packages.Package, r *rule.Rule, d analysis.Diagnostic) Finding {
	at, end := p.Fset.Position(d.Pos), p.Fset.Position(d.End)
	f := Finding{
		Rule: r.Name, Severity: rule.Severity(d.Category), Message: d.Message, Package: p.PkgPath,
		File: at.Filename, Line: at.Line, Column: at.Column, EndLine: end.Line, EndColumn: end.Column,
	}
	for _, x := range d.Related {
		f.Also = append(f.Also, alsoAt(p.Fset.Position(x.Pos), x.Message))
	}
	for _, x := range d.SuggestedFixes {
		if writtenElsewhere(p, d.Pos) {
			break
		}
		fix := Fix{Message: x.Message}
		for _, e := range x.TextEdits {
			from := p.Fset.Position(e.Pos)
			fix.Edits = append(fix.Edits, Edit{File: from.Filename, Start: from.Offset, End: p.Fset.Position(e.End).Offset, New: string(e.NewText)})
		}
		f.Fixes = append(f.Fixes, fix)
	}
	return f
}

// writtenElsewhere reports whether a file is made by a program, so that a change of it would be
// lost, or land in what it is made of, which its lines may name as their place.
func writtenElsewhere(p *packages.Package, at token.Pos) bool {
	if p.Fset.PositionFor(at, false).Filename != p.Fset.Position(at).Filename {
		return true
	}
	i := slices.IndexFunc(p.Syntax, func(f *ast.File) bool { return f.FileStart <= at && at < f.FileEnd })
	return i >= 0 && ast.IsGenerated(p.Syntax[i])
}

func alsoAt(at token.Position, message string) Also {
	return Also{File: at.Filename, Line: at.Line, Column: at.Column, Message: message}
}

// relative makes a file's name short for people.
func relative(dir, file string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(abs, file); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return file
}

// workingDir is where names are relative to.
func workingDir(dir string) string {
	if dir != "" {
		return dir
	}
	wd, err := os.Getwd()
	if err != nil {
		return "."
	}
	return wd
}
