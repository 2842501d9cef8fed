// Package memoryleak finds C memory that Go gets and doesn't free.
package memoryleak

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "memory-leak",
	Formerly: "cstring-leak",
	Title:    "C memory that no path, or not every path, frees",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `C.CString, C.CBytes and C.malloc take memory from C's heap. The garbage collector knows
nothing of it: without C.free it is lost, at every call.

Before:

	cs := C.CString(name)
	if C.find(cs) == nil {
		return errNotFound // cs is lost
	}
	C.free(unsafe.Pointer(cs))

After:

	cs := C.CString(name)
	defer C.free(unsafe.Pointer(cs))

Wrappers that return such memory, and functions that free it, are followed, in other packages
too. What a C function does with a pointer is read from its body, if the package has it;
memory given to C that can't be seen and may take it over is a warning only.`,
	Run: run,
}

func run(p *rule.Pass) {
	fields, freeing, lists := newFields(p), map[*ast.File]bool{}, map[*types.Var]bool{}
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if a, ok := p.Owns.Acquires(call); ok {
				site{p, fields, freeing, lists, call, a, nil}.check()
			}
			for i := range call.Args {
				if a, ok := p.Owns.AcquiresBy(call, i); ok {
					if v := p.Owns.OutVariable(call, i); v != nil && flow.Unset(p.Package, v, call) && !flow.FreedEarly(p.Package, call, v) {
						site{p, fields, freeing, lists, call, a, v}.variableLeaks(v)
					}
				}
			}
			return true
		})
	})
}

// site is one call that gets memory.
type site struct {
	*rule.Pass
	fields  *fields
	freeing map[*ast.File]bool  // whether a file can write C.free, where that was asked
	lists   map[*types.Var]bool // of which was reported that nothing frees an element
	call    *ast.CallExpr
	got     ownership.Acquired
	placed  *types.Var // the variable whose address the call is given, where it puts there what it gets
}

func (s site) check() {
	if s.got.By > 0 {
		s.cleanupIgnored()
		return
	}
	u := flow.UseOf(s.Package, s.call)
	switch u.Kind {
	case flow.Moved:
		if v := s.variable(u.To); v != nil && !s.takes(v) {
			s.variableLeaks(v)
		}
	case flow.Stored, flow.Lost:
		s.storedLeaks(u)
	case flow.Given:
	default:
		s.temporaryLeaks(u)
	}
}

// cleanupIgnored is for memory that is freed by a function which comes with it, as in s, free := cstr(name).
func (s site) cleanupIgnored() {
	a, ok := s.Parent(s.call).(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 || s.got.By >= len(a.Lhs) {
		return
	}
	if id, ok := a.Lhs[s.got.By].(*ast.Ident); ok && id.Name == "_" {
		s.report(s.severity(false), "is never freed: what would free it, which comes beside it, is dropped", nil)
	}
}

// takes reports whether the call is given what the variable that gets the result held: then it
// mostly gives that back, as n = C.parse(text, n).
func (s site) takes(v *types.Var) bool { return flow.Gets(s.Package, s.call, v) }

// storedLeaks is for memory that goes to a field or a list.
func (s site) storedLeaks(u flow.Use) {
	if u.Kind == flow.Stored && slices.ContainsFunc(s.call.Args, func(a ast.Expr) bool {
		return source.Text(flow.Strip(s.Package, a)) == source.Text(u.Into)
	}) {
		return
	}
	if list, ok := s.fieldList(u); ok {
		s.fields.checkList(s, list)
		return
	}
	if !s.fields.check(s, u) {
		s.structLeaks(u)
	}
	s.listLeaks(u)
}

// variable is the one that takes the result that must be freed, of several.
func (s site) variable(first *types.Var) *types.Var {
	if s.got.Result == 0 {
		return first
	}
	a, ok := s.Parent(s.call).(*ast.AssignStmt)
	if !ok || s.got.Result >= len(a.Lhs) {
		return nil
	}
	return s.Variable(a.Lhs[s.got.Result])
}

// severity is lower where the claim that nobody else frees it is a guess.
func (s site) severity(doubt bool) rule.Severity {
	switch {
	case s.once():
		return rule.Note
	case doubt || !s.got.Certain:
		return rule.Warning
	}
	return rule.Error
}

// once reports whether the call is in a function that runs once in a program.
func (s site) once() bool {
	d, ok := flow.Function(s.Package, s.call).(*ast.FuncDecl)
	return ok && d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "main" && s.Types.Name() == "main") && s.loop() == nil
}

func (s site) loop() ast.Node {
	return s.Enclosing(s.call, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		}
		return false
	})
}

// temporaryLeaks is for memory that no variable ever holds.
func (s site) temporaryLeaks(u flow.Use) {
	if s.got.Result != 0 {
		return
	}
	switch s.Owns.Effect(u) {
	case ownership.None:
		what := "is never freed: no variable holds it"
		if s.Owns.Asks(u) {
			what += fmt.Sprintf(" (or does C.%s keep it for ever?)", u.Name)
		}
		var fix *rule.Fix
		if !s.Owns.Asks(u) {
			fix = s.hoist()
		}
		s.reportWith(fix, s.severity(s.Owns.Asks(u)), what, nil)
	case ownership.Doubtful:
		if !s.got.Certain {
			return
		}
		s.report(s.severity(true), fmt.Sprintf("is never freed, unless C.%s does: no variable holds it", u.Name), nil)
	}
}

