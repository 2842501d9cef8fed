package exportedpanic

import (
	"go/ast"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// callers knows what the C above an exported function holds while it calls that.
type callers struct {
	*rule.Pass
	exports map[string]bool
	of      map[string][]string // by function, the C functions that call it
	taken   map[string]bool     // functions of which somebody has the address: who calls them isn't known
}

func newCallers(p *rule.Pass) *callers {
	c := &callers{p, p.Exports(), map[string][]string{}, map[string]bool{}}
	if p.C == nil {
		return c
	}
	for name, f := range p.C.Funcs {
		if strings.HasPrefix(name, "_cgo_") {
			continue // cgo's own, by which Go calls C
		}
		for _, callee := range f.Calls {
			c.of[callee] = append(c.of[callee], name)
		}
		for _, taken := range f.Takes {
			c.taken[taken] = true
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if name, ok := p.CName(sel); ok {
				call, is := p.Parent(sel).(*ast.CallExpr)
				c.taken[name] = c.taken[name] || !is || call.Fun != sel
			}
			return true
		})
	}
	return c
}

// holdNothing reports whether all C that can be above an exported function is seen, and holds nothing
// then that it would release afterwards.
func (c *callers) holdNothing(export string) bool {
	if len(c.of[export]) == 0 {
		return false // it is called by what isn't seen
	}
	above := map[string]bool{}
	waiting := []string{export}
	for len(waiting) > 0 {
		name := waiting[0]
		waiting = waiting[1:]
		if c.taken[name] {
			return false
		}
		for _, by := range c.of[name] {
			if !above[by] {
				above[by] = true
				waiting = append(waiting, by)
			}
		}
	}
	for name := range above {
		if !c.clean(name, above, map[string]bool{}) {
			return false
		}
	}
	return true
}

// clean reports whether a C function is seen to take nothing that has to be given back: no memory, no
// lock, and nothing that it changes and may change back.
func (c *callers) clean(name string, above, seen map[string]bool) bool {
	if seen[name] || c.exports[name] {
		return true
	}
	seen[name] = true
	f := c.C.Func(name)
	if f == nil || !f.Defined {
		return callgraph.ClassOf(name) == callgraph.Harmless
	}
	if f.Indirect || f.Assembly || above[name] && f.Changes {
		return false
	}
	for _, callee := range f.Calls {
		if !c.clean(callee, above, seen) {
			return false
		}
	}
	return true
}
