// Package stackbuffer finds large arrays on the stacks of goroutines that start often.
package stackbuffer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "stack-buffer",
	Title:    "a goroutine that starts often and has an array of 2 to 128 KiB on its stack",
	Severity: rule.Note,
	Since:    "0.9",
	Doc: `A goroutine begins with a stack of 2 KiB, or what others used on average. An array that doesn't
fit makes the runtime allocate twice as much, and copy, until it does; then the array is set to
zero, at every call. Larger ones than 128 KiB are on the heap anyway.

Before:

	for {
		conn, err := l.Accept()
		…
		go func() {
			var buf [32 << 10]byte
			…
		}()
	}

After:

	buf := buffers.Get().(*[32 << 10]byte) // a sync.Pool
	defer buffers.Put(buf)

seam stack trace shows what such stacks cost in a program; seam lab growth, on this machine.
An array that is given to what can't be seen is on the heap, and isn't reported.`,
	Run: run,
}

// What is reported, in bytes: less fits on a new stack or nearly, more isn't on the stack.
const (
	least = 2 << 10
	most  = 128 << 10
)

func run(p *rule.Pass) {
	decls := p.Declarations()
	seen := map[*types.Var]bool{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			entry := flow.Started(p.Package, n, decls)
			if entry == nil || !flow.InLoop(p.Package, n) {
				return true
			}
			for id, v := range arrays(p, entry) {
				size := p.Sizes.Sizeof(v.Type())
				if seen[v] || !stays(p, entry, v) {
					continue
				}
				seen[v] = true
				p.Report(rule.Finding{
					At: id, Severity: rule.Note, Also: []rule.Also{{At: n.Pos(), Message: "the goroutine starts here, in a loop"}},
					Message: fmt.Sprintf("%s puts %s on the stack of a goroutine that begins with 2 KiB: each start grows the stack and clears the array; take a buffer from a sync.Pool", v.Name(), quantity.Format(float64(size), "B")),
				})
			}
			return true
		})
	}
}

// arrays are the local variables of a function that are arrays of the sizes in question.
func arrays(p *rule.Pass, fn ast.Node) map[*ast.Ident]*types.Var {
	all := map[*ast.Ident]*types.Var{}
	ast.Inspect(flow.Body(fn), func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit {
			return false
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := p.Info.Defs[id].(*types.Var)
		if !ok {
			return true
		}
		if a, ok := types.Unalias(v.Type()).Underlying().(*types.Array); ok {
			if _, basic := a.Elem().Underlying().(*types.Basic); basic {
				if n := p.Sizes.Sizeof(v.Type()); least <= n && n <= most {
					all[id] = v
				}
			}
		}
		return true
	})
	return all
}

// stays reports whether all uses of an array are such that it stays on the stack.
func stays(p *rule.Pass, fn ast.Node, v *types.Var) bool {
	ok := true
	ast.Inspect(flow.Body(fn), func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		if is && p.Info.Uses[id] == v {
			ok = ok && harmless(p, fn, id)
		}
		return ok
	})
	return ok
}

func harmless(p *rule.Pass, fn ast.Node, id *ast.Ident) bool {
	if flow.Function(p.Package, id) != fn {
		return false // a literal that may outlive the function
	}
	switch x := p.Parent(id).(type) {
	case *ast.IndexExpr:
		u, address := p.Parent(x).(*ast.UnaryExpr)
		return x.X == id && !(address && u.Op == token.AND)
	case *ast.RangeStmt:
		return x.X == id
	case *ast.AssignStmt:
		return true // copied
	case *ast.CallExpr:
		return p.IsBuiltin(x, "len", "cap")
	case *ast.SliceExpr:
		call, is := p.Parent(x).(*ast.CallExpr)
		return is && x.X == id && (p.IsConversion(call) && isString(p.Info.TypeOf(call)) || p.IsBuiltin(call, "copy", "len", "append") || keepsNothing(p, call))
	}
	return false
}

func isString(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// keepsNothing reports whether a function of the standard library leaves the slices that it
// is given on the stack.
func keepsNothing(p *rule.Pass, call *ast.CallExpr) bool {
	f := p.Callee(call)
	if f == nil || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "strconv", "encoding/binary", "encoding/hex", "encoding/base64", "unicode/utf8", "hash/crc32", "hash/adler32":
		return true
	case "bytes":
		return !strings.HasPrefix(f.Name(), "New")
	case "os":
		switch f.Name() {
		case "Read", "Write", "ReadAt", "WriteAt":
			return true
		}
	}
	return false
}
