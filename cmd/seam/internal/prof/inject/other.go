package inject

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// registrar is the function that a program may call once.
const registrar = "SetCgoTraceback"

// other finds a package of the program that registers traceback functions of its own, "" if there
// is none: ours would come first, since the standard library is initialised before others, and
// the package's call panic. What can't be listed is the build's to tell.
func other(ctx context.Context, command *gotool.Command) string {
	flags := append(command.ListFlags(), "-deps")
	if command.Verb == "test" {
		flags = append(flags, "-test")
	}
	packages, _ := gotool.List(ctx, command.Tool, command.Dir, flags, command.Packages()...)
	for _, p := range packages {
		path, _, _ := strings.Cut(p.ImportPath, " ") // "x [x.test]"
		// Its functions are C's. Package prof yields by itself.
		if p.Standard || !p.UsesCgo() || path == "github.com/seamgo/seam/prof" {
			continue
		}
		if slices.ContainsFunc(slices.Concat(p.CgoFiles, p.GoFiles), func(name string) bool {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			return registers(name)
		}) {
			return path
		}
	}
	return ""
}

// registers says whether a file of Go calls the registrar.
func registers(name string) (found bool) {
	text, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(text, []byte(registrar)) {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		return false
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		found = found || ok && s.Sel.Name == registrar
		return !found
	})
	return found
}
