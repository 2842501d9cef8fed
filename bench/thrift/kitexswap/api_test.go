package kitexswap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What kitex's code exports ours has too, with the same parameters and results. What differs is
// written down here and in docs/thrift.md.
func TestSameAPI(t *testing.T) {
	differs := regexp.MustCompile(strings.Join([]string{
		`^\(\w+\)\.FastReadField\d+ `, // a step of FastRead, which nothing else calls
		`^KitexUnusedProtection `,
	}, "|"))
	seen := 0
	for _, dir := range []string{"base", "base/health", "shop", "shop/orderservice"} {
		ours, theirs := exported(t, filepath.Join("ours/gen", dir)), exported(t, filepath.Join("theirs/gen", dir))
		for _, name := range slices.Sorted(maps.Keys(theirs)) {
			seen++
			if got, ok := ours[name]; got != theirs[name] && !differs.MatchString(name+" "+theirs[name]) {
				t.Errorf("%s: %s %s is ours as %q (there: %v)", dir, name, theirs[name], got, ok)
			}
		}
	}
	if seen < 300 {
		t.Errorf("only %d names were compared", seen)
	}
}

// exported returns what the files of a package export: constants, variables, functions and types,
// and methods with the parameters and results that they have.
func exported(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	alias := map[string]string{} // the exported names of types that aren't
	fset := token.NewFileSet()
	var methods []*ast.FuncDecl
	names, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(dir, names, err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv != nil:
					methods = append(methods, d)
				default:
					all[d.Name.Name] = signature(d.Type)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							all[s.Name.Name] = "type"
							if of, ok := s.Type.(*ast.Ident); ok && s.Assign.IsValid() {
								alias[of.Name] = s.Name.Name
							}
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if n.IsExported() {
								all[n.Name] = "value"
							}
						}
					}
				}
			}
		}
	}
	for _, m := range methods {
		of := strings.TrimPrefix(types.ExprString(m.Recv.List[0].Type), "*")
		if public := alias[of]; public != "" {
			of = public
		}
		if ast.IsExported(of) {
			all["("+of+")."+m.Name.Name] = signature(m.Type)
		}
	}
	return all
}

// signature is the types of parameters and results, without their names.
func signature(f *ast.FuncType) string {
	list := func(fields *ast.FieldList) string {
		var parts []string
		if fields != nil {
			for _, x := range fields.List {
				for range max(1, len(x.Names)) {
					parts = append(parts, types.ExprString(x.Type))
				}
			}
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return strings.NewReplacer("interface{}", "any", "gopkg.", "thrift.", "kitex.ServiceInfo", "serviceinfo.ServiceInfo").Replace(list(f.Params) + " " + list(f.Results))
}
