// Package errnothread finds errors of C that are fetched on a thread which may be another
// than the one that failed.
package errnothread

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/contracts"
	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "errno-thread",
	Title:    "an error that C keeps for each thread, fetched by a second call that may run on another",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `errno and the last error of many libraries belong to a thread. Between two calls of C the
goroutine may move to another thread: the second call then finds no error, or that of someone
else.

Before:

	if C.repo_open(&r, path) < 0 {
		return errors.New(C.GoString(C.last_error()))
	}

After:

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if C.repo_open(&r, path) < 0 {
		return errors.New(C.GoString(C.last_error()))
	}

For errno there is the form with two results, which needs no lock: n, err := C.read(…).
A C function counts as one that fetches such an error if it takes no object whose error it
could be and its name says so (last_error, GetLastError, errmsg), or if its body reads errno. Go
functions that call one pass the duty on to their callers. If its body is seen and asks an object
for the error, it doesn't count; if the body comes to no such function, or the header is missing,
it is a warning. A variable of C that all threads share, as its body shows, needs a mutex over both
calls instead.`,
	Run: run,
}

// named are names of functions that return the last error of a thread.
var named = regexp.MustCompile(`(?i)(^|_|get|peek)(last_?err(or)?|err(or)?_?last|get_?err(or|no)?|errno|last_?errno)($|_?(msg|message|string|str|text|code|no|length|len|info|n|utf8|all|line|line_data))$|^dlerror$|^h_errno$`)

// fetched is a call that returns the last error of a thread.
type fetched struct {
	name string // of the C function
	sure bool

	shared string // what it returns, if that is the program's and not a thread's
}

// fetches reports whether a call returns the last error of a thread. It is sure where the function's
// body shows it, or where there is a declaration alone and its name says so.
func fetches(p *rule.Pass, call *ast.CallExpr) (fetched, bool) {
	name, ok := p.CCall(call)
	if !ok {
		return fetched{}, false
	}
	for i, a := range call.Args {
		t := p.Info.TypeOf(a)
		if t == nil || takesObject(t) {
			return fetched{}, false
		}
		if _, number := types.Unalias(t).Underlying().(*types.Basic); number && i == 0 {
			return fetched{}, false // it explains a code
		}
	}
	says := saysSo(name) || len(call.Args) == 0 && messages.MatchString(name)
	f := p.C.Func(name)
	switch {
	case f != nil && f.Defined && len(call.Args) == 0 && len(f.Calls) == 1 && f.Calls[0] == "__errno_location":
		return fetched{name: name, sure: true}, true
	case !says, f != nil && f.Asks != "":
		return fetched{}, false
	case contracts.Of(name) != nil && contracts.Of(name).Program:
		return fetched{name: name, shared: "the last error of the program"}, true
	case f == nil || !f.Defined:
		t := p.Info.TypeOf(call)
		return fetched{name: name, sure: t != nil && t != types.Typ[types.Invalid]}, true // without its header it may be anything
	}
	ofThread, ofObject := wraps(p.C, name)
	if !ofThread && !ofObject {
		for _, v := range f.Uses {
			if !slices.Contains(p.C.Threads, v) {
				return fetched{name: name, shared: "what the variable " + v + " of C holds"}, true
			}
		}
		ofThread = len(f.Uses) > 0
	}
	return fetched{name: name, sure: ofThread}, ofThread || !ofObject
}

func saysSo(name string) bool { return named.MatchString(name) || lastError.MatchString(name) }

// wraps tells what a function whose body is seen comes to: one that returns the error of a thread,
// or one that returns that of an object, which it is given. If it comes to none, it may read a
// variable, of the thread or of the program.
func wraps(c *csource.Facts, name string) (ofThread, ofObject bool) {
	c.Reaches(name, func(to string) bool {
		if to == name {
			return false
		}
		f, says := c.Func(to), saysSo(to) || messages.MatchString(to)
		switch {
		case to == "__errno_location":
			ofThread = true
		case f != nil && f.Defined:
		case f != nil && len(f.Params) > 0 && strings.Contains(f.Params[0].Type, "*"):
			ofObject = ofObject || says || len(c.Func(name).Calls) == 1
		case says:
			ofThread = true
		}
		return ofThread
	})
	return ofThread, ofObject
}

