package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// chain is n structs, each with two fields of the one before it and this
// default.
func chain(n int, value string) string {
	text := "struct S0 { 1: i32 a = 1, 2: i32 b }\n"
	for i := range n {
		text += fmt.Sprintf("struct S%d { 1: S%d a = %s, 2: S%[2]d b = %[3]s, 3: i32 c }\n", i+1, i, value)
	}
	return text
}

func TestDefaultsInDefaultsStaySmall(t *testing.T) {
	files, err := Generate(load(t, map[string]string{"a.thrift": chain(40, "{}")}, "a.thrift"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(files[0].Text); n > 1<<20 {
		t.Errorf("%d bytes of Go", n)
	}
}

func TestDefaultsThatMultiplyAreRefused(t *testing.T) {
	text := strings.Replace(chain(40, `{"c": 1}`), "{\"c\": 1}", `{"b": 1}`, 2) // S0 has no c
	_, err := Generate(load(t, map[string]string{"a.thrift": text}, "a.thrift"), Options{})
	if err == nil || !strings.Contains(err.Error(), "multiply") {
		t.Errorf("got %v", err)
	}
}

func TestValues(t *testing.T) {
	text := `
		enum E { A = 1, B = 1, C = 3 }
		struct P { 1: i32 x = 5, 2: i32 y, 3: optional i32 z = 6, 4: optional string s }
		const string s = "a\"b\n\\"
		const bool yes = true
		const bool one = 1
		const double d = 3
		const E e = E.B
		const E unnamed = 9
		const binary b = "x"
		const uuid u = "{00112233-4455-6677-8899-AABBCCDDEEFF}"
		const P p = {"y": 1, "z": 2, "s": "t"}
		const P none = {}
		const list<P> ps = [{"y": 1}, {}]
		const map<E, list<binary>> m = {E.A: ["x"], E.C: []}
		const map<binary, P> by = {"k": {"x": 1}}
		const map<P, string> pairs = {{"x": 1}: "v"}
		const set<double> ds = [1, 1.5, 1e100]
	`

	g := &generator{opt: &Options{}, names: map[*model.Program]*names{}, packages: map[*model.Program]*goPackage{}, fields: map[*model.Struct]map[*model.Field]string{}}
	prog := load(t, map[string]string{"a.thrift": text}, "a.thrift")[0]
	f := g.newFile(prog)
	want := map[string]string{
		"s": `"a\"b\n\\"`, "yes": "true", "one": "true", "d": "3.0", "e": "E_B", "unnamed": "E(9)", "b": `[]byte("x")`,
		"u": "thrift.UUID{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}",
		"p": `&P{X: 5, Y: 1, Z: thrift.Ptr[int32](2), S: thrift.Ptr("t")}`, "none": "NewP()",
		"ps": "[]*P{{X: 5, Y: 1}, NewP()}", "m": `map[E][][]byte{E_A: {[]byte("x")}, E_C: {}}`,
		"by": `map[string]*P{"k": {X: 1}}`, "pairs": `[]thrift.Pair[*P, string]{{Key: &P{X: 1}, Value: "v"}}`,
		"ds": "[]float64{1.0, 1.5, 1e+100}",
	}
	for _, c := range prog.Consts {
		if got := f.value(c.Type, c.Value); got != want[c.Name] {
			t.Errorf("%s: got %s, want %s", c.Name, got, want[c.Name])
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}

// A package is imported under another name where a variable of generated
// code would hide it: every one of those must be known.
func TestVariablesHideNoPackage(t *testing.T) {
	for _, name := range []string{"internal/sample/sample.go", "testdata/sample_kitex.go.txt", "testdata/sample_apache.go.txt"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		check := func(id *ast.Ident) {
			if id.Name == strings.ToLower(id.Name) && !shadowed(id.Name) {
				t.Errorf("%s: a package called %s would be hidden by a variable", name, id.Name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
						check(id)
					}
				}
			case *ast.RangeStmt:
				for _, left := range []ast.Expr{n.Key, n.Value} {
					if id, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
						check(id)
					}
				}
			case *ast.DeclStmt:
				for _, spec := range n.Decl.(*ast.GenDecl).Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						for _, id := range v.Names {
							check(id)
						}
					}
				}
			case *ast.FuncType:
				for _, list := range []*ast.FieldList{n.Params, n.Results} {
					if list == nil {
						continue
					}
					for _, field := range list.List {
						for _, id := range field.Names {
							check(id)
						}
					}
				}
			}
			return true
		})
	}
}
