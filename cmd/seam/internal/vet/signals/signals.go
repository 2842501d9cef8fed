// Package signals finds C that installs signal handlers or masks signals.
package signals

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "signals",
	Title:    "C that installs signal handlers, or masks signals",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `The Go runtime uses signals itself: to preempt goroutines, to profile, to make panics of
bad memory accesses. A handler that C installs without SA_ONSTACK runs on the small stack of a
goroutine and overwrites what lies behind it; one that replaces Go's takes its signals away. A
thread that C leaves with signals masked goes back to Go, whose goroutines can't be preempted
on it.

Before:

	signal(SIGINT, on_interrupt);

After:

	struct sigaction a = { .sa_handler = on_interrupt, .sa_flags = SA_ONSTACK };
	sigaction(SIGINT, &a, &previous);

or os/signal in Go.`,
	Run: run,
}

var masks = []string{"sigprocmask", "pthread_sigmask", "sigblock", "sigsetmask"}

func run(p *rule.Pass) {
	seen := map[string]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := p.CCall(call)
			if !ok || seen[name] {
				return true
			}
			if way := p.C.Reaches(name, func(c string) bool { return offStack(p, c) != "" }); way != nil || installs(p, name, call) {
				if len(way) > 0 {
					way = append(way, offStack(p, way[len(way)-1]))
				} else {
					way = []string{name}
				}
				seen[name] = true
				p.Reportf(call, rule.Warning, "C.%s installs a signal handler without SA_ONSTACK (%s): it may run on the stack of a goroutine, and takes the signal from Go", name, strings.Join(way, " → "))
			} else if way := p.C.Reaches(name, func(c string) bool { return slices.Contains(masks, c) }); len(way) > 0 && len(way) <= 3 && !restores(p, way) {
				seen[name] = true
				p.Reportf(call, rule.Warning, "C.%s changes which signals the thread takes (%s): if it leaves them masked, Go can't preempt what runs on this thread later", name, strings.Join(way, " → "))
			}
			return true
		})
	}
}

// offStack is by what a C function itself installs a handler without SA_ONSTACK, as far as its body
// shows: flags that come from elsewhere count as right.
func offStack(p *rule.Pass, name string) string {
	if f := p.C.Func(name); f != nil {
		return f.OffStack
	}
	return ""
}

// installs reports whether Go itself installs a handler, and not that a signal is ignored or handled
// as by default, where there is none that could run.
func installs(p *rule.Pass, name string, call *ast.CallExpr) bool {
	if p.C == nil || !slices.Contains(csource.Installs, name) || len(call.Args) != 2 {
		return false
	}
	handler, _ := p.CName(flow.Strip(p.Package, call.Args[1]))
	return handler != "SIG_IGN" && handler != "SIG_DFL"
}

// restores reports whether the function that masks does so twice: it sets back what was. Of
// calls only their names are known, so a second function that does it counts.
func restores(p *rule.Pass, way []string) bool {
	if len(way) < 2 {
		return false
	}
	f := p.C.Func(way[len(way)-2])
	return f != nil && f.Repeats(way[len(way)-1])
}
