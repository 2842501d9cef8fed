// Package blockingcall finds C calls that wait.
package blockingcall

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "blocking-call",
	Title:    "a C call that waits: it takes a thread, and nothing can interrupt it",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `A goroutine that waits in C has a thread of its own for so long, and the scheduler takes up to
some 20 µs to notice that its processor is free. Neither a context nor Close ends the wait.

Before:

	func (c *Conn) Next(ctx context.Context) Event {
		return event(C.conn_wait(c.c)) // whatever ctx says
	}

After:

	n, err := coro.Call(ctx, …) // C's wait becomes one of Go's netpoller, and ends with ctx

or offload of Seam, whose threads do the waiting, so many at a time as they are; or a call of
C with a timeout, repeated until the context ends. Without a change of the source, seam weld bounds
how many wait at once ("offload:8 PACKAGE.FUNCTION" in seam.plan), or takes no thread for a wait in
libc ("park PACKAGE.FUNCTION"); neither makes it end with a context.

It is a warning in a function that is given a context and never looks at it, a note elsewhere,
once for each C function. A call counts as waiting if the body of the C function comes to one
that waits for others or for the time (poll, recv, sem_wait, sleep) within three calls.`,
	Run: run,
}

func run(p *rule.Pass) {
	noted := map[string]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := p.CCall(call)
			if !ok {
				return true
			}
			way := p.C.Waits(name)
			if way == nil {
				return true
			}
			how := "C." + name
			if len(way) > 1 {
				how += " (" + strings.Join(way, " → ") + ")"
			}
			if ctx := ignoredContext(p, call); ctx != "" {
				p.Reportf(call, rule.Warning, "%s waits, and %s, which this function never looks at, doesn't end the wait: coro of Seam does, or a timeout in C and a loop", how, ctx)
			} else if !noted[name] {
				noted[name] = true
				p.Reportf(call, rule.Note, "%s", fmt.Sprintf("%s waits: the goroutine takes a thread meanwhile and can't be interrupted; coro of Seam makes the wait end with a context, offload bounds the threads, and so does seam weld by the line offload:8 %s.%s in seam.plan", how, p.Types.Path(), name))
			}
			return true
		})
	}
}

// ignoredContext is the parameter of type context.Context that a function around a call has
// and doesn't use; "" if there is none.
func ignoredContext(p *rule.Pass, call *ast.CallExpr) string {
	d, ok := flow.Function(p.Package, call).(*ast.FuncDecl)
	if !ok {
		return ""
	}
	f, ok := p.Info.Defs[d.Name].(*types.Func)
	if !ok {
		return ""
	}
	for i := range f.Signature().Params().Len() {
		v := f.Signature().Params().At(i)
		if v.Type().String() != "context.Context" || v.Name() == "" || v.Name() == "_" {
			continue
		}
		used := false
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && p.Info.Uses[id] == v {
				used = true
			}
			return !used
		})
		if !used {
			return v.Name()
		}
	}
	return ""
}