var lastError = regexp.MustCompile(`(?i)(last_?error|err(or)?_?last$|last_err$|geterror$)`)

// messages are names of functions that say what went wrong, of nothing that they are given.
var messages = regexp.MustCompile(`(?i)(^|_)err(or)?_?(msg|message|str|string|text)$`)

// takesObject reports whether an argument can be what the error belongs to: a pointer that is
// not to a number, as buffers and lengths are.
func takesObject(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	case *types.Pointer:
		_, number := types.Unalias(u.Elem()).Underlying().(*types.Basic)
		if n, ok := types.Unalias(u.Elem()).(*types.Named); ok && strings.HasPrefix(n.Obj().Name(), "_Ctype_struct") {
			return true
		}
		if _, isPtr := types.Unalias(u.Elem()).Underlying().(*types.Pointer); isPtr {
			return false // an out parameter
		}
		return !number
	case *types.Struct:
		return true
	}
	return false
}

type function struct {
	decl    *ast.FuncDecl
	fetch   *ast.CallExpr // the first call that fetches an error
	what    fetched
	failing ast.Node // a call of C before it
	through *types.Func
	locked  bool
	unlocks bool
	mutex   bool // it locks one
	callers []*types.Func
	held    bool // a caller calls it in a function literal that runs with the thread locked
}

func run(p *rule.Pass) {
	all := map[*types.Func]*function{}
	var order []*types.Func // as in the source: what is found doesn't depend on chance
	p.Functions(func(d *ast.FuncDecl) {
		if f, ok := p.Info.Defs[d.Name].(*types.Func); ok {
			all[f] = &function{decl: d}
			order = append(order, f)
		}
	})
	c := collector{p, all}
	for _, x := range all {
		ast.Inspect(x.decl.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			x.locked = x.locked || ok && c.Calls(call, "runtime", "LockOSThread")
			x.unlocks = x.unlocks || ok && c.Calls(call, "runtime", "UnlockOSThread")
			x.mutex = x.mutex || ok && (c.Calls(call, "sync", "Mutex.Lock") || c.Calls(call, "sync", "RWMutex.Lock"))
			return true
		})
	}
	c.lockedByCallees()
	for changed, round := true, 0; changed && round < 10; round++ {
		changed = false
		for _, f := range order {
			changed = c.look(f, all[f]) || changed
		}
	}
	for _, f := range order {
		x := all[f]
		if x.fetch == nil || x.failing == nil || x.what.shared == "" && x.locked || c.callersLock(f, map[*types.Func]bool{}) {
			continue
		}
		what, severity := "C."+x.what.name, rule.Error
		if x.through != nil {
			what = x.through.Name() + " (" + what + ")"
		}
		if !x.what.sure {
			severity = rule.Warning
		}
		line := p.Position(x.failing.Pos()).Line
		if x.what.shared != "" {
			if !x.mutex {
				p.Report(rule.Finding{
					At: x.fetch, Severity: rule.Warning,
					Message: fmt.Sprintf("%s returns %s, which all threads share: a call on another thread since line %d may have changed it; hold a mutex over both calls, as runtime.LockOSThread doesn't help", what, x.what.shared, line),
					Also:    []rule.Also{{At: x.failing.Pos(), Message: "the call whose error is wanted"}},
				})
			}
			continue
		}
		p.Report(rule.Finding{
			At: x.fetch, Severity: severity,
			Message: fmt.Sprintf("%s returns the error of this thread, but the call at line %d may have run on another: call runtime.LockOSThread before it", what, line),
			Also:    []rule.Also{{At: x.failing.Pos(), Message: "the call whose error is wanted"}},
			Fix:     fix(p, x.decl),
		})
	}
}

