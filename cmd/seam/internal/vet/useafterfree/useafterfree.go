// Package useafterfree finds C memory that is used after it was freed.
package useafterfree

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "use-after-free",
	Formerly: "cstring-leak",
	Title:    "C memory that is used, or returned, after it was freed",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `What C.free was given may belong to somebody else at once: what is read there is anything, what is
written there is theirs.

Before:

	C.free(unsafe.Pointer(cs))
	return C.GoString(cs)

After:

	defer C.free(unsafe.Pointer(cs))
	return C.GoString(cs)

Local variables and fields are followed in one function. A use in a condition that the free doesn't
stand in, and the other way round, is passed over: both may depend on the same.`,
	Run: func(p *rule.Pass) { p.Functions(func(d *ast.FuncDecl) { check(p, d) }) },
}

// check reports pointers, in a local variable or in a field, that a function frees and then uses.
func check(p *rule.Pass, d *ast.FuncDecl) {
	for call, name := range p.CCallsIn(d) {
		if len(call.Args) != 1 || !flow.Destroys(p.Package, name, call) {
			continue
		}
		switch p.Parent(call).(type) {
		case *ast.ExprStmt:
			if f := newFreed(p, call); f != nil {
				f.check(name, f.touches)
			}
		case *ast.DeferStmt:
			if f := newFreed(p, call); f != nil && f.value != nil {
				f.deferred = true
				f.check(name, f.returns)
			}
		}
	}
}

// freed is a pointer that a call frees.
type freed struct {
	*rule.Pass
	call  *ast.CallExpr
	fn    ast.Node
	graph *flow.Graph
	v     *types.Var  // the variable, or the one before the first dot
	value *flow.Value // what the variable holds; nil for a field
	text  string      // the field: t.c

	deferred bool // it is freed when the function ends
}

func newFreed(p *rule.Pass, call *ast.CallExpr) *freed {
	f := &freed{Pass: p, call: call, fn: flow.Function(p.Package, call)}
	if f.fn == nil {
		return nil
	}
	arg := flow.Strip(p.Package, call.Args[0])
	base := arg
	for {
		sel, ok := base.(*ast.SelectorExpr)
		if !ok {
			break
		}
		base = ast.Unparen(sel.X)
	}
	f.v = p.Variable(base)
	if f.v == nil || f.v.IsField() || f.v.Pos() < f.fn.Pos() || f.fn.End() < f.v.Pos() {
		return nil
	}
	f.graph = flow.NewGraph(p.Package, f.fn)
	if base == arg {
		f.value = flow.Follow(p.Package, f.fn, f.v)
		for v := range f.value.Variables {
			if v != f.v && !f.fixed(v) {
				delete(f.value.Variables, v)
			}
		}
		maps.DeleteFunc(f.value.Uses, func(id *ast.Ident, _ flow.Use) bool { return !f.value.Variables[p.Variable(id)] })
	} else {
		f.text = source.Text(arg)
	}
	return f
}

// fixed reports whether a variable got its only value before the pointer was freed.
func (f *freed) fixed(v *types.Var) bool {
	times, before := 0, false
	ast.Inspect(f.fn, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			if flow.Assigned(f.Package, n, v) {
				times++
				before = n.Pos() < f.call.Pos()
			}
		case *ast.RangeStmt:
			if x.Value != nil && f.Variable(x.Value) == v {
				times = 2
			}
		}
		return true
	})
	return times == 1 && before
}

