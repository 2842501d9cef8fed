package pointerkept

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// pinned is what a function pins with one Pinner that it unpins as well.
type pinned struct {
	*function
	name  string // of the Pinner, as it is written
	what  map[*types.Var]bool
	unpin *ast.CallExpr
	atEnd bool // it is unpinned when the function ends
}

// early reports Go memory whose address C still has when it is unpinned.
func early(o *function, d *ast.FuncDecl) {
	for _, p := range o.pinnedIn(d) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) && n.Tok == token.ASSIGN {
					for i := range n.Lhs {
						p.storedEarly(n, n.Lhs[i], n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if name, ok := p.CCall(n); ok {
					p.passedEarly(name, n)
				}
			}
			return true
		})
	}
}

// pinnedIn are the Pinners that a function both pins and unpins with, itself or deferred.
func (o *function) pinnedIn(d *ast.FuncDecl) (list []*pinned) {
	by := map[string]*pinned{}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		pin, unpin := o.Calls(call, "runtime", "Pinner.Pin"), o.Calls(call, "runtime", "Pinner.Unpin")
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || !pin && !unpin {
			return true
		}
		name := source.Text(sel.X)
		p := by[name]
		if p == nil {
			p = &pinned{function: o, name: name, what: map[*types.Var]bool{}}
			by[name] = p
			list = append(list, p)
		}
		if pin {
			if v := o.root(call.Args[0]); v != nil {
				for w := range flow.Follow(o.Package, d, v).Variables {
					p.what[w] = true
				}
			}
			return true
		}
		if p.unpin = call; o.deferred(call, d) {
			p.atEnd = true
		} else if flow.Function(o.Package, call) != d {
			p.what = nil // somebody else calls it, later
		}
		return true
	})
	var both []*pinned
	for _, p := range list {
		if p.unpin != nil && len(p.what) > 0 {
			both = append(both, p)
		}
	}
	return both
}

// deferred reports whether a call is made when its function ends.
func (o *function) deferred(call *ast.CallExpr, d *ast.FuncDecl) bool {
	for n := o.Parent(call); n != nil && n != d; n = o.Parent(n) {
		if _, ok := n.(*ast.DeferStmt); ok {
			return true
		}
	}
	return false
}

// root is the variable that an address is made of: b of unsafe.Pointer(&b[0]).
func (o *function) root(e ast.Expr) *types.Var {
	for {
		switch x := flow.Strip(o.Package, e).(type) {
		case *ast.UnaryExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.CallExpr:
			if !o.IsBuiltin(x, "SliceData", "StringData", "Add", "Slice", "String") {
				return nil
			}
			e = x.Args[0]
		case *ast.Ident:
			return o.Variable(x)
		default:
			return nil
		}
	}
}

// storedEarly looks at the address of what is pinned, written to memory of C.
func (p *pinned) storedEarly(at *ast.AssignStmt, to, value ast.Expr) {
	to = ast.Unparen(to)
	if _, variable := to.(*ast.Ident); variable || !source.IsPointer(p.typeOf(value)) || p.Values.WhoseMemory(to) != values.C || p.Values.Whose(value) != values.Go {
		return
	}
	if v := p.root(value); v == nil || !p.what[v] {
		return
	}
	holder := p.root(to)
	if holder == nil {
		return
	}
	uses := flow.Follow(p.Package, p.fn, holder)
	if p.clears(to, at) || p.freed(uses) {
		return
	}
	const then = "keep the Pinner for as long as C has the address, and unpin it then"
	if !p.atEnd {
		if call := p.usedAfter(uses); call != nil {
			p.Report(rule.Finding{
				At: value, Severity: rule.Error, Also: []rule.Also{{At: p.unpin.Pos(), Message: "unpinned here"}, {At: call.Pos(), Message: "given to C here"}},
				Message: fmt.Sprintf("C memory with this address is given to C at line %d, after %s has unpinned it: %s", p.Position(call.Pos()).Line, p.name, then),
			})
			return
		}
	}
	severity := rule.Severity("")
	for _, u := range uses.Uses {
		switch u.Kind {
		case flow.Given, flow.Lost:
			severity = rule.Error
		case flow.Stored:
			if u.At.Pos() != value.Pos() {
				severity = rule.Error
			}
		}
	}
	if severity == "" && p.isParameter(holder) {
		severity = rule.Warning // its caller may have no more use for it
	}
	if severity != "" {
		p.Report(rule.Finding{
			At: value, Severity: severity, Also: []rule.Also{{At: p.unpin.Pos(), Message: "unpinned here"}},
			Message: fmt.Sprintf("%s is unpinned in this function, but the C memory that has this address outlives it: %s", p.name, then),
		})
	}
}

// passedEarly looks at the address of what is pinned, given to C that keeps it.
func (p *pinned) passedEarly(name string, call *ast.CallExpr) {
	for i, a := range call.Args {
		fate := p.C.Fate(name, i)
		if !source.IsPointer(p.typeOf(a)) || !fate.Static && (!fate.Member || p.besideGo(call, i)) || p.Values.Whose(a) != values.Go {
			continue
		}
		if v := p.root(a); v == nil || !p.what[v] || p.takenBack(name, call) {
			continue
		}
		severity := rule.Error
		if !fate.Static {
			severity = rule.Warning // what it keeps it in may be gone by then
		}
		p.Report(rule.Finding{
			At: a, Severity: severity, Also: []rule.Also{{At: p.unpin.Pos(), Message: "unpinned here"}},
			Message: fmt.Sprintf("C.%s keeps this pointer after it returns, and %s unpins what it leads to in this function: keep the Pinner until C has given the pointer up", name, p.name),
		})
	}
}

// takenBack reports whether C is told to forget a pointer: by another call of the function that
// keeps it, or by one that ends something.
func (p *pinned) takenBack(name string, keeps *ast.CallExpr) bool {
	found := false
	ast.Inspect(p.fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call != keeps {
			if c, ok := p.CCall(call); ok && (c == name || flow.FreesByName(c) && c != "free") {
				found = true
			}
		}
		return !found
	})
	return found
}

// clears reports whether something else is written to the same place later.
func (p *pinned) clears(to ast.Expr, at *ast.AssignStmt) bool {
	found := false
	ast.Inspect(p.fn, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a != at && a.Tok == token.ASSIGN {
			for _, l := range a.Lhs {
				found = found || source.Text(l) == source.Text(to)
			}
		}
		return !found
	})
	return found
}

// freed reports whether C memory doesn't outlive the function.
func (p *pinned) freed(v *flow.Value) bool {
	for _, u := range v.Uses {
		if u.Kind == flow.ToC && flow.FreesByName(u.Name) {
			return true
		}
	}
	return false
}

// usedAfter is a call of C that is given a value after the Pinner was unpinned.
func (p *pinned) usedAfter(v *flow.Value) (call *ast.CallExpr) {
	g := flow.NewGraph(p.Package, p.fn)
	g.From(p.unpin, flow.Search{Node: func(n ast.Node) flow.Step {
		for _, u := range g.UsesIn(n, v) {
			if u.Kind == flow.ToC {
				call = u.Call
				return flow.Hit
			}
		}
		return flow.Go
	}})
	return call
}
