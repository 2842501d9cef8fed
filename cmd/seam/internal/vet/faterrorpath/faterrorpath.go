// Package faterrorpath finds hot functions that carry much code for errors that don't happen.
package faterrorpath

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "fat-error-path",
	Title:    "a hot function of which much of the code builds errors in place",
	Severity: rule.Note,
	Since:    "0.9",
	Doc: `Code that makes an error where it is found stands between the instructions that run: the
function takes more of the processor's instruction cache, though the errors never happen. In
generated decoders this cost a tenth of the time.

Before:

	for i := range n {
		if x, err = r.i64(); err != nil {
			return fmt.Errorf("record %d, field %s: %w", i, name, err)
		}
		…

After:

	for i := range n {
		if x, err = r.i64(); err != nil {
			return wrap(i, name, err) // go:noinline
		}

Reported with a profile alone (--profile FILE): of functions that took a hundredth of its time
themselves, and of whose machine code, as the compiler makes it now, at least 512 bytes and a
quarter belong to statements that end in a returned error made by fmt.Errorf, fmt.Sprintf or
errors.New.`,
	Run: run,
}

// What is reported.
const (
	hot       = 0.01
	leastCode = 512
	leastPart = 0.25
)

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		f, ok := p.Info.Defs[d.Name].(*types.Func)
		if !ok {
			return
		}
		share := p.Measured.HotFunc(symbol(f))
		if share < hot {
			return
		}
		cold := coldLines(p, d)
		if len(cold) == 0 {
			return
		}
		total, bytes := 0, 0
		for line, n := range p.Measured.CodeOf(p.Types.Path(), symbol(f)) {
			total += n
			if cold[line] {
				bytes += n
			}
		}
		if bytes < leastCode || float64(bytes) < leastPart*float64(total) {
			return
		}
		p.Reportf(d.Name, rule.Note, "%s of the %s of this function's code make errors, and it takes %.1f %% of the profile's time: build them in a function of their own that isn't inlined",
			quantity.Format(float64(bytes), "B"), quantity.Format(float64(total), "B"), 100*share)
	})
}

// symbol is a function's name in profiles: pkg.F, pkg.T.F or pkg.(*T).F.
func symbol(f *types.Func) string {
	name := f.Name()
	if r := f.Signature().Recv(); r != nil {
		n := source.Named(r.Type())
		if n == nil {
			return ""
		}
		if _, pointer := types.Unalias(r.Type()).(*types.Pointer); pointer {
			name = fmt.Sprintf("(*%s).%s", n.Obj().Name(), name)
		} else {
			name = n.Obj().Name() + "." + name
		}
	}
	return f.Pkg().Path() + "." + name
}

// coldLines are the lines of blocks that end by returning an error which they make.
func coldLines(p *rule.Pass, d *ast.FuncDecl) map[measured.Line]bool {
	lines := map[measured.Line]bool{}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		b, ok := n.(*ast.BlockStmt)
		if !ok || b == d.Body || len(b.List) == 0 {
			return true
		}
		r, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
		if !ok || !makesError(p, b) {
			return true
		}
		from, to := p.Position(b.Lbrace), p.Position(r.End())
		for i := from.Line + 1; i <= to.Line; i++ {
			lines[measured.Line{File: filepath.Base(from.Filename), Line: i}] = true
		}
		return false
	})
	return lines
}

func makesError(p *rule.Pass, b *ast.BlockStmt) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && (p.Calls(call, "fmt", "Errorf") || p.Calls(call, "fmt", "Sprintf") || p.Calls(call, "errors", "New")) {
			found = true
		}
		return !found
	})
	return found
}
