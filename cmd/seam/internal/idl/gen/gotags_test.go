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
		"a.thrift:8:48: warning: 2 of the annotations begin with api., this one first: seam gen writes no code for HTTP (fields get hz's tags",
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

// The tags that hz writes for the same fields, in their order there but for json.
func TestAPITags(t *testing.T) {
	const text = "struct S {\n" + `
  1: string a (api.query = "q")
  2: required string b (api.path = "p", api.vd = "len($)>0")
  3: optional string c (api.header = "X-C", api.cookie = "c")
  4: required i64 d (api.body = "dd", api.js_conv = "")
  5: string e (api.form = "f", go.tag = 'form:"mine" json:"-"')
  6: optional list<string> f (api.raw_body = "")
  7: i64 g (api.js_conv)
  8: string h (api.vd = "regexp('^\\w+$')")
  9: string i (api.query = "a` + "`" + `b")
  10: string j
}
service V { void f(1: S s) (api.post = "/f", api.serializer = "json") } (api.base_domain = "example.com")
`
	read := func(string) ([]byte, error) { return []byte(text), nil }
	progs, errs := model.Load([]string{"a.thrift"}, model.Options{ReadFile: read, Descriptors: true})
	if got := errs.Error(); len(errs) != 1 || !strings.Contains(got, "the tag query of i is left out: a backquote") {
		t.Fatalf("warnings: %v", got)
	}
	files, err := Generate(progs, Options{PackagePrefix: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"`thrift:\"a,1,default,string\" query:\"q\" json:\"a\"`",
		"`thrift:\"b,2,required,string\" path:\"p,required\" vd:\"len($)>0\" json:\"b,required\"`",
		"`thrift:\"c,3,optional,string\" cookie:\"c\" header:\"X-C\" json:\"c,omitempty\"`",
		"`thrift:\"d,4,required,i64\" form:\"dd,required\" json:\"dd,string,required\"`",
		"`thrift:\"e,5,default,string\" form:\"mine\" json:\"-\"`",
		"`thrift:\"f,6,optional,list<string>\" raw_body:\"\" json:\"f,omitempty\"`",
		"`thrift:\"g,7,default,i64\" json:\"g,string\"`",
		"`thrift:\"h,8,default,string\" json:\"h\" vd:\"regexp('^\\\\w+$')\"`",
		"`thrift:\"i,9,default,string\" json:\"i\"`",
		"`thrift:\"j,10,default,string\" json:\"j\"`",
	} {
		if !strings.Contains(string(files[0].Text), want) {
			t.Errorf("the code lacks %s:\n%s", want, files[0].Text)
		}
	}
	_, errs = model.Load([]string{"a.thrift"}, model.Options{ReadFile: read})
	if got := errs.Error(); !strings.Contains(got, "3 of the annotations begin with api.") {
		t.Errorf("without descriptors: %v", got)
	}
}
