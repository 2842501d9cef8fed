// Package windowssize finds numbers whose C type has fewer bits on Windows.
package windowssize

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "windows-size",
	Title:    "C's long, which has 32 bits on Windows, for a number of 64 bits in a package that is built there",
	Severity: rule.Warning,
	Since:    "0.9",
	Doc: `long has 64 bits on Linux and macOS, and 32 on Windows. A conversion to C.long cuts there without a word,
a *C.long to 64-bit numbers of Go reads and writes halves of them, and C.ulong, where C says size_t, doesn't
compile there.

Before:

	C.file_seek(f, C.long(offset)) // offset is an int64

After:

	C.file_seek64(f, C.int64_t(offset))

A package counts as built for Windows if it has a #cgo line or a file for it; files that aren't built there
are passed over. A 64-bit number is a warning, an int, flags or a time.Duration a note, as such are often
small. Where the function compares the number with anything but 0, or computes it from a constant that
keeps it small, nothing is said.`,
	Run: run,
}

func run(p *rule.Pass) {
	if p.Sizes == nil || p.Sizes.Sizeof(types.Typ[types.Int]) < 8 || !forWindows(p) {
		return
	}
	wrong := map[ast.Node]bool{} // conversions that don't compile on Windows
	for _, f := range p.Files {
		if name := p.Position(f.FileStart).Filename; !onWindows(filepath.Dir(name), filepath.Base(name)) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if p.IsConversion(call) && len(call.Args) == 1 {
				pointer(p, call)
				if !wrong[call] {
					number(p, call)
				}
			} else if name, ok := p.CCall(call); ok {
				for i, a := range call.Args {
					if argument(p, call, name, i, a) {
						wrong[ast.Unparen(a)] = true
					}
				}
			}
			return true
		})
	}
}

// forWindows reports whether a package says that it is built for Windows.
func forWindows(p *rule.Pass) bool {
	for _, f := range p.Files {
		for _, g := range f.Comments {
			for line := range strings.Lines(g.Text()) {
				if words, _, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(words, "#cgo") && slices.ContainsFunc(strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == ',' }), func(w string) bool { return w == "windows" }) {
					return true
				}
			}
		}
	}
	if len(p.Files) == 0 {
		return false
	}
	list, err := os.ReadDir(filepath.Dir(p.Position(p.Files[0].FileStart).Filename))
	return err == nil && slices.ContainsFunc(list, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), "_windows.go") || strings.HasSuffix(e.Name(), "_windows_amd64.go")
	})
}

// onWindows reports whether a file is built for 64-bit Windows.
func onWindows(dir, name string) bool {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = "windows", "amd64", true
	ok, err := ctx.MatchFile(dir, name)
	return ok && err == nil
}

// long is C's long or unsigned long, as cgo names it, if a type is that by its own name.
func long(t types.Type) string {
	n, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	switch n.Obj().Name() {
	case "_Ctype_long":
		return "long"
	case "_Ctype_ulong":
		return "ulong"
	}
	return ""
}

// number looks at C.long(x).
func number(p *rule.Pass, call *ast.CallExpr) {
	cName, ok := p.CName(call.Fun)
	if !ok || cName != "long" && cName != "ulong" || p.Info.Types[call].Value != nil {
		return
	}
	x, bytes := whole(p, call.Args[0])
	t := p.Info.TypeOf(x)
	if bytes < 8 || p.Info.Types[x].Value != nil || long(t) != "" || small(p, x) || compared(p, call, x) {
		return
	}
	b := types.Unalias(t).Underlying().(*types.Basic)
	severity := rule.Warning
	if n := source.Named(t); isFlags(x) || b.Kind() == types.Int || b.Kind() == types.Uint || n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" {
		severity = rule.Note
	}
	p.Reportf(call, severity, "%s has 64 bits, and C.%s has 32 on Windows, for which this package is built: it is cut there; compare it first, or use a type of 64 bits if C has one", source.Text(x), cName)
}

// isFlags reports whether a number consists of flags by its name, of which few are above the 32nd bit.
func isFlags(x ast.Expr) bool {
	name := strings.ToLower(source.Text(x))
	return strings.HasSuffix(name, "flags") || strings.HasSuffix(name, "mask") || strings.HasSuffix(name, "mode") || strings.HasSuffix(name, "options")
}

