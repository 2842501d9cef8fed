package syntax

import (
	"strings"
	"testing"
)

// parsed returns the tree of a source without mistakes.
func parsed(t *testing.T, src string) *File {
	t.Helper()
	f, errs := Parse("a.thrift", []byte(src))
	if len(errs) > 0 {
		t.Fatalf("%s\n%v", src, errs)
	}
	return f
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]Value{
		"0": {Int: 0}, "007": {Int: 7}, "-12": {Int: -12}, "+12": {Int: 12},
		"0x1F": {Int: 31}, "-0x1f": {Int: -31}, "+0xFF": {Int: 255},
		"9223372036854775807": {Int: 1<<63 - 1}, "-9223372036854775808": {Int: -1 << 63}, "-0x8000000000000000": {Int: -1 << 63},
		".5": {Kind: DoubleValue, Double: .5}, "-.5": {Kind: DoubleValue, Double: -.5}, "1e3": {Kind: DoubleValue, Double: 1000},
		"+2.5E-1": {Kind: DoubleValue, Double: .25},
		"e10":     {Kind: IdentValue}, "true": {Kind: IdentValue}, "a.b.c": {Kind: IdentValue}, "a.1": {Kind: IdentValue},
	} {
		v := parsed(t, "const i64 A = "+text).Decls[0].(*Const).Value
		if v.Kind != want.Kind || v.Int != want.Int || v.Double != want.Double || v.Text != text {
			t.Errorf("%s is %+v", text, v)
		}
	}
}

func TestStrings(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "", `''`: "", `"a'b"`: "a'b", `'a"b'`: `a"b`, `"\n\r\t\\\"\'"`: "\n\r\t\\\"'", `'\''`: "'", `"// # /*"`: "// # /*",
	} {
		v := parsed(t, "const string A = "+text).Decls[0].(*Const).Value
		if v.Kind != StringValue || v.Text != want {
			t.Errorf("%s is %+v", text, v)
		}
	}
}

func TestPlaces(t *testing.T) {
	f := parsed(t, "include 'x'\nnamespace * a\n\nstruct A {\n  7: list<B> b = [\n 1 ],\r\n}\n")
	s := f.Decls[0].(*Struct)
	for what, places := range map[string][2]Pos{
		"include":    {f.Includes[0].Pos, {1, 1}},
		"namespace":  {f.Namespaces[0].Pos, {2, 1}},
		"struct":     {s.Name.Pos, {4, 8}},
		"field":      {s.Fields[0].Pos, {5, 3}},
		"type":       {s.Fields[0].Type.Pos, {5, 6}},
		"element":    {s.Fields[0].Type.Elem.Pos, {5, 11}},
		"field name": {s.Fields[0].Name.Pos, {5, 14}},
		"value":      {s.Fields[0].Default.Pos, {5, 18}},
		"value end":  {s.Fields[0].Default.End, {6, 4}},
	} {
		if places[0] != places[1] {
			t.Errorf("the %s is at %v, not at %v", what, places[0], places[1])
		}
	}
}

func TestOldWordsMeanTheNewOnes(t *testing.T) {
	old, errs := Parse("a.thrift", []byte("php_namespace a\nservice S {\n  async void f(),\n}\ntypedef list<i32> cpp_type 'x' L"))
	if errs.Fatal() || len(errs) != 3 {
		t.Errorf("warnings: %v", errs)
	}
	today := parsed(t, "namespace php a\nservice S {\n  oneway void f(),\n}\ntypedef list cpp_type 'x' <i32> L")
	if a, b := outline(old), outline(today); a != b {
		t.Error(firstDifference(a, b))
	}
}