// check reports the first use of a kind that comes after the call.
func (f *freed) check(name string, bad func(flow.Use) bool) {
	var use flow.Use
	hit := f.graph.From(f.call, flow.Search{Node: func(n ast.Node) flow.Step {
		if flow.Contains(n, f.call) {
			return flow.Stop
		}
		for _, u := range f.uses(n) {
			if u.Kind == flow.Lost {
				return flow.Stop
			}
			if bad(u) && (f.deferred || !flow.Apart(f.Package, f.fn, f.call, u.At)) && !f.nextRound(u.At) {
				use = u
				return flow.Hit
			}
		}
		if f.changed(n) {
			return flow.Stop
		}
		return flow.Go
	}})
	if hit == nil {
		return
	}
	what := f.text
	if what == "" {
		what = f.v.Name()
	}
	verb := "used"
	if f.deferred || use.Kind == flow.Given {
		verb = "returned"
	}
	found := rule.Finding{At: f.call, Severity: rule.Error, Also: []rule.Also{{At: use.At.Pos(), Message: verb + " here"}}}
	how := "is freed here"
	if f.deferred {
		how = "is freed when the function ends"
	}
	if name != "free" {
		found.Severity = rule.Warning // its name says so, or it frees on some path
		how += ", by C." + name + ","
	}
	found.Message = fmt.Sprintf("%s %s and %s at line %d", what, how, verb, f.Position(use.At.Pos()).Line)
	f.Report(found)
}

// nextRound reports whether a use is of what the variable holds in the next round of the loop over
// a list that it belongs to.
func (f *freed) nextRound(use ast.Node) bool {
	return use.Pos() < f.call.Pos() && f.Enclosing(f.call, func(n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		return ok && (r.Key != nil && f.Variable(r.Key) == f.v || r.Value != nil && f.Variable(r.Value) == f.v)
	}) != nil
}

// uses are those of what was freed in a node, in the order of the source.
func (f *freed) uses(n ast.Node) (all []flow.Use) {
	if f.value != nil {
		return f.graph.UsesIn(n, f.value)
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			if source.Text(n) == f.text {
				all = append(all, flow.UseOf(f.Package, n))
				return false
			}
		}
		return true
	})
	return all
}

// touches reports whether a use reads or changes the memory, or gives the pointer to C.
func (f *freed) touches(u flow.Use) bool {
	switch u.Kind {
	case flow.ToC:
		return !flow.FreesByName(u.Name)
	case flow.Given:
		return f.returns(u)
	case flow.Read:
		if u.Call != nil {
			name, ok := f.CCall(u.Call)
			return ok && strings.HasPrefix(name, "Go") // GoString and the like
		}
		switch p := f.Parent(u.At).(type) {
		case *ast.CallExpr:
			return f.IsConversion(p) // string(b), which copies
		case *ast.RangeStmt:
			return p.X == u.At
		case *ast.StarExpr:
			return true
		case *ast.SelectorExpr:
			return p.X == u.At && source.IsPointer(f.Info.TypeOf(u.At))
		case *ast.IndexExpr:
			return p.X == u.At
		}
	}
	return false
}

// returns reports whether a use returns a pointer to the memory, or a view of it.
func (f *freed) returns(u flow.Use) bool {
	if u.Kind != flow.Given {
		return false
	}
	t := f.Info.TypeOf(u.At)
	if t == nil {
		return false
	}
	switch t := types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer || t.Kind() == types.String
	}
	return false
}

// changed reports whether a node gives the variable or the field another value, or may do so.
func (f *freed) changed(n ast.Node) bool {
	return flow.Assigned(f.Package, n, f.v) || flow.Any(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			return n.Op == token.AND && (f.Variable(n.X) == f.v || source.Text(n.X) == f.text)
		case *ast.AssignStmt:
			return f.value == nil && slices.ContainsFunc(n.Lhs, func(l ast.Expr) bool { return source.Text(l) == f.text })
		case *ast.CallExpr: // it may set the field
			_, c := f.CCall(n)
			return f.value == nil && !c && !f.IsConversion(n) && f.names(n)
		}
		return false
	})
}

// names reports whether a call is given the variable itself, or is of a method of it.
func (f *freed) names(call *ast.CallExpr) bool {
	return flow.Any(call, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && f.Info.Uses[id] == f.v
	})
}
