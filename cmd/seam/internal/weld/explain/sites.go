package explain

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// A Site is a place in Go source that makes a C call.
type Site struct {
	File   string // base name
	Line   int
	Func   string // that it is in; "" at package level
	Source string // the line
	Name   string // what is called, after the "C."
	Errno  bool   // errno is asked for
}

// allocators are the Go functions of cgo that call malloc.
var allocators = []string{"malloc", "CString", "CBytes"}

// sites finds the calls in a package's cgo files, by C function.
func sites(p gotool.Package) (map[string][]Site, error) {
	found := map[string][]Site{}
	for _, name := range p.CgoFiles {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Dir, name)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := sitesIn(filepath.Base(name), src, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func sitesIn(name string, src []byte, found map[string][]Site) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	lines := bytes.Split(src, []byte("\n"))
	withErrno := map[ast.Expr]bool{}
	for _, decl := range file.Decls {
		in := ""
		if d, ok := decl.(*ast.FuncDecl); ok {
			in = funcName(d)
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
					withErrno[ast.Unparen(n.Rhs[0])] = true
				}
			case *ast.ValueSpec:
				if len(n.Names) == 2 && len(n.Values) == 1 {
					withErrno[ast.Unparen(n.Values[0])] = true
				}
			case *ast.CallExpr:
				called := cName(n.Fun)
				if called == "" {
					return true
				}
				at := fset.PositionFor(n.Pos(), false)
				s := Site{File: name, Line: at.Line, Func: in, Name: called, Errno: withErrno[n]}
				if at.Line <= len(lines) {
					s.Source = strings.TrimSpace(string(lines[at.Line-1]))
				}
				key := called
				if slices.Contains(allocators, called) {
					key = cgofile.Malloc
				}
				found[key] = append(found[key], s)
			}
			return true
		})
	}
	return nil
}

// cName is the name in "C.name"; "" for other expressions.
func cName(e ast.Expr) string {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "C" {
		return ""
	}
	return sel.Sel.Name
}

// funcName is a function with its receiver's type: "(*Conn).Exec".
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	in, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[") // without type parameters
	if strings.HasPrefix(in, "*") {
		in = "(" + in + ")"
	}
	return in + "." + d.Name.Name
}
