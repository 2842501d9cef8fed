package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// Problem is a place where plan and code don't match.
type Problem struct {
	File string
	Line int // 0 for a function that has no line
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Check compares the plan with the code. code must have every package of
// the plan that exists.
func (p *Plan) Check(code []Code) []Problem {
	type place struct {
		fn   cgofile.Function
		used bool
	}
	now := map[string]*place{}
	names := map[string][]string{} // by package
	of := map[string]Code{}
	for _, c := range code {
		of[c.Package.ImportPath] = c
		names[c.Package.ImportPath] = nil
		for _, f := range c.Functions {
			now[c.Package.ImportPath+"."+f.Name] = &place{fn: f}
			names[c.Package.ImportPath] = append(names[c.Package.ImportPath], f.Name)
		}
	}
	var list []Problem
	tell := func(line int, format string, args ...any) {
		list = append(list, Problem{p.Name, line, fmt.Sprintf(format, args...)})
	}
	for _, e := range p.Entries {
		functions, exists := names[e.Package]
		f := now[e.Path()]
		switch {
		case !exists:
			hint := ""
			for _, full := range slices.Sorted(maps.Keys(names)) {
				if strings.HasSuffix(full, "/"+e.Package) {
					hint = "; did you mean " + full + "?"
				}
			}
			tell(e.Line, "package %s is not part of this program, or doesn't use cgo%s", e.Package, hint)
		case of[e.Package].helps(e.Func):
		case f == nil:
			hint := ""
			if near := nearest.Names(e.Func, functions); len(near) > 0 {
				hint = "; did you mean " + near[0] + "?"
			}
			tell(e.Line, "package %s calls no C function %s%s", e.Package, e.Func, hint)
		default:
			f.used = true
			if e.Sig != "" && e.Sig != f.fn.Sig() {
				tell(e.Line, "the type of %s has changed: it is now %s, sig=%s (look at the function, then run seam plan)",
					e.Path(), f.fn.Signature(), f.fn.Sig())
			}
			if e.Mode == Leaf && f.fn.TakesCallback() {
				tell(e.Line, "%s takes a C function pointer (%s), which may call Go: it can't be a leaf", e.Path(), f.fn.Signature())
			}
			if c := of[e.Package]; e.Closed && c.Exports && c.Proof != nil {
				if why := c.closed(e.Func); why != "" {
					tell(e.Line, "%s is not closed: %s (if it calls Go, the program ends; take the word out of the line)", e.Path(), why)
				}
			}
			if e.Wrapped() && f.fn.Reason != "" {
				tell(e.Line, "%s can't be welded: %s", e.Path(), f.fn.Reason)
			}
		}
	}
	for path, f := range now {
		if !f.used {
			tell(0, "%s has no line (run seam plan)", path)
		}
	}
	slices.SortStableFunc(list, func(a, b Problem) int {
		if (a.Line == 0) != (b.Line == 0) {
			return cmp.Compare(b.Line, a.Line) // those without a line come last
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
	return list
}
