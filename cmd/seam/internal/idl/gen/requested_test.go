package gen

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// What can't be written is said with its place.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		text, want string
		opt        Options
	}{
		{`struct S { 1: i32 value } (seam.sql = "json")`, "a.thrift:1:12: field value of S has the name of a method that seam.sql asks for", Options{}},
		{`struct S { 1: i32 x } (seam.sql = "blob")`, `a.thrift:1:8: seam.sql = "blob" of S: the only kind of column is json`, Options{}},
		{`struct S { 1: i32 x }`, "leave one of --apache and --field-mask out", Options{Apache: true, FieldMask: true}},
	} {
		progs, errs := model.Load([]string{"a.thrift"}, model.Options{ReadFile: func(string) ([]byte, error) { return []byte(c.text), nil }})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		c.opt.PackagePrefix = "p"
		if _, err := Generate(progs, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// Where no rule is written the package of rules isn't imported: the code would not build.
func TestNoRulesNoImport(t *testing.T) {
	const text = "struct S { 1: list<i32> a, 2: map<string, string> b, 3: i32 c (vt.not_nil = \"true\") }"
	progs, errs := model.Load([]string{"a.thrift"}, model.Options{Validate: true, ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	files, err := Generate(progs, Options{PackagePrefix: "p", Validate: true})
	if err != nil || strings.Contains(string(files[0].Text), validatePath) || !strings.Contains(string(files[0].Text), "Validate() error") {
		t.Errorf("%v:\n%s", err, files[0].Text)
	}
}

// A struct with a mask has a pointer, whatever its fields are: it must not be cut from memory in
// which the garbage collector looks for none.
func TestMaskIsAPointer(t *testing.T) {
	const text = "struct P { 1: i64 x } struct S { 1: list<P> l }"
	progs, errs := model.Load([]string{"a.thrift"}, model.Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, mask := range []bool{false, true} {
		files, err := Generate(progs, Options{PackagePrefix: "p", FieldMask: mask})
		if err != nil || strings.Contains(string(files[0].Text), ".NumberStructs(") == mask {
			t.Errorf("with masks %v: %v:\n%s", mask, err, files[0].Text)
		}
	}
}
