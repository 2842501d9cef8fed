// Package bundle makes source files of this project part of package runtime/cgo,
// which every program that calls C links and no go.mod mentions.
package bundle

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

// sibling begins the import paths of the packages whose files are bundled
// together, so that none of them is imported.
const sibling = "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/"

// function is an exported one where it is declared.
var function = regexp.MustCompile(`(?m)^func (Seam[A-Z]\w*)\(`)

// Callable lets other packages call what a file exports by linkname.
func Callable(src []byte) []byte {
	b := bytes.NewBuffer(slices.Clip(src))
	b.WriteByte('\n')
	for _, m := range function.FindAllSubmatch(src, -1) {
		fmt.Fprintf(b, "//go:linkname %s\n", m[1])
	}
	return b.Bytes()
}

// Known reports whether there is a run-time for a system.
func Known(goos, goarch string) bool {
	return goos == "linux" && (goarch == "amd64" || goarch == "arm64")
}

// Go makes one file of package cgo. The sources are embedded, so one that can't
// be parsed is a bug and panics. Build constraints, package comments and what
// else stands above the imports are left out.
func Go(sources ...[]byte) []byte {
	imports := map[string]bool{}
	var body bytes.Buffer
	for _, src := range sources {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "", src, 0)
		if err != nil {
			panic(err)
		}
		offset := func(p token.Pos) int { return set.Position(p).Offset }
		var edits textedit.Edits
		end := file.Name.End()
		siblings := map[string]bool{}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				end = d.End()
			}
		}
		edits.Replace(0, offset(end), "")
		for _, spec := range file.Imports {
			if p := spec.Path.Value; strings.HasPrefix(p, `"`+sibling) {
				siblings[spec.Name.Name] = true // all are called rt, so each has another name here
			} else {
				imports[p] = true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && siblings[x.Name] {
					edits.Replace(offset(x.Pos()), offset(s.Sel.Pos()), "")
				}
			}
			return true
		})
		body.WriteByte('\n')
		body.Write(bytes.TrimLeft(edits.Apply(src), "\n"))
	}
	var b bytes.Buffer
	b.WriteString("// Code added by seam. See github.com/seamgo/seam.\n\npackage cgo\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "\t%s\n", path)
	}
	b.WriteString(")\n")
	b.Write(body.Bytes())
	return b.Bytes()
}
