package rule

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// Imports are the edits after which the file of a node can name a package of the standard
// library: none if it does already. They can't be made if the name stands for something else.
func (p *Pass) Imports(at ast.Node, pkg string) (edits []Edit, ok bool) {
	file, ok := at.(*ast.File)
	if !ok {
		file, ok = p.Enclosing(at, func(n ast.Node) bool { _, is := n.(*ast.File); return is }).(*ast.File)
	}
	if !ok {
		return nil, false
	}
	name := path.Base(pkg)
	if scope := p.Types.Scope().Innermost(at.Pos()); scope != nil {
		if _, o := scope.LookupParent(name, at.Pos()); o != nil {
			imported, is := o.(*types.PkgName)
			return nil, is && imported.Imported().Path() == pkg
		}
	}
	if p.Types.Scope().Lookup(name) != nil {
		return nil, false
	}
	for _, i := range file.Imports {
		if i.Path.Value == strconv.Quote(pkg) && i.Name == nil {
			return nil, true
		}
	}
	return []Edit{importEdit(file, pkg)}, true
}

// importEdit imports a package where the file imports others of the standard library: in the
// block, or after the last declaration.
func importEdit(file *ast.File, pkg string) Edit {
	after := file.Name.End()
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		after = g.End()
		if !g.Lparen.IsValid() {
			continue
		}
		for _, spec := range g.Specs {
			i, ok := spec.(*ast.ImportSpec)
			if ok && i.Path.Value != `"C"` && !strings.Contains(i.Path.Value, ".") {
				return Edit{Pos: i.Pos(), End: i.Pos(), New: strconv.Quote(pkg) + "\n"}
			}
		}
	}
	return Edit{Pos: after, End: after, New: "\n\nimport " + strconv.Quote(pkg)}
}