func (s site) report(severity rule.Severity, what string, also []rule.Also) {
	s.reportWith(s.fix(), severity, what, also)
}

func (s site) reportWith(fix *rule.Fix, severity rule.Severity, what string, also []rule.Also) {
	s.Report(rule.Finding{At: s.call, Severity: severity, Message: "the memory from " + s.got.What + " " + what, Also: also, Fix: fix})
}

// variableLeaks walks the ways from the call to the ends of its function.
func (s site) variableLeaks(v *types.Var) {
	fn := flow.Function(s.Package, s.call)
	if fn == nil || v.Pos() < fn.Pos() || fn.End() < v.Pos() {
		return // a variable of an outer function
	}
	g := flow.NewGraph(s.Package, fn)
	value := flow.Follow(s.Package, fn, v)
	if s.freedByEarlierDefer(v, value) {
		return
	}
	way := s.wayOut(g, value, v)
	if way.at == nil {
		if u, ok := s.onlyStored(value); ok {
			s.storedLeaks(u)
		}
		return
	}
	doubt, asks := "", ""
	for _, u := range value.InOrder() {
		if s.Owns.Effect(u) == ownership.Doubtful {
			doubt = u.Name
		} else if s.Owns.Asks(u) {
			asks = u.Name
		}
	}
	unless := ""
	if doubt != "" {
		unless = fmt.Sprintf(", unless C.%s does", doubt)
	}
	severity := s.severity(doubt != "")
	line := s.Position(way.at.Pos()).Line
	switch {
	case !s.endsSomewhere(value) && unless == "" && asks != "":
		s.report(s.severity(true), fmt.Sprintf("is never freed (or does C.%s keep it for ever?)", asks), nil)
	case !s.endsSomewhere(value):
		s.report(severity, "is never freed"+unless, nil)
	case way.again:
		s.report(severity, "is not freed before the next round of the loop"+unless, nil)
	case way.replaced:
		s.report(severity, fmt.Sprintf("is lost at line %d, where %s gets another value%s", line, v.Name(), unless), []rule.Also{{At: way.at.Pos(), Message: "here the pointer is lost"}})
	default:
		s.report(severity, fmt.Sprintf("is not freed on the way to line %d%s", line, unless), []rule.Also{{At: way.at.Pos(), Message: "the function ends here without freeing it"}})
	}
}

// freedByEarlierDefer reports whether a literal that was deferred before the call frees what
// the variable holds at the end.
func (s site) freedByEarlierDefer(v *types.Var, value *flow.Value) bool {
	for id, u := range value.Uses {
		if s.Owns.Effect(u) != ownership.Released || s.Variable(id) != v {
			continue
		}
		if lit, ok := flow.Function(s.Package, id).(*ast.FuncLit); ok {
			if d := flow.Deferred(s.Package, lit); d != nil && d.End() <= s.call.Pos() {
				return true
			}
		}
	}
	return false
}

// onlyStored is the one use that takes the memory over, if that stores it in a field or a list.
func (s site) onlyStored(value *flow.Value) (stored flow.Use, ok bool) {
	n := 0
	for _, u := range value.Uses {
		switch s.Owns.Effect(u) {
		case ownership.Released, ownership.Escaped, ownership.Doubtful:
			stored = u
			n++
		}
	}
	return stored, n == 1 && (stored.Kind == flow.Stored || stored.Kind == flow.Lost)
}

// endsSomewhere reports whether a use frees the memory, or gives it to somebody who may.
func (s site) endsSomewhere(v *flow.Value) bool {
	for _, u := range v.Uses {
		if e := s.Owns.Effect(u); e == ownership.Released || e == ownership.Escaped {
			return true
		}
	}
	return false
}

// way is a way out that frees nothing.
type way struct {
	at              ast.Node
	again, replaced bool
}

func (s site) wayOut(g *flow.Graph, value *flow.Value, v *types.Var) (w way) {
	failed := s.errorsOf()
	w.at = g.From(s.call, flow.Search{
		Node: func(n ast.Node) flow.Step {
			for _, u := range g.UsesIn(n, value) {
				switch s.Owns.Effect(u) {
				case ownership.Released, ownership.Escaped:
					return flow.Stop
				case ownership.Doubtful:
					if !s.got.Certain {
						return flow.Stop // objects are handed over more often than strings
					}
				}
			}
			if flow.Contains(n, s.call) {
				w.again = true
				return flow.Hit
			}
			if flow.Assigned(s.Package, n, v) {
				if len(value.Variables) > 1 || flow.GivesBack(s.Package, n, v) {
					return flow.Stop
				}
				w.replaced = true
				return flow.Hit
			}
			if _, ends := n.(*ast.ReturnStmt); ends {
				return flow.Hit
			}
			return flow.Go
		},
		Branch: func(cond ast.Expr, branch int) flow.Step {
			nothing := flow.Nil(s.Package, cond, func(x *types.Var) (bool, bool) {
				return value.Variables[x], failed[x] || !s.got.Certain && x.Type().String() == "error"
			})
			if s.placed != nil && (s.failed(cond, branch) || s.saidOnFailure(g, cond, branch, value)) {
				return flow.Stop
			}
			if nothing == branch || s.skipsFree(g, cond, branch, value) {
				return flow.Stop
			}
			return flow.Go
		},
	})
	return w
}

