package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// KitexMain writes the beginning of a server for the services of the programs that were
// asked for: handler.go, with a type and methods that do nothing yet, and main.go. old is
// what Go files there are in that folder, by name. Of handler.go only what is missing is
// added, and main.go is written if there is none, nor another main.
func KitexMain(progs []*model.Program, opt Options, old map[string][]byte) (made map[string][]byte, err error) {
	g, err := newGenerator(progs, &opt)
	if err != nil {
		return nil, err
	}
	var services []*model.Service
	for _, p := range progs {
		if p.Requested {
			services = append(services, p.Services...)
		}
	}
	if len(services) == 0 {
		return nil, fmt.Errorf("no service in the files: there is nothing to handle")
	}
	there, err := readFolder(old)
	if err != nil {
		return nil, err
	}
	made = map[string][]byte{}
	handler, err := g.kitexHandler(services, there)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(handler, old["handler.go"]) {
		made["handler.go"] = handler
	}
	if _, ok := old["main.go"]; !ok && !there.declared["main"] {
		made["main.go"] = g.kitexMain(services, cmp.Or(there.name, "main"))
	}
	return made, nil
}

// A folder is what the Go files in a folder declare.
type folder struct {
	name     string          // of the package
	declared map[string]bool // types and functions; methods as "Type.Method"
	handler  *ast.File       // handler.go; nil: none
	text     []byte          // of it
	files    *token.FileSet
}

func readFolder(texts map[string][]byte) (*folder, error) {
	in := &folder{declared: map[string]bool{}, files: token.NewFileSet()}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(in.files, name, texts[name], parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("the Go files beside the handler must be readable: %w", err)
		}
		in.name = f.Name.Name
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						in.declared[t.Name.Name] = true
					}
				}
			case *ast.FuncDecl:
				in.declared[receiver(d)+d.Name.Name] = true
			}
		}
		if name == "handler.go" {
			in.handler, in.text = f, texts[name]
		}
	}
	return in, nil
}

// receiver is a method's type and a dot; "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	name, _ := t.(*ast.Ident)
	if name == nil {
		return "?."
	}
	return name.Name + "."
}

// kitexHandler is handler.go with all methods.
func (g *generator) kitexHandler(services []*model.Service, there *folder) ([]byte, error) {
	f := g.newFile(services[0].Program)
	f.pkg = &goPackage{name: cmp.Or(there.name, "main")}
	known := map[string]bool{}
	if there.handler != nil {
		for _, spec := range there.handler.Imports {
			importPath, _ := strconv.Unquote(spec.Path.Value)
			name := packageName(path.Base(importPath))
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if name != "_" && name != "." {
				f.imports[importPath], f.taken[name], known[importPath] = name, true, true
			}
		}
	}
	for _, s := range services {
		name := g.namesOf(s.Program).services[s.Name] + "Impl"
		if !there.declared[name] {
			f.Apart("// ", name, " handles the calls of the service ", s.Name, ".")
			f.P("type ", name, " struct{}")
		}
		methods := f.methodNames(s)
		for at := s; at != nil; at = at.Extends {
			for _, fn := range at.Functions {
				if !there.declared[name+"."+methods[fn]] {
					f.kitexMethod(name, f.function(at, fn, methods[fn]))
				}
			}
		}
	}
	if there.handler == nil {
		var b bytes.Buffer
		fmt.Fprintf(&b, "package %s\n", f.pkg.name)
		f.writeImports(&b)
		b.Write(f.text)
		return format.Source(b.Bytes())
	}
	if len(f.text) == 0 {
		return there.text, nil
	}
	files := token.NewFileSet()
	text := append(slices.Clone(bytes.TrimRight(there.text, "\n")), '\n')
	tree, err := parser.ParseFile(files, "handler.go", append(text, f.text...), parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, importPath := range slices.Sorted(maps.Keys(f.imports)) {
		name := f.imports[importPath]
		switch {
		case known[importPath]:
		case name == path.Base(importPath):
			astutil.AddImport(files, tree, importPath)
		default:
			astutil.AddNamedImport(files, tree, name, importPath)
		}
	}
	var b bytes.Buffer
	if err := format.Node(&b, files, tree); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// kitexMethod writes a method of a handler that does nothing yet.
func (f *file) kitexMethod(handler string, fn *function) {
	f.Apart("// ", fn.method, " is the function ", fn.Name, ".")
	result := "(err error)"
	if fn.Result.Kind != model.Void {
		result = "(resp " + f.goType(fn.Result) + ", err error)"
	}
	params := ""
	if fn.args != nil {
		taken := map[string]bool{"ctx": true, "s": true, "resp": true, "err": true}
		for _, x := range fn.args.Fields {
			params += ", " + parameter(x.Name, taken) + " " + f.fieldType(x)
		}
	}
	if fn.Streams() {
		f.P("func (s *", handler, ") ", fn.method, f.streamSignature(fn), " {")
		f.P("return nil")
		f.P("}")
		return
	}
	f.P("func (s *", handler, ") ", fn.method, "(ctx ", f.use("context"), ".Context", params, ") ", result, " {")
	f.P("return")
	f.P("}")
}

// kitexMain is main.go.
func (g *generator) kitexMain(services []*model.Service, name string) []byte {
	f := g.newFile(services[0].Program)
	f.pkg = &goPackage{name: name}
	in := func(s *model.Service) string {
		pkg := g.servicePackage(s)
		return f.useAs(pkg.importPath, pkg.name)
	}
	logs := f.use("log")
	f.Apart("func main() {")
	if len(services) == 1 {
		s := services[0]
		f.P("s := ", in(s), ".NewServer(new(", g.namesOf(s.Program).services[s.Name], "Impl))")
	} else {
		f.P("s := ", f.useAs(kitexServer, "server"), ".NewServer()")
		for _, s := range services {
			f.Block("if err := "+in(s)+".RegisterService(s, new("+g.namesOf(s.Program).services[s.Name]+"Impl)); err != nil", logs, ".Fatal(err)")
		}
	}
	f.Block("if err := s.Run(); err != nil", logs, ".Fatal(err)")
	f.P("}")
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n", name)
	f.writeImports(&b)
	b.Write(f.text)
	return b.Bytes()
}
