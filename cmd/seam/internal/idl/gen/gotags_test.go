package gen

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

func TestGoTags(t *testing.T) {
	const text = `struct S {
  1: string a (go.tag = 'json:"A" yaml:"y"')
  2: optional i32 b (go.tag = "db:\"col\"")
  3: i32 c (go.tag = "oops")
  4: i32 d (api.query = "d", vt.gt = "0")
  5: i32 e (api.body = "e", cpp.type = "x", py.name = "y")
}
service V { void f(1: i32 x (api.path = "x")) (api.get = "/f") }
`
	progs, errs := model.Load([]string{"a.thrift"}, model.Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
	for _, want := range []string{
		"a.thrift:4:3: warning: go.tag of c is left out: oops is no key",
		"a.thrift:5:13: warning: 4 of the annotations begin with api., this one first: seam gen writes no code for the binding of HTTP requests",
		"a.thrift:5:30: warning: 1 of the annotations begin with vt.",
	} {
		if !strings.Contains(errs.Error(), want) {
			t.Errorf("the warnings lack %q:\n%s", want, errs.Error())
		}
	}
	if strings.Contains(errs.Error(), "cpp") || len(errs) != 3 {
		t.Errorf("warnings:\n%s", errs.Error())
	}
	files, err := Generate(progs, Options{PackagePrefix: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"`thrift:\"a,1,default,string\" json:\"A\" yaml:\"y\"`",
		"`thrift:\"b,2,optional,i32\" json:\"b,omitempty\" db:\"col\"`",
		"`thrift:\"c,3,default,i32\" json:\"c\"`",
	} {
		if !strings.Contains(string(files[0].Text), want) {
			t.Errorf("the code lacks %s:\n%s", want, files[0].Text)
		}
	}
}