// whole is a whole number without the conversions from whole numbers around it, and the least bytes that
// it has on its way; 0 if it is none.
func whole(p *rule.Pass, e ast.Expr) (x ast.Expr, bytes int64) {
	bytes = 8
	for {
		e = ast.Unparen(e)
		b, ok := p.Underlying(e).(*types.Basic)
		if !ok || b.Info()&types.IsInteger == 0 || b.Info()&types.IsUntyped != 0 {
			if x == nil {
				return e, 0
			}
			return x, bytes
		}
		x, bytes = e, min(bytes, p.Sizes.Sizeof(b))
		call, ok := e.(*ast.CallExpr)
		if !ok || !p.IsConversion(call) || len(call.Args) != 1 {
			return x, bytes
		}
		e = call.Args[0]
	}
}

// small reports whether an expression is kept small by a constant: by a mask, a remainder or min.
func small(p *rule.Pass, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		return (x.Op == token.AND || x.Op == token.REM || x.Op == token.SHR) && p.Info.Types[x.Y].Value != nil
	case *ast.CallExpr:
		return p.IsBuiltin(x, "min", "Sizeof", "Alignof")
	}
	return false
}

// compared reports whether the function compares a number with anything but 0.
func compared(p *rule.Pass, at ast.Node, x ast.Expr) bool {
	fn := flow.Function(p.Package, at)
	if fn == nil {
		return false
	}
	text := source.Text(x)
	return flow.Any(fn, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return false
		}
		switch b.Op {
		case token.LSS, token.GTR, token.LEQ, token.GEQ:
		default:
			return false
		}
		for i, e := range []ast.Expr{b.X, b.Y} {
			v := p.Info.Types[[]ast.Expr{b.Y, b.X}[i]].Value
			if source.Text(flow.Strip(p.Package, e)) == text && (v == nil || v.ExactString() != "0") {
				return true
			}
		}
		return false
	})
}

// pointer looks at (*C.long)(unsafe.Pointer(x)) where x points to numbers of Go of 64 bits, and at the
// reverse.
func pointer(p *rule.Pass, call *ast.CallExpr) {
	inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
	to := pointee(p.Info.TypeOf(call))
	if !ok || to == nil || !p.IsConversion(inner) || len(inner.Args) != 1 {
		return
	}
	from := pointee(p.Info.TypeOf(inner.Args[0]))
	if from == nil {
		return
	}
	goes, c := from, to
	if long(c) == "" {
		goes, c = to, from
	}
	b, ok := types.Unalias(goes).Underlying().(*types.Basic)
	if long(c) == "" || source.IsC(goes) || !ok || b.Info()&types.IsInteger == 0 || p.Sizes.Sizeof(b) != 8 {
		return
	}
	p.Reportf(call, rule.Warning, "%s has 64 bits, and C.%s has 32 on Windows, for which this package is built: C reads and writes half of it there; use a type of C of 64 bits", types.TypeString(goes, types.RelativeTo(p.Types)), long(c))
}

func pointee(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	ptr, ok := types.Unalias(t).Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	return ptr.Elem()
}

// wide are the types of C that are long or unsigned long on Linux, and aren't on Windows.
var wide = []string{"size_t", "ssize_t", "int64_t", "uint64_t", "intptr_t", "uintptr_t", "ptrdiff_t"}

// argument reports an argument C.ulong(x) where C has declared one of those.
func argument(p *rule.Pass, call *ast.CallExpr, name string, i int, a ast.Expr) bool {
	conv, ok := ast.Unparen(a).(*ast.CallExpr)
	if !ok || !p.IsConversion(conv) {
		return false
	}
	cName, ok := p.CName(conv.Fun)
	sig, is := p.Info.TypeOf(call.Fun).(*types.Signature)
	if !ok || cName != "long" && cName != "ulong" || !is || i >= sig.Params().Len() {
		return false
	}
	alias, ok := sig.Params().At(i).Type().(*types.Alias)
	if !ok {
		return false
	}
	c := strings.TrimPrefix(alias.Obj().Name(), "_Ctype_")
	if !slices.Contains(wide, c) {
		return false
	}
	p.Report(rule.Finding{
		At: a, Severity: rule.Warning,
		Message: fmt.Sprintf("C.%s wants a %s, which isn't %s on Windows, for which this package is built: it doesn't compile there; use C.%s", name, c, cName, c),
		Fix:     &rule.Fix{Message: "use C." + c, Edits: []rule.Edit{{Pos: conv.Fun.Pos(), End: conv.Fun.End(), New: "C." + c}}},
	})
	return true
}