// What is right beside a mistake is in the tree.
func TestMistakesLeaveTheRest(t *testing.T) {
	f, errs := Parse("a.thrift", []byte(`
struct A {
  1: i32 a = [ 1, : ],
  2: i32 b
  3: map<i32> c
  4: i32 d
service S {
  void f(1: i32 a, 2: , 3: i32 c)
  bad
  void g(1: i32 a
  void h()
}
const map<i32, i32> M = {1 2}
typedef i32 T
`))
	if len(errs) != 7 {
		t.Errorf("%d mistakes:\n%v", len(errs), errs)
	}
	var names []string
	for _, d := range f.Decls {
		names = append(names, d.DeclName().Name)
		switch d := d.(type) {
		case *Struct:
			for _, f := range d.Fields {
				names = append(names, f.Name.Name)
			}
		case *Service:
			for _, f := range d.Functions {
				names = append(names, f.Name.Name)
				for _, a := range f.Args {
					names = append(names, a.Name.Name)
				}
			}
		}
	}
	if got := strings.Join(names, " "); got != "A b d S f a c g a h T" {
		t.Errorf("the tree has %s", got)
	}
}

// Hostile files end in few messages, in time and memory that grow with them.
func TestHostileFiles(t *testing.T) {
	const size = 1 << 20
	for name, src := range map[string]string{
		"lists":            "const i32 A = " + strings.Repeat("[", size),
		"maps":             "const i32 A = " + strings.Repeat("{1:", size/3),
		"types":            "typedef " + strings.Repeat("list<", size/5),
		"braces":           strings.Repeat("{", size),
		"closing braces":   strings.Repeat("}", size),
		"structs":          strings.Repeat("struct A {", size/10),
		"structs in lines": strings.Repeat("struct A {\n", size/11),
		"attributes":       "struct A { 1: i32 a " + strings.Repeat("xsd_attrs { 1: i32 a ", size/21),
		"a name":           "struct " + strings.Repeat("a", size) + " {",
		"a wrong word":     strings.Repeat("a", size) + " {",
		"a number":         "const i32 A = " + strings.Repeat("1", size),
		"a double":         "const double A = 1." + strings.Repeat("1", size) + "e9999",
		"a string":         `const string A = "` + strings.Repeat("a", size),
		"escapes":          `const string A = "` + strings.Repeat(`\x`, size/2),
		"a comment":        "/*" + strings.Repeat("*", size),
		"comments":         strings.Repeat("/**/", size/4) + "x",
		"line comments":    "struct A {" + strings.Repeat("#\n", size/2),
		"signs":            "const i32 A = " + strings.Repeat("-", size),
		"separators":       "struct A { 1: i32 a " + strings.Repeat(",", size),
		"NUL bytes":        strings.Repeat("\x00", size),
		"high bytes":       strings.Repeat("\xff\n", size/2),
		"old words":        strings.Repeat("cpp_namespace a\n", size/16),
		"line ends":        strings.Repeat("\n", size) + "x",
	} {
		f, errs := Parse("a.thrift", []byte(src))
		if f == nil || len(errs) == 0 || len(errs) > maxErrors+1 {
			t.Errorf("%s: %d messages", name, len(errs))
		}
		if n := len(errs.Error()); n > 200*(maxErrors+1) {
			t.Errorf("%s: messages of %d bytes", name, n)
		}
	}
}

func TestDocText(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"none", "struct A {}", ""},
		{"a line", "// One.\nstruct A {}", "One."},
		{"lines", "// One.\n//\n//   two\nstruct A {}", "One.\n\n  two"},
		{"hashes", "## One.\n#two\nstruct A {}", "One.\ntwo"},
		{"more slashes", "/// One.\nstruct A {}", "One."},
		{"a block", "/* One. */ struct A {}", "One."},
		{"a doc block", "/** One. */\nstruct A {}", "One."},
		{"stars", "/**\n * One.\n *\n *   two\n **/\nstruct A {}", "One.\n\n  two"},
		{"no stars", "/*\n  One.\n    two\n  three\n*/\nstruct A {}", "One.\n  two\nthree"},
		{"indented stars", "  /* One.\n   * Two.\n   */\nstruct A {}", "One.\nTwo."},
		{"line ends of two bytes", "/**\r\n * One.\r\n */\r\nstruct A {}", "One."},
		{"behind", "struct A {} // One.", "One."},
		{"before counts more than behind", "// One.\nstruct A {} // Two.", "One."},
		{"apart", "// One.\n\nstruct A {}", ""},
		{"the last of two", "// One.\n\n// Two.\nstruct A {}", "Two."},
		{"empty ones", "/**/ /***/ //\n#\nstruct A {}", ""},
		{"a rule", "//----\nstruct A {}", "----"},
		{"bytes that are no text", "// \xff \ufeffx\nstruct A {}", "\ufffd x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := "typedef i32 X\n\n" + tc.src
			f := parsed(t, src)
			if got := f.Decls[1].DeclComments().Text(); got != tc.want {
				t.Errorf("%q has the text %q, want %q", tc.src, got, tc.want)
			}
		})
	}
}

