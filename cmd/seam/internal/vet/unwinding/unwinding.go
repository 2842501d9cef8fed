// Package unwinding finds C and C++ that leave frames of Go by other ways than a return.
package unwinding

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "unwinding",
	Title:    "a C++ exception that may come to Go, or a longjmp over frames of Go",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `An exception that no C++ function catches ends the program when it comes to Go: std::terminate, and
no recover. A longjmp out of C that Go has called, to C that has called Go, leaves the frames of Go
between them as they are: the goroutine goes on with a stack that doesn't exist.

Before:

	extern "C" int at(list *l, int i) { return l->v.at(i); }

After:

	extern "C" int at(list *l, int i) try { return l->v.at(i); } catch (...) { return -1; }

For longjmp: return a code from the Go function, and let C jump when it has it.

An exception is a warning where a throw, or a function of the library that throws for what its caller
could have known (at, stoi), is seen on the way and no handler is; that memory is lacking isn't
counted. It is said once for each C function. C++ that isn't compiled with the package isn't seen, nor
is which exceptions a handler is for, and whether the throw stands inside of its try block.`,
	Run: run,
}

func run(p *rule.Pass) {
	thrown := map[string]bool{}
	p.Functions(func(d *ast.FuncDecl) {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := p.CCall(call)
			if !ok {
				return true
			}
			if f := p.C.Func(name); f != nil && f.Throws != "" && !thrown[name] {
				thrown[name] = true
				p.Reportf(call, rule.Warning, "a C++ exception may leave C.%s (%s), and one that comes to Go ends the program: catch all in C++ and return a code", name, by(p, name))
			}
			return true
		})
	})
	jumps(p)
}

// by are the steps to what throws.
func by(p *rule.Pass, name string) string {
	var way []string
	for range 4 {
		f := p.C.Func(name)
		if f == nil || f.Throws == "" {
			break
		}
		name = f.Throws
		if !strings.HasPrefix(name, "_Z") {
			way = append(way, name)
		}
	}
	if len(way) == 0 {
		return "by what it calls"
	}
	return strings.Join(way, ", ")
}

// jumps reports calls of C that jump away, in functions that C calls and in those that they call.
func jumps(p *rule.Pass) {
	decls, exports := p.Declarations(), p.Exports()
	seen := map[*ast.FuncDecl]bool{}
	var walk func(d *ast.FuncDecl, from string)
	walk = func(d *ast.FuncDecl, from string) {
		if d == nil || seen[d] {
			return
		}
		seen[d] = true
		ast.Inspect(d.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := p.CCall(call); ok {
				if way := p.C.Reaches(name, jumper); way != nil && !lands(p, way) {
					p.Reportf(call, rule.Error, "C.%s leaves by longjmp (%s), over the frames of %s, which C has called: return a code to C, and jump there", name, strings.Join(way, " → "), from)
				}
			} else if f := p.Callee(call); f != nil && f.Pkg() == p.Types {
				walk(decls[f], from)
			}
			return true
		})
	}
	p.Functions(func(d *ast.FuncDecl) {
		if f, ok := p.Info.Defs[d.Name].(*types.Func); ok && exports[d.Name.Name] && f.Signature().Recv() == nil {
			walk(d, fmt.Sprint(d.Name.Name))
		}
	})
}

func jumper(name string) bool {
	switch name {
	case "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "__builtin_longjmp":
		return true
	}
	return false
}

// lands reports whether a function on the way sets the place to jump to itself.
func lands(p *rule.Pass, way []string) bool {
	for _, name := range way {
		f := p.C.Func(name)
		if f == nil {
			continue
		}
		for _, c := range f.Calls {
			if strings.HasSuffix(c, "setjmp") || strings.HasSuffix(c, "sigsetjmp") {
				return true
			}
		}
	}
	return false
}
