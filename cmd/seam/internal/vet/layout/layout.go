// Package layout finds casts between Go and C types that aren't laid out alike.
package layout

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/layout"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "layout",
	Title:    "Go and C data cast into each other that are laid out differently",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `A cast by way of unsafe.Pointer isn't checked by anybody. If the types differ in size or in
the place of a member, each side reads and writes what the other doesn't mean. The commonest:
Go's int has 64 bits, C's int 32.

Before:

	list := []int{1, 2, 3}
	C.sum((*C.int)(unsafe.Pointer(&list[0])), 3)

After:

	list := []C.int{1, 2, 3}
	C.sum(&list[0], 3)

Structs are compared member by member, as cgo sees C's, and each member that differs is named with
what to write instead. A struct of Go's may go on where C's ends, as the kinds of sockaddr do, unless
the memory is a variable that is known, and shorter than what it is cast to.
seam layout compares what both compilers write, bit-fields and packed members too, draws both
sides, and keeps the check in the code.`,
	Run: run,
}

func run(p *rule.Pass) {
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && p.IsConversion(call) && len(call.Args) == 1 {
				check(p, call)
			}
			return true
		})
	}
}

// check looks at (*T)(unsafe.Pointer(x)), where x is a pointer.
func check(p *rule.Pass, call *ast.CallExpr) {
	to := pointee(p.Info.TypeOf(call))
	inner, ok := ast.Unparen(onlyValue(p, call.Args[0])).(*ast.CallExpr)
	if to == nil || !ok || !p.IsConversion(inner) || len(inner.Args) != 1 {
		return
	}
	if b, ok := p.Info.TypeOf(inner).(*types.Basic); !ok || b.Kind() != types.UnsafePointer {
		return
	}
	from := pointee(p.Info.TypeOf(inner.Args[0]))
	if readsPast(p, call, to) {
		return
	}
	if from == nil || source.IsC(to) == source.IsC(from) {
		return // both of one side: another matter
	}
	goes, c := from, to
	if source.IsC(from) {
		goes, c = to, from
	}
	why := differ(p.Sizes, from, to)
	severity := rule.Error
	switch {
	case why == "":
		return
	case source.IsC(to) && begins(p.Sizes, from, to):
		return // Go has more behind what C knows: sockaddr and those that begin like it
	case source.IsC(from) && begins(p.Sizes, to, from):
		severity, why = rule.Note, why+", and begin alike: right if C has made the longer one"
	}
	p.Report(rule.Finding{
		At: call, Severity: severity, Message: fmt.Sprintf("%s and %s are laid out differently: %s", name(from), name(to), why), Also: where(p, call, goes, c),
	})
}

// readsPast reports a cast of the address of a variable to a pointer to something larger: what lies
// behind the variable is read or written. What comes from elsewhere may have been made larger.
func readsPast(p *rule.Pass, call *ast.CallExpr, to types.Type) bool {
	switch types.Unalias(to).Underlying().(type) {
	case *types.Struct, *types.Basic:
	default:
		return false // an array is how memory of any length is looked at
	}
	var v *types.Var
	for _, o := range p.Values.Of(call) {
		if o.Kind != values.GoVar || o.Inner || o.Number {
			return false
		}
		if v != nil && v != o.Var {
			return false
		}
		v = o.Var
	}
	if v == nil || hasParam(v.Type()) || hasParam(to) {
		return false
	}
	switch types.Unalias(v.Type()).Underlying().(type) {
	case *types.Struct, *types.Basic, *types.Array:
	default:
		return false
	}
	have, need := p.Sizes.Sizeof(v.Type()), p.Sizes.Sizeof(to)
	if have >= need || have == 0 {
		return false
	}
	found := rule.Finding{At: call, Severity: rule.Error, Also: []rule.Also{{At: v.Pos(), Message: "the variable"}},
		Message: fmt.Sprintf("%s has %d bytes and %s has %d: %d bytes behind the variable are read or written", v.Name(), have, name(to), need, need-have)}
	if source.IsC(v.Type()) != source.IsC(to) {
		goes, c := to, v.Type()
		if source.IsC(to) {
			goes, c = c, goes
		}
		found.Also = append(found.Also, where(p, call, goes, c)...)
	}
	p.Report(found)
	return true
}

func hasParam(t types.Type) bool {
	_, is := types.Unalias(t).(*types.TypeParam)
	return is
}

// shown is how many members are named that aren't alike.
const shown = 4

// where are the members that aren't alike, with what to write instead, at their declarations if
// those are in the package.
func where(p *rule.Pass, call *ast.CallExpr, goes, c types.Type) (list []rule.Also) {
	s, ok := types.Unalias(goes).Underlying().(*types.Struct)
	if _, ok2 := types.Unalias(c).Underlying().(*types.Struct); !ok || !ok2 {
		return nil
	}
	all := layout.Differences(p.Sizes, goes, c, p.Types)
	for _, m := range all[:min(shown, len(all))] {
		also := rule.Also{At: call.Pos(), Message: m.What + ": " + m.Fix}
		if m.Path != "" {
			also.Message = m.Path + ": " + also.Message
		}
		first, _, _ := strings.Cut(m.Path, ".")
		for v := range s.Fields() {
			if v.Name() == first && v.Pkg() == p.Types {
				also.At = v.Pos()
			}
		}
		list = append(list, also)
	}
	if len(all) > shown {
		list = append(list, rule.Also{At: call.Pos(), Message: fmt.Sprintf("and %d more", len(all)-shown)})
	}
	if n, ok := types.Unalias(goes).(*types.Named); ok && n.Obj().Parent() == p.Types.Scope() && n.TypeArgs().Len() == 0 && !strings.Contains(name(c), "__") && strings.HasPrefix(name(c), "C.") {
		list = append(list, rule.Also{At: n.Obj().Pos(), Message: fmt.Sprintf("seam layout %s %s=%s draws both", p.Types.Path(), name(goes), name(c))})
	}
	return list
}

