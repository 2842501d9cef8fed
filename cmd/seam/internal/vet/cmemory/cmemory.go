// Package cmemory finds C memory that is too small for what Go writes to it, or in which Go stores
// pointers before it was cleared.
package cmemory

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "c-memory",
	Title:    "C memory that is too small for the view that Go has of it, or in which Go stores pointers uncleared",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `C.malloc counts bytes. A view of n elements, or of a string and the 0 behind it, over a block that has
fewer bytes writes over what lies behind, and the heap is broken.

What C.malloc gives is not cleared. If Go stores a pointer there, even one of C's, the write barrier of
the collector reads the old contents, and may end the program over what looks like a bad pointer: cgo's
documentation asks for cleared memory.

Before:

	p := C.malloc(C.size_t(len(names)))
	list := unsafe.Slice((**C.char)(p), len(names))
	list[0] = C.CString(names[0])

After:

	p := C.calloc(C.size_t(len(names)), C.size_t(unsafe.Sizeof((*C.char)(nil))))
	list := unsafe.Slice((**C.char)(p), len(names))
	list[0] = C.CString(names[0])

A size is compared where both are sums of constants and the same lengths with constant factors; others
aren't known. Uncleared memory is a warning, where the function itself takes it, doesn't clear it by
C.memset or clear, and stores pointers there.`,
	Run: run,
}

func run(p *rule.Pass) {
	p.Functions(func(d *ast.FuncDecl) {
		reported := map[ast.Expr]bool{} // the call that took the memory
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if p.IsBuiltin(n, "Slice") && len(n.Args) == 2 {
					tooSmall(p, n)
				}
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					uncleared(p, d, l, reported)
				}
			}
			return true
		})
	})
}

// tooSmall looks at a view, unsafe.Slice(p, n).
func tooSmall(p *rule.Pass, view *ast.CallExpr) {
	s, ok := p.Underlying(view).(*types.Slice)
	if !ok {
		return
	}
	list := p.Values.Of(view.Args[0])
	if len(list) != 1 || list[0].Kind != values.CHeap || list[0].Inner {
		return
	}
	made, ok := list[0].At.(*ast.CallExpr)
	if !ok || p.Sizes == nil {
		return
	}
	have, ok := allocated(p, list[0].Name, made)
	if !ok {
		return
	}
	need, ok := sizeOf(p, view.Args[1])
	if !ok {
		return
	}
	need = need.times(p.Sizes.Sizeof(s.Elem()))
	if have.lessThan(need) {
		p.Report(rule.Finding{
			At: view, Severity: rule.Error, Also: []rule.Also{{At: made.Pos(), Message: "the memory comes from here"}},
			Message: fmt.Sprintf("this view needs %s bytes, and C.%s gave %s", need, list[0].Name, have),
		})
	}
}

// uncleared looks at a store of a pointer in memory that C.malloc gave.
func uncleared(p *rule.Pass, d *ast.FuncDecl, to ast.Expr, reported map[ast.Expr]bool) {
	t := p.Info.TypeOf(to)
	if !source.IsPointer(t) {
		return
	}
	var base ast.Expr
	switch x := ast.Unparen(to).(type) {
	case *ast.IndexExpr:
		base = x.X
	case *ast.StarExpr:
		base = x.X
	case *ast.SelectorExpr:
		base = x.X
	default:
		return
	}
	if bt := p.Info.TypeOf(base); bt == nil || !leads(bt) {
		return
	}
	list := p.Values.Of(base)
	if len(list) != 1 || list[0].Kind != values.CHeap || list[0].Name != "malloc" || reported[list[0].At] {
		return
	}
	made := list[0].At
	if made.Pos() < d.Pos() || d.End() < made.Pos() || filled(p, d, made, to) {
		return
	}
	reported[made] = true
	p.Report(rule.Finding{
		At: made, Severity: rule.Warning, Also: []rule.Also{{At: to.Pos(), Message: "a pointer is stored here"}},
		Message: fmt.Sprintf("what C.malloc gives isn't cleared, and Go stores a pointer there at line %d: the collector may read the old contents as one; use C.calloc", p.Position(to.Pos()).Line),
	})
}

// filled reports whether a function clears any memory, or C is given what C.malloc gave before Go stores
// there: an init function mostly sets all of it.
func filled(p *rule.Pass, d *ast.FuncDecl, made, to ast.Expr) bool {
	for call, name := range p.CCallsIn(d.Body) {
		given := func(arg ast.Expr) bool {
			list := p.Values.Of(arg)
			return len(list) == 1 && list[0].At == made
		}
		if name == "memset" || name == "bzero" || call.Pos() < to.Pos() && !flow.FreesByName(name) && slices.ContainsFunc(call.Args, given) {
			return true
		}
	}
	return flow.Any(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && p.IsBuiltin(call, "clear", "copy")
	})
}

func leads(t types.Type) bool {
	switch types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	}
	return false
}

// allocated is how many bytes a call of an allocator gives.
func allocated(p *rule.Pass, name string, call *ast.CallExpr) (sum, bool) {
	switch {
	case name == "malloc" && len(call.Args) == 1:
		return sizeOf(p, call.Args[0])
	case name == "calloc" && len(call.Args) == 2:
		a, ok := sizeOf(p, call.Args[0])
		b, ok2 := sizeOf(p, call.Args[1])
		if n, constant := b.constant(); ok && ok2 && constant {
			return a.times(n), true
		}
		if n, constant := a.constant(); ok && ok2 && constant {
			return b.times(n), true
		}
	}
	return sum{}, false
}