// lockedByCallees marks the functions that call one which locks the thread and leaves it so, as one that
// connects may do for its caller.
func (c collector) lockedByCallees() {
	leaves := map[*types.Func]bool{}
	for f, x := range c.all {
		leaves[f] = x.locked && !x.unlocks
	}
	for _, x := range c.all {
		ast.Inspect(x.decl.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && leaves[c.Callee(call)] {
				x.locked = true
			}
			return !x.locked
		})
	}
}

type collector struct {
	*rule.Pass
	all map[*types.Func]*function
}

// look finds what a function fetches, by what is known of others so far, and what fails before; it
// reports whether anything is new.
func (c *collector) look(f *types.Func, x *function) (changed bool) {
	var calls []ast.Node
	was := x.fetch
	x.fetch, x.failing, x.through = nil, nil, nil
	defer func() { changed = changed || x.fetch != was }()
	ast.Inspect(x.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if g := c.Callee(call); c.all[g] != nil && c.lends(call) {
			c.all[g].held = true
			return true
		}
		if what, ok := fetches(c.Pass, call); ok {
			if x.fetch == nil && !c.lends(call) {
				x.fetch, x.what = call, what
				x.failing = before(c, call, calls)
			}
			return true
		}
		if name, ok := c.CCall(call); ok {
			if !harmless(name) {
				calls = append(calls, call)
			}
			return true
		}
		g := c.Callee(call)
		y := c.all[g]
		if y == nil || g == f {
			return true
		}
		if y.fetch != nil && y.failing == nil && !y.locked && x.fetch == nil {
			x.fetch, x.what, x.through = call, y.what, g
			x.failing = before(c, call, calls)
		}
		known := false
		for _, k := range y.callers {
			known = known || k == f
		}
		if !known {
			y.callers = append(y.callers, f)
			changed = true
		}
		return true
	})
	return changed
}

// lends reports whether a call stands in a function literal that is given to a function of the
// package which locks the thread: what locks for others calls them meanwhile.
func (c *collector) lends(call *ast.CallExpr) bool {
	for n := flow.Function(c.Package, call); n != nil; n = flow.Function(c.Package, n) {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return false
		}
		outer, ok := c.Parent(lit).(*ast.CallExpr)
		if !ok || outer.Fun == lit {
			continue
		}
		if y := c.all[c.Callee(outer)]; y != nil && y.locked {
			return true
		}
	}
	return false
}

// before is the last call of C that comes before another in the source and isn't an argument of it.
func before(c *collector, fetch *ast.CallExpr, calls []ast.Node) ast.Node {
	lit := flow.Function(c.Package, fetch)
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].End() <= fetch.Pos() && flow.Function(c.Package, calls[i]) == lit {
			return calls[i]
		}
	}
	return nil
}

// callersLock reports whether a function that only its package can call is always called
// with the thread locked.
func (c *collector) callersLock(f *types.Func, seen map[*types.Func]bool) bool {
	x := c.all[f]
	if f.Exported() || len(x.callers) == 0 || seen[f] {
		return !f.Exported() && x.held && !seen[f]
	}
	seen[f] = true
	for _, g := range x.callers {
		if y := c.all[g]; !y.locked && !c.callersLock(g, seen) {
			return false
		}
	}
	return true
}

// harmless are C calls that leave no error.
func harmless(name string) bool {
	switch name {
	case "CString", "CBytes", "GoString", "GoStringN", "GoBytes", "free", "malloc", "calloc", "strlen", "memcpy", "memset", "CMalloc":
		return true
	}
	return flow.FreesByName(name)
}

// fix locks the thread at the beginning of the function.
func fix(p *rule.Pass, d *ast.FuncDecl) *rule.Fix {
	edits, ok := p.Imports(d.Body, "runtime")
	if !ok {
		return nil
	}
	return &rule.Fix{Message: "lock the thread for the function", Edits: append(edits,
		p.First(d.Body, "runtime.LockOSThread()", "defer runtime.UnlockOSThread()"))}
}
