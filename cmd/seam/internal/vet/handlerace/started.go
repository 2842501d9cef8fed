package handlerace

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// started looks for functions that free what a goroutine has which they have started.
func started(p *rule.Pass) {
	decls := p.Declarations()
	p.Functions(func(d *ast.FuncDecl) {
		if p.Types.Name() == "main" && d.Name.Name == "main" {
			return // the goroutines end with it
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			s, ok := n.(*ast.GoStmt)
			if !ok {
				return true
			}
			for v, use := range given(p, s, decls) {
				if fn := flow.Function(p.Package, s); fn != nil {
					freed(p, fn, s, v, use)
				}
			}
			return true
		})
	})
}

// given are the variables outside of a goroutine that it gives to C, with the calls.
func given(p *rule.Pass, s *ast.GoStmt, decls map[*types.Func]*ast.FuncDecl) map[*types.Var]ast.Node {
	all := map[*types.Var]ast.Node{}
	switch fn := flow.Started(p.Package, s, decls).(type) {
	case *ast.FuncLit:
		if flow.Any(fn.Body, func(n ast.Node) bool { return synchronises(p, n) }) {
			return nil
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				v, _ := p.Info.Uses[id].(*types.Var)
				if v != nil && !v.IsField() && v.Parent() != p.Types.Scope() && (v.Pos() < fn.Pos() || fn.End() < v.Pos()) {
					if _, uses := freesOrUses(p, flow.UseOf(p.Package, id)); uses {
						all[v] = id
					}
				}
			}
			return true
		})
	case *ast.FuncDecl:
		f, _ := p.Info.Defs[fn.Name].(*types.Func)
		if f == nil || flow.Any(fn.Body, func(n ast.Node) bool { return synchronises(p, n) }) {
			return nil
		}
		params := f.Signature().Params()
		for i, a := range s.Call.Args {
			v := p.Variable(flow.Strip(p.Package, a))
			if v == nil || i >= params.Len() || v.Parent() == p.Types.Scope() {
				continue
			}
			for _, u := range flow.Follow(p.Package, fn, params.At(i)).InOrder() {
				if _, uses := freesOrUses(p, u); uses {
					all[v] = a
				}
			}
		}
	}
	return all
}

// freed reports a free of a variable that stands behind the start of a goroutine, or is deferred, if
// nothing lets the function wait for the goroutine.
func freed(p *rule.Pass, fn ast.Node, start *ast.GoStmt, v *types.Var, use ast.Node) {
	var free *ast.CallExpr
	deferred := false
	for id, u := range flow.Follow(p.Package, fn, v).InOrder() {
		if flow.Contains(start, id) || u.Kind == flow.Changed && u.At.Pos() > start.End() {
			continue
		}
		if frees, _ := freesOrUses(p, u); !frees {
			continue
		}
		d := p.Enclosing(u.Call, func(n ast.Node) bool { _, ok := n.(*ast.DeferStmt); return ok })
		lit, simply := flow.InLiteral(p.Package, fn, u.Call)
		if lit != nil && !simply || d == nil && u.Call.Pos() < start.End() {
			continue
		}
		free, deferred = u.Call, d != nil
	}
	if free == nil || flow.Any(flow.Body(fn), func(n ast.Node) bool {
		behind := n.Pos() > start.End() && (deferred || n.Pos() < free.Pos()) || flow.Function(p.Package, n) != fn && !flow.Contains(start, n)
		return behind && n != ast.Node(free) && mayWait(p, n)
	}) {
		return
	}
	p.Report(rule.Finding{
		At: free, Severity: rule.Error,
		Message: fmt.Sprintf("%s is freed here while the goroutine started above may still be in C with it: wait for the goroutine first", v.Name()),
		Also:    []rule.Also{{At: use.Pos(), Message: "the goroutine's use"}},
	})
}

// mayWait reports whether a node could wait until a goroutine is done: a call does unless it is known not
// to. C may end what runs in another thread.
func mayWait(p *rule.Pass, n ast.Node) bool {
	if synchronises(p, n) {
		return true
	}
	call, ok := n.(*ast.CallExpr)
	if !ok || p.IsConversion(call) || p.IsBuiltin(call, "append", "cap", "clear", "close", "copy", "delete", "len", "make", "max", "min", "new", "panic", "print", "println", "recover", "Add", "Slice", "SliceData", "String", "StringData", "Sizeof") {
		return false
	}
	if name, ok := p.CCall(call); ok {
		return name != "free" && name != "GoString" && name != "CString" && name != "GoBytes"
	}
	f := p.Callee(call)
	if f == nil || f.Pkg() == nil {
		return true
	}
	switch f.Pkg().Path() {
	case "errors", "fmt", "log", "strconv", "strings", "time", "unsafe":
		return false
	}
	return !source.DeletesHandle(f)
}