// begins reports whether the struct long begins as the shorter one is laid out. An array of bytes
// stands for whatever the other has in its place.
func begins(sizes types.Sizes, long, short types.Type) bool {
	s, ok := types.Unalias(long).Underlying().(*types.Struct)
	t, ok2 := types.Unalias(short).Underlying().(*types.Struct)
	if !ok || !ok2 || sizes.Sizeof(s) <= sizes.Sizeof(t) {
		return false
	}
	have := map[member]bool{}
	for _, m := range flat(sizes, s, 0) {
		have[member{at: m.at, size: m.size}] = true
	}
	for _, m := range flat(sizes, t, 0) {
		if !m.bytes && !have[member{at: m.at, size: m.size}] {
			return false
		}
	}
	return true
}

// flat are the members of a struct and of the structs in it.
func flat(sizes types.Sizes, s *types.Struct, at int64) (list []member) {
	for i, m := range places(sizes, s) {
		m.at += at
		switch t := types.Unalias(m.typ).Underlying().(type) {
		case *types.Struct:
			list = append(list, flat(sizes, t, m.at)...)
			continue
		case *types.Array:
			b, ok := types.Unalias(t.Elem()).Underlying().(*types.Basic)
			m.bytes = ok && sizes.Sizeof(b) == 1 && i > 0 // a struct of bytes alone says nothing
		}
		list = append(list, m)
	}
	return list
}

// onlyValue is what a local variable is declared with, if it never changes and its address isn't
// taken; other expressions it leaves as they are.
func onlyValue(p *rule.Pass, e ast.Expr) ast.Expr {
	v := p.Variable(e)
	fn := p.Enclosing(e, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	if v == nil || fn == nil {
		return e
	}
	var value ast.Expr
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				id, ok := l.(*ast.Ident)
				switch {
				case !ok || p.Info.ObjectOf(id) != v:
				case p.Info.Defs[id] == v && len(n.Lhs) == len(n.Rhs):
					value = n.Rhs[i]
				default:
					value, v = e, nil // it changes
				}
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && v != nil && p.Info.Uses[id] == v && n.Op == token.AND {
				value, v = e, nil
			}
		}
		return v != nil
	})
	if value == nil || v == nil {
		return e
	}
	return value
}

func pointee(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	ptr, ok := types.Unalias(t).Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	return ptr.Elem()
}

func name(t types.Type) string {
	return strings.ReplaceAll(types.TypeString(t, func(*types.Package) string { return "" }), "_Ctype_", "C.")
}

// differ says how two types differ, if both are numbers or both are structs with members: a
// cast of bytes to anything is how buffers are read, and an empty struct stands for what C
// doesn't show.
func differ(sizes types.Sizes, a, b types.Type) string {
	x, y := types.Unalias(a).Underlying(), types.Unalias(b).Underlying()
	if s, ok := x.(*types.Basic); ok {
		t, ok := y.(*types.Basic)
		if !ok || s.Info()&types.IsNumeric == 0 || t.Info()&types.IsNumeric == 0 {
			return ""
		}
		m, n := sizes.Sizeof(s), sizes.Sizeof(t)
		if m == n || m == 1 || n == 1 || s.Kind() == types.Uintptr || t.Kind() == types.Uintptr {
			return ""
		}
		return fmt.Sprintf("%d bytes and %d", m, n)
	}
	s, ok := x.(*types.Struct)
	t, ok2 := y.(*types.Struct)
	if !ok || !ok2 || s.NumFields() == 0 || t.NumFields() == 0 {
		return ""
	}
	switch m, n := sizes.Sizeof(s), sizes.Sizeof(t); {
	case m == 0 || n == 0:
		return ""
	case m != n:
		return fmt.Sprintf("%d bytes and %d", m, n)
	}
	return members(sizes, s, t)
}

// members compares the places where members begin, and their sizes. Padding is left out.
func members(sizes types.Sizes, s, t *types.Struct) string {
	a, b := places(sizes, s), places(sizes, t)
	if len(a) != len(b) {
		// An array in one is several members in the other, or a union is bytes: what is left is a
		// member that reaches from one of the other's into the next.
		a, b = flat(sizes, s, 0), flat(sizes, t, 0)
		for _, m := range a {
			for _, n := range b {
				if m.cuts(n) || n.cuts(m) {
					return fmt.Sprintf("member %s has %d bytes at %d, member %s has %d at %d", m.name, m.size, m.at, n.name, n.size, n.at)
				}
			}
		}
		return ""
	}
	for i := range a {
		if a[i].at != b[i].at || a[i].size != b[i].size {
			return fmt.Sprintf("member %s has %d bytes at %d, member %s has %d at %d", a[i].name, a[i].size, a[i].at, b[i].name, b[i].size, b[i].at)
		}
	}
	return ""
}

type member struct {
	name     string
	at, size int64
	typ      types.Type
	bytes    bool // an array of bytes
}

// cuts reports whether n begins inside of m and ends behind it.
func (m member) cuts(n member) bool {
	return !m.bytes && !n.bytes && m.at < n.at && n.at < m.at+m.size && m.at+m.size < n.at+n.size
}

func places(sizes types.Sizes, s *types.Struct) (list []member) {
	var fields []*types.Var
	for i := range s.NumFields() {
		fields = append(fields, s.Field(i))
	}
	for i, at := range sizes.Offsetsof(fields) {
		if n := fields[i].Name(); n != "_" {
			list = append(list, member{name: n, at: at, size: sizes.Sizeof(fields[i].Type()), typ: fields[i].Type()})
		}
	}
	return list
}
