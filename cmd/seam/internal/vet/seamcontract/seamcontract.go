// Package seamcontract finds C that is called by Seam's packages and breaks what they ask of it.
package seamcontract

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "seam-contract",
	Title:    "C that is called as a leaf or in a coroutine of Seam, and waits or calls Go",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `A leaf runs on the system stack of a thread that the scheduler believes to be running Go: while it
waits nobody gets that processor, and it can't call Go. C in a coroutine asks Go by the functions of
seam/coro.h; a call of an exported function there takes the stack of the coroutine for that of a thread,
and a wait in libc holds the thread that it shares with others.

Before:

	var next = leaf.Of[C.args]("next", unsafe.Pointer(C.next)) // next calls poll

After:

	n, err := coro.Call(ctx, unsafe.Pointer(C.next), …) // next calls seam_wait_fd

The body of the C function must be seen. A leaf that waits or calls Go, and a coroutine that calls an
exported function, are errors, a wait of libc in a coroutine a warning, and so are the missing
-fstack-clash-protection in the package's #cgo lines, without which a large frame may jump over the
guard of the stack. Flags in the environment aren't seen, and calls through pointers aren't followed.`,
	Run: run,
}

const module = "github.com/seamgo/seam/"

// caller is a function of Seam's that calls C, and which argument is the C function.
type caller struct {
	pkg, name string
	arg       int
}

var callers = []caller{
	{"leaf", "Of", 1}, {"leaf", "Call", 0},
	{"coro", "Call", 1}, {"coro", "New", 0}, {"coro", "Generate", 1}, {"coro", "Of", 1}, {"coro", "Runner.Call", 1},
}

func run(p *rule.Pass) {
	exports, flagged := p.Exports(), false
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for _, c := range callers {
				if !p.Calls(call, module+c.pkg, c.name) || c.arg >= len(call.Args) {
					continue
				}
				name, ok := p.CName(flow.Strip(p.Package, call.Args[c.arg]))
				if !ok || p.C.Func(name) == nil || !p.C.Func(name).Defined {
					continue
				}
				check(p, c.pkg, name, call, exports)
				if c.pkg == "coro" && !flagged && !probed(p) {
					flagged = true
					p.Reportf(call, rule.Warning, "C.%s runs in a coroutine, and the C is compiled without -fstack-clash-protection: a frame larger than what is left of the stack isn't noticed; add it to #cgo CFLAGS", name)
				}
			}
			return true
		})
	}
}

func check(p *rule.Pass, pkg, name string, call *ast.CallExpr, exports map[string]bool) {
	what, severity, instead := "a leaf", rule.Error, "call it by cgo, offload or coro"
	if pkg == "coro" {
		what, severity, instead = "a coroutine", rule.Warning, "use those of seam/coro.h, as seam_wait_fd"
	}
	if way := p.C.Reaches(name, func(f string) bool { return exports[f] }); way != nil {
		p.Reportf(call, rule.Error, "C.%s is called as %s and calls Go (%s), which it must not: %s", name, what, strings.Join(way, " → "), upcalls(pkg))
		return
	}
	if way := p.C.Waits(name); way != nil {
		p.Report(rule.Finding{At: call, Severity: severity, Message: fmt.Sprintf("C.%s is called as %s and waits (%s): %s", name, what, strings.Join(way, " → "), instead)})
	}
}

func upcalls(pkg string) string {
	if pkg == "coro" {
		return "use seam_upcall of seam/coro.h"
	}
	return "call it by cgo or coro"
}

// probed reports whether a #cgo line of the package has the flag by which frames are probed.
func probed(p *rule.Pass) bool {
	for _, f := range p.Files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.Contains(c.Text, "#cgo") && strings.Contains(c.Text, "-fstack-clash-protection") {
					return true
				}
			}
		}
	}
	return false
}
