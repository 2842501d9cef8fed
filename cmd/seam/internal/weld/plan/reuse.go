package plan

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// What taking a kept block and keeping it again cost, and at most the Go functions around a call of
// malloc or free that go with it, in nanoseconds.
const (
	ReuseNS = 12.0
	stubNS  = 4.0
)

// helps reports whether the package has a helper of cgo's that a line can change.
func (c Code) helps(name string) bool {
	return name == cgofile.GoString && c.GoString || name == cgofile.CString && c.Strings.Freed > 0
}

// reuse is the line by which strings that are freed where they are made need no malloc: a package has it
// if such frees were called often. What malloc and free cost is what they do by their own lines in the plan.
func (r *Result) reuse(c Code, seen map[string]*calltrace.Function, minCalls uint64) (e Entry, gain Range, ok bool) {
	at := func(name string) *calltrace.Function { return seen[c.Package.ImportPath+"."+name] }
	made, freed := at(cgofile.Malloc), at("free")
	if c.Strings.Freed == 0 || made == nil || freed == nil {
		return e, gain, false
	}
	calls := uint64(0)
	for _, x := range freed.Callers {
		if len(x.Stack) > 0 && c.freesAt(x.Stack[0]) {
			calls += x.Calls
		}
	}
	if calls = min(calls, made.Calls); calls < minCalls {
		return e, gain, false
	}
	crossings, inC := 0.0, float64(made.P50NS)+float64(freed.P50NS)
	for _, f := range []*calltrace.Function{made, freed} {
		crossings += f.CrossingNS
		for _, d := range r.Decisions {
			if d.Package == c.Package.ImportPath && d.Func == f.Name && d.Direct() {
				crossings += LeafNS - f.CrossingNS
			}
		}
	}
	n := float64(calls)
	gain = Range{n * max(0, crossings-ReuseNS), n * max(0, crossings+inC+2*stubNS-ReuseNS)}
	e = Entry{Mode: Reuse, Package: c.Package.ImportPath, Func: cgofile.CString, Budget: DefaultBudget, Allow: DefaultAllow}
	e.Comment = fmt.Sprintf("no malloc and free for up to %s strings, by %d of %d C.CString", quantity.Compact(n), c.Strings.Freed, c.Strings.Made)
	if share := gain.of(r.Program); share.Hi > 0 {
		e.Comment += "; brings " + share.String()
	}
	return e, gain, true
}

// freesAt reports whether the C.free of such a string stands there.
func (c Code) freesAt(f calltrace.Frame) bool {
	for _, p := range c.Strings.Frees {
		if p.Line == f.Line && filepath.Base(p.Filename) == filepath.Base(f.File) {
			return true
		}
	}
	return false
}

// reused says what the reuse lines bring.
func (r *Result) reused() string {
	var names []string
	for _, e := range r.Plan.Entries {
		if e.Mode == Reuse {
			names = append(names, short(e))
		}
	}
	if len(names) == 0 {
		return ""
	}
	brings := ""
	if share := r.Reused.of(r.Program); share.Hi > 0 {
		brings = fmt.Sprintf(": %s of that", share)
	}
	return strings.Join(names, ", ") + ": strings that are freed by the function that makes them have blocks that are kept" + brings + "."
}
