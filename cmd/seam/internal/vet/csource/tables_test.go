package csource

import (
	"strings"
	"testing"
)

func TestDropTables(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("{ 1, '}', \"};\" /* ; */ },\n", tableSize/20)
	for _, c := range []struct{ name, src, want string }{
		{"a table", "int a[] = {" + long + "};\nint f(void) { return a[0]; }\n", "int a[] = {0};\nint f(void) { return a[0]; }\n"},
		{"two of one declaration", "int a[] = /* all */\n{" + long + "}, b[] = {" + long + "} ;", "int a[] = /* all */\n{0}, b[] = {0} ;"},
		{"a short one", "int a[] = {1};", ""},
		{"a local one", "void f(void) { int a[] = {" + long + "}; }", ""},
		{"a function", "void f(void) {" + strings.Repeat("x = 1;\n", tableSize) + "}\n", ""},
		{"a directive in it", "int a[] = {" + long + "\n#include \"more\"\n};", ""},
		{"a statement in it", "int a[] = {" + long + "({ 1; })};", ""},
		{"an apostrophe in what is left out", "#if 0\ndon't\n#endif\nint a[] = {" + long + "};", ""},
		{"braces that don't meet", "int a[] = {" + long + "};\n}", ""},
		{"no end", "int a[] = {" + long, ""},
	} {
		if got := string(dropTables([]byte(c.src), "{0}")); got != c.want {
			t.Errorf("%s: %.200q, want %.200q", c.name, got, c.want)
		}
	}
}

func FuzzDropTables(f *testing.F) {
	f.Add("int a[] = {1,\n2};", 3)
	f.Add("#define x \\\n{\nchar *s = \"\\\"\"; /* } */ // {", 1)
	f.Fuzz(func(t *testing.T, src string, many int) {
		out := dropTables([]byte(strings.ReplaceAll(src, ",", strings.Repeat(",", 1+many&0xffff))), "{}")
		if len(out) > len(src)*(1+many&0xffff) {
			t.Error("it grew")
		}
	})
}
