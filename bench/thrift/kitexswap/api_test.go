package kitexswap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What kitex's code exports ours has too, with the same types: functions, methods, fields of
// structs, functions of interfaces. What may differ is here, with the reason; docs/thrift.md
// has it for users. The patterns are of lines as "FOLDER: NAME TYPE is ours as TYPE".
var mayDiffer = []*difference{
	{pattern: `: \(\w+\)\.FastReadField\d+ .* is ours as nothing$`, why: "a step of FastRead, which nothing else calls"},
	{pattern: `: KitexUnusedProtection value is ours as nothing$`, why: "kitex's files need it to compile"},
	{pattern: `: \w+ int64 is ours as int32$`, why: "an enum is 32 bits, as it is on the wire (thriftgo's enum_as_int_32)"},
	{pattern: `\*__.* is ours as .*\*X__`, why: "a type whose name begins with underscores is exported, so that other packages can have it"},
	{pattern: `map\[\*\w+\]\*\w+.* is ours as .*/thrift\.Pair\[`, why: "a map whose key is a struct is a list of pairs"},
}

type difference struct {
	pattern, why string
	seen         int
}

// A comparison counts names, and what differs of them.
type comparison struct {
	allowed []*regexp.Regexp
	seen    int
}

func compare() *comparison {
	c := &comparison{}
	for _, d := range mayDiffer {
		c.allowed = append(c.allowed, regexp.MustCompile(d.pattern))
	}
	return c
}

// packages compares a package of kitex's with ours.
func (c *comparison) packages(t *testing.T, theirs, ours string) {
	t.Helper()
	us, them := exported(t, ours), exported(t, theirs)
	for _, name := range slices.Sorted(maps.Keys(them)) {
		c.seen++
		want := strings.ReplaceAll(them[name], "/kitexswap/theirs/", "/kitexswap/ours/")
		got, ok := us[name]
		if ok && got == want {
			continue
		}
		if !ok {
			got = "nothing"
		}
		line := theirs + ": " + name + " " + want + " is ours as " + got
		i := slices.IndexFunc(c.allowed, func(re *regexp.Regexp) bool { return re.MatchString(line) })
		if i < 0 {
			t.Error(line)
			continue
		}
		mayDiffer[i].seen++
	}
}

func TestSameAPI(t *testing.T) {
	c := compare()
	for _, dir := range []string{"base", "base/health", "shop", "shop/orderservice", "shop/feed"} {
		c.packages(t, "theirs/gen/"+dir, "ours/gen/"+dir)
	}
	if c.seen < 300 {
		t.Errorf("only %d names were compared", c.seen)
	}
}

// TestExamplesAPI compares all packages that kitex makes of its own repositories' files.
func TestExamplesAPI(t *testing.T) {
	c := compare()
	for _, d := range mayDiffer {
		d.seen = 0
	}
	files := 0
	err := filepath.WalkDir("examples", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".thrift") {
			return err
		}
		files++
		rest := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), "examples/"), ".thrift")
		root := path.Join("theirs/testdata", rest)
		return filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				if list, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(list) > 0 {
					c.packages(t, dir, filepath.Join("ours", strings.TrimPrefix(dir, "theirs")))
				}
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d names of %d files", c.seen, files)
	for _, d := range mayDiffer {
		t.Logf("%5d differ by %s: %s", d.seen, d.pattern, d.why)
		if d.seen == 0 {
			t.Errorf("nothing differs by %s: take it from the list", d.pattern)
		}
	}
	if files < 38 || c.seen < 10000 {
		t.Errorf("only %d names of %d files were compared", c.seen, files)
	}
}

// exported returns what the files of a package export, with the types of parameters, results
// and fields; packages are written with their import paths.
func exported(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	alias := map[string]string{} // the exported names of types that aren't
	members := map[string]map[string]string{}
	fset := token.NewFileSet()
	names, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		qualify(t, f)
		of := func(name string) map[string]string {
			if members[name] == nil {
				members[name] = map[string]string{}
			}
			return members[name]
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					all[d.Name.Name] = signature(d.Type)
				} else {
					of(strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*"))[d.Name.Name] = signature(d.Type)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						name := s.Name.Name
						switch x := s.Type.(type) {
						case *ast.StructType:
							all[name] = "struct"
							list(of(name), x.Fields)
						case *ast.InterfaceType:
							all[name] = "interface"
							list(of(name), x.Methods)
						case *ast.Ident:
							all[name] = text(x)
							if s.Assign.IsValid() && !x.IsExported() {
								alias[x.Name] = name
							}
						default:
							all[name] = text(x)
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							all[n.Name] = "value"
						}
					}
				}
			}
		}
	}
	for of, public := range alias {
		if what, ok := all[of]; ok {
			all[public] = what
		}
	}
	for of, list := range members {
		if public := alias[of]; public != "" {
			of = public
		}
		for name, what := range list {
			if ast.IsExported(of) && ast.IsExported(name) {
				all["("+of+")."+name] = what
			}
		}
	}
	maps.DeleteFunc(all, func(name, _ string) bool { return name[0] != '(' && !ast.IsExported(name) })
	return all
}

// list adds the fields of a struct, or the functions of an interface.
func list(to map[string]string, fields *ast.FieldList) {
	for _, x := range fields.List {
		if len(x.Names) == 0 {
			embedded := text(x.Type)
			to[path.Base(embedded)+" embedded"] = embedded
		}
		for _, n := range x.Names {
			if f, ok := x.Type.(*ast.FuncType); ok {
				to[n.Name] = signature(f)
			} else {
				to[n.Name] = text(x.Type)
			}
		}
	}
}

// qualify gives the names of packages in a file as their import paths.
func qualify(t *testing.T, f *ast.File) {
	paths := map[string]string{}
	for _, x := range f.Imports {
		p, err := strconv.Unquote(x.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(p)
		if x.Name != nil {
			name = x.Name.Name
		}
		paths[name] = p
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && paths[x.Name] != "" {
				x.Name = paths[x.Name]
			}
		}
		return true
	})
}

func text(x ast.Expr) string { return strings.ReplaceAll(types.ExprString(x), "interface{}", "any") }

// signature is the types of parameters and results, without their names.
func signature(f *ast.FuncType) string {
	list := func(fields *ast.FieldList) string {
		var parts []string
		if fields != nil {
			for _, x := range fields.List {
				for range max(1, len(x.Names)) {
					parts = append(parts, text(x.Type))
				}
			}
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return list(f.Params) + " " + list(f.Results)
}