// failed reports whether a branch is one on which a call may have put nothing into the variable, as its
// result says. Of a result that is compared with something else than 0 neither branch is known.
func (s site) failed(cond ast.Expr, branch int) bool {
	result := func(e ast.Expr) bool {
		e = flow.Strip(s.Package, e)
		if e == s.call {
			return true
		}
		v := s.Variable(e)
		if v == nil {
			return false
		}
		a, ok := s.Parent(s.call).(*ast.AssignStmt)
		for n := ast.Node(s.call); !ok; { // by way of conversions
			switch x := s.Parent(n).(type) {
			case *ast.CallExpr:
				if !s.IsConversion(x) {
					return false
				}
				n = x
			case *ast.UnaryExpr, *ast.ParenExpr:
				n = x
			default:
				return false
			}
			a, ok = s.Parent(n).(*ast.AssignStmt)
		}
		return len(a.Lhs) > 0 && s.Variable(a.Lhs[0]) == v
	}
	switch x := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		return x.Op == token.NOT && s.failed(x.X, 1-branch)
	case *ast.Ident:
		// A truth value says that it went well, unless it is named otherwise.
		return result(x) && (branch == 1 || failureName.MatchString(x.Name))
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return s.failed(x.X, branch) || s.failed(x.Y, branch)
		}
		if !result(x.X) && !result(x.Y) {
			return false
		}
		other := x.Y
		if result(x.Y) {
			other = x.X
		}
		v := s.Info.Types[other].Value
		if v == nil || v.ExactString() != "0" {
			return true
		}
		switch x.Op {
		case token.EQL, token.GEQ:
			return branch == 1
		case token.NEQ, token.LSS:
			return branch == 0
		}
		return true
	default:
		return result(cond) || flow.Contains(cond, s.call)
	}
}

// saidOnFailure reports whether a branch is the one on which the call has succeeded, and what it put into
// the variable is a message for the other: that is freed where the call has failed, and looked at nowhere
// else, or named so.
func (s site) saidOnFailure(g *flow.Graph, cond ast.Expr, branch int, value *flow.Value) bool {
	i, ok := s.Parent(cond).(*ast.IfStmt)
	if !ok || i.Cond != cond || branch == 0 || !s.failed(cond, 0) || !ends(i.Body) {
		return false
	}
	freed := slices.ContainsFunc(g.UsesIn(i.Body, value), func(u flow.Use) bool { return s.Owns.Effect(u) == ownership.Released })
	if !freed || messageName.MatchString(s.placed.Name()) {
		return freed
	}
	for id, u := range value.Uses {
		if id.Pos() > i.End() && s.Owns.Effect(u) != ownership.Released {
			return false
		}
	}
	return true
}

var failureName = regexp.MustCompile(`(?i)fail|err|bad|wrong`)

var messageName = regexp.MustCompile(`(?i)err|msg|message`)

// skipsFree reports whether a branch goes past an if whose body frees the value: what the
// condition has to do with the value can't be told.
func (s site) skipsFree(g *flow.Graph, cond ast.Expr, branch int, value *flow.Value) bool {
	i, ok := s.Parent(cond).(*ast.IfStmt)
	if !ok || i.Cond != cond {
		return false
	}
	var taken ast.Node = i.Body
	if branch == 0 {
		taken = i.Else
	}
	if taken == nil || branch == 0 && i.Else == nil {
		return false
	}
	for _, u := range g.UsesIn(taken, value) {
		if s.Owns.Effect(u) == ownership.Released && !ends(taken) {
			return true
		}
	}
	return false
}

// ends reports whether a block ends the function: then what it frees says nothing about
// the ways past it.
func ends(n ast.Node) bool {
	b, ok := n.(*ast.BlockStmt)
	if !ok || len(b.List) == 0 {
		return false
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}

// errorsOf are the variables that tell that the call has got nothing: the error that comes
// with the memory, and what C is given the address of.
func (s site) errorsOf() map[*types.Var]bool {
	all := map[*types.Var]bool{}
	for _, arg := range s.call.Args {
		if u, ok := flow.Strip(s.Package, arg).(*ast.UnaryExpr); ok && u.Op == token.AND {
			if v := s.Variable(u.X); v != nil && strings.Contains(strings.ToLower(v.Name()), "err") {
				all[v] = true
			}
		}
	}
	a, ok := s.Parent(s.call).(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 || len(a.Lhs) < 2 {
		return all
	}
	if v := s.Variable(a.Lhs[len(a.Lhs)-1]); v != nil && v.Type().String() == "error" {
		all[v] = true
	}
	return all
}
