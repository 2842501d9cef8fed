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
		{`struct S { 1: list<map<i32, T>> x } (seam.sql = "json") struct T { 1: map<double, i32> m }`, "encoding/json can't write maps whose keys are double, as S.x.m has", Options{}},
		{`struct S { 1: map<bool, S> x } (seam.sql = "json")`, "whose keys are bool, as S.x has", Options{}},
		{`struct S { 1: i32 x }`, "leave one of --apache and --field-mask out", Options{Apache: true, FieldMask: true}},
		{`struct S { 1: i32 x }`, "leave one of --kitex and --without=getters out", Options{Kitex: true, NoGetters: true}},
		{`struct S { 1: i32 x }`, "leave one of --validate and --without=getters out", Options{Validate: true, NoGetters: true}},
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

// What is left out isn't missed by the rest, and the file's first lines say so.
func TestWithout(t *testing.T) {
	const text = "struct P { 1: i64 x, 2: optional string y } union U { 1: P p } struct S { 1: list<P> l, 2: set<P> s, 3: map<string, U> m } service V { P call(1: S s) }"
	for _, c := range []struct {
		flags, gone string
		opt         Options
	}{
		{"--without=getters", ") Get", Options{NoGetters: true}}, {"--without=equal", "Equal", Options{NoEqual: true}},
		{"--without=clone", "Clone", Options{NoClone: true}}, {"--without=getters,equal,clone", ") Get", Options{NoGetters: true, NoEqual: true, NoClone: true}},
	} {
		progs, errs := model.Load([]string{"a.thrift"}, model.Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		c.opt.PackagePrefix = "p"
		files, err := Generate(progs, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range files {
			if strings.Contains(string(x.Text), c.gone) {
				t.Errorf("%s: %s has %q", c.flags, x.Path, c.gone)
			}
		}
		if !strings.Contains(string(files[0].Text), c.flags+"\n") {
			t.Errorf("%s is not at the beginning of\n%.200s", c.flags, files[0].Text)
		}
	}
}
