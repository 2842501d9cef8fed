package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// helpers are what is cgo's own, and the mode that each may have besides cgo.
var helpers = map[string]Mode{cgofile.GoString: View, cgofile.CString: Reuse}

// helper looks at what a line of cgo's own may have, which is its mode or cgo. words begin with its path.
func (p *parser) helper(e *Entry, words []word) {
	mode, own := helpers[e.Func]
	if own && e.Mode != mode && e.Mode != Cgo {
		p.Fail(words[0].Column, "C.%s is cgo's own and no function of C's: %s or cgo", e.Func, mode)
	}
	if e.Mode != View && e.Mode != Reuse {
		return
	}
	for name, m := range helpers {
		if m == e.Mode && name != e.Func {
			p.Fail(words[0].Column, "%s is for C.%s alone: %s IMPORTPATH.%s", m, name, m, name)
		}
	}
	for _, w := range words[1:] {
		if w.Text != "keep" {
			p.Fail(w.Column, "a %s line takes the word keep and no other", e.Mode)
		}
	}
}

// view is the line by which strings of a package's C stay where they are: it has one if functions that
// return char * were called often. Each string is looked at when the program runs, so nothing rests on
// this but whether looking pays.
func (c Code) view(seen map[string]*calltrace.Function, minCalls uint64) (e Entry, ok bool) {
	if !c.GoString {
		return e, false
	}
	calls, names := uint64(0), []string(nil)
	for _, f := range c.Functions {
		if x := seen[c.Package.ImportPath+"."+f.Name]; f.Result == "*_Ctype_char" && x != nil && x.Calls > 0 {
			calls += x.Calls
			names = append(names, f.Name)
		}
	}
	if calls < minCalls {
		return e, false
	}
	slices.Sort(names)
	what := names[0]
	if n := len(names) - 1; n > 0 {
		what += fmt.Sprintf(" and %s", quantity.Plural(n, "other"))
	}
	e = Entry{Mode: View, Package: c.Package.ImportPath, Func: cgofile.GoString, Budget: DefaultBudget, Allow: DefaultAllow}
	e.Comment = fmt.Sprintf("constants are not copied; %s calls of %s, which may return some", quantity.Compact(float64(calls)), what)
	return e, true
}

// viewed lists the packages whose strings may stay where they are.
func (r *Result) viewed() string {
	var names []string
	for _, e := range r.Plan.Entries {
		if e.Mode == View {
			names = append(names, short(Entry{Package: e.Package, Func: e.Func}))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + ": strings of C's that can't change and stay as long as the program are not copied. What it brings is not in these figures."
}