func TestFileDoc(t *testing.T) {
	for _, tc := range []struct{ src, file, first string }{
		{"// Licence.\n\n// One.\nnamespace go a", "Licence.", "One."},
		{"// Licence.\n\nnamespace go a", "Licence.", ""},
		{"// One.\nnamespace go a", "", "One."},
		{"// A.\n\n// B.\n\n// C.\nnamespace go a", "B.", "C."},
	} {
		f := parsed(t, tc.src)
		if got := f.Doc.Text(); got != tc.file {
			t.Errorf("%q: the file's text is %q", tc.src, got)
		}
		if got := f.Namespaces[0].Comments.Text(); got != tc.first {
			t.Errorf("%q: the namespace's text is %q", tc.src, got)
		}
	}
}

func TestPrintMadeTree(t *testing.T) {
	f := &File{
		Namespaces: []*Namespace{{Language: "go", Name: "a"}},
		Includes:   []*Include{{Path: "b.thrift"}},
		Decls: []Decl{
			&Const{Name: Ident{Name: "A"}, Type: &Type{Kind: ListType, Elem: &Type{Name: "i32"}}, Value: &Value{Kind: ListValue, List: []*Value{{Int: 1}, {Int: -2}}}},
			&Const{Name: Ident{Name: "B"}, Type: &Type{Name: "double"}, Value: &Value{Kind: DoubleValue, Double: .5}},
			&Service{Name: Ident{Name: "S"}, Functions: []*Function{{Result: &Type{Name: "void"}, Name: Ident{Name: "f"}, Args: []*Field{
				{HasID: true, ID: 1, Type: &Type{Name: "i32"}, Name: Ident{Name: "a"}, Comments: Comments{Before: []string{"// One."}}},
				{HasID: true, ID: 2, Type: &Type{Name: "i32"}, Name: Ident{Name: "b"}},
			}}}},
		},
	}
	const want = `namespace go a

include "b.thrift"

const list<i32> A = [1, -2]
const double B = 5e-01

service S {
  void f(
    // One.
    1: i32 a,
    2: i32 b,
  ),
}
`
	if got := string(Print(f)); got != want {
		t.Errorf("printed as\n%s", got)
	}
}

// A string of several lines ends where one can end; a forgotten mark is reported on its line.
func TestStringsOfSeveralLines(t *testing.T) {
	const forgotten = "the string \"one has no closing \" on its line: add it, or write \\n for a line end"
	f, _ := Parse("a.thrift", []byte("const string A = \"one\r\n\ttwo's\n\" // end"))
	if v := f.Decls[0].(*Const).Value; v.Text != "one\r\n\ttwo's\n" {
		t.Errorf("%q", v.Text)
	}
	for src, want := range map[string]string{
		"const string A = \"one\ntwo\"\nstruct B {} (x = 'a\nb')\nconst i32 C = ?": "a.thrift:1:18: warning: Apache's compiler wants strings on one line, as seam gen fmt writes them, with \\n for a line end\n" +
			"a.thrift:3:18: warning: Apache's compiler wants strings on one line, as seam gen fmt writes them, with \\n for a line end\na.thrift:5:15: unexpected '?': remove it",
		"const string A = \"one\nconst string B = \"two\"": "a.thrift:1:18: " + forgotten,
		"const string A = \"one\ntwo":                      "a.thrift:1:18: " + forgotten,
	} {
		if _, errs := Parse("a.thrift", []byte(src)); errs.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", src, errs, want)
		}
	}
}
