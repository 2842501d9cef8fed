package gen

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// Fields whose Go names differ from their own have methods by their own name with Kitex, as thriftgo
// writes them, unless another method has that name.
func TestAccessorsOfRenamedFields(t *testing.T) {
	const idl = `
struct S { 1: optional string write (vt.min_size = "1"); 2: string _in; 3: optional i32 error; 4: bool which; 5: string string; 6: i32 n (vt.gt = "$error") }
struct T { 1: string write; 2: string write_; 3: string getRead; 4: string read; 5: string _fieldMask }
exception X { 1: string error }
union U { 1: string which; 2: i32 write }
struct _P {} typedef _P _Q
service V { void f(1: string result, 2: string firstArgument) }`
	progs, errs := model.Load([]string{"a.thrift"}, model.Options{Validate: true, ReadFile: func(string) ([]byte, error) { return []byte(idl), nil }})
	if errs.Fatal() {
		t.Fatal(errs)
	}
	files, err := Generate(progs, Options{PackagePrefix: "p", Kitex: true, Validate: true, FieldMask: true})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		text += string(f.Text)
	}
	for _, want := range []string{
		"(p *S) GetWrite() (v string)", "(p *S) SetWrite(val *string)", "(p *S) IsSetWrite() bool", "(p *S) Get_In() string", "(p *S) GetError() (v int32)", "v = *p.Error\n", "return p.Which }", "(p *S) GetString() string",
		"p.GetError()", "(p *T) GetRead_() string", "(p *T) SetX_FieldMask(", "(p *T) GetWrite() string", "(p *T) GetWrite__() string", "(p *X) GetError() string", "return p.Error_ }", "(p *U) GetWhich() (v string)", "p.IsSetWhich()",
		"GetFirstArgument_() string", "func New__P() *X__P {", "func New__Q() *X__Q {",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
