package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

var reqWords = map[model.Req]string{model.DefaultReq: "", model.Required: "required ", model.Optional: "optional "}

func fieldText(f *model.Field) string {
	s := fmt.Sprintf("%d:%s%s %s", f.ID, reqWords[f.Req], f.Type, f.Name)
	if f.Reference {
		s += "&"
	}
	if f.Default != nil {
		s += "=" + show(f.Default)
	}
	return s
}

func fieldsText(fields []*model.Field) string {
	var list []string
	for _, f := range fields {
		list = append(list, fieldText(f))
	}
	return strings.Join(list, "; ")
}

func TestFields(t *testing.T) {
	for name, tc := range map[string]struct{ src, want, warnings string }{
		"words": {
			"struct S { 1: i32 a, 2: required i32 b, 3: optional i32 c }",
			"1:i32 a; 2:required i32 b; 3:optional i32 c", "",
		},
		"fields of unions are optional": {
			"union S { 1: i32 a, 2: optional i32 b, 3: required i32 c }",
			"1:optional i32 a; 2:optional i32 b; 3:optional i32 c",
			"1: S.c: fields of a union are optional",
		},
		"an exception is a struct": {
			"exception S { 1: required string why }", "1:required string why", "",
		},
		"fields without ids count from -1 down": {
			"struct S { i32 a; 5: i32 b; i32 c }", "-1:i32 a; 5:i32 b; -2:i32 c", "1: S.a has no id and gets -1 | 1: S.c has no id and gets -2",
		},
		"ids that aren't above 0 are replaced": {
			"struct S { 0: i32 a; -7: i32 b; i32 c }", "-1:i32 a; -2:i32 b; -3:i32 c",
			"1: S.a has the id 0, which is not above 0: it gets -1 | 1: S.b has the id -7 | 1: S.c has no id",
		},
		"references and recursion": {
			"struct S { 1: S & s, 2: list<S> kids, 3: optional T t } struct T { 1: required S s }", "1:S s&; 2:list<S> kids; 3:optional T t", "",
		},
		"use before definition": {
			"struct S { 1: A a, 2: E e = E.X, 3: i32 n = N } typedef list<B> A typedef i64 B enum E { X = 4 } const i32 N = 7",
			"1:list<i64> a; 2:E e=E(4)=E.X; 3:i32 n=N→7", "",
		},
		"every type": {
			"struct S { 1: bool a, 2: byte b, 3: i8 c, 4: i16 d, 5: i32 e, 6: i64 f, 7: double g, 8: string h, 9: binary i, 10: uuid j, 11: map<list<S>, set<map<i8, X>>> k } exception X {}",
			"1:bool a; 2:i8 b; 3:i8 c; 4:i16 d; 5:i32 e; 6:i64 f; 7:double g; 8:string h; 9:binary i; 10:uuid j; 11:map<list<S>,set<map<i8,X>>> k", "",
		},
		"a struct that requires itself": {
			"struct S { 1: required T t }\nstruct T { 1: required S s }", "1:required T t", "2: no value of S can exist, since it requires itself: S.t → T.s → S",
		},
		"a required field that an empty value lacks is no matter": {
			"struct S { 1: T t = {}, 2: T u = {\"b\": 1} } struct T { 1: required i32 a, 2: i32 b }", "1:T t=T{}; 2:T u=T{b=1}", "1: T.a is required and not set here",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, errs := one(t, tc.src)
			var s *model.Struct
			for _, one := range p.Structs {
				if one.Name == "S" {
					s = one
				}
			}
			if got := fieldsText(s.Fields); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			checkWarnings(t, errs, tc.warnings)
		})
	}
}

// checkWarnings compares to "line: beginning | line: beginning".
func checkWarnings(t *testing.T, errs syntax.Errors, want string) {
	t.Helper()
	var list []string
	if want != "" {
		list = strings.Split(want, " | ")
	}
	if len(errs) != len(list) {
		t.Fatalf("got %d warnings, want %d:\n%v", len(errs), len(list), errs)
	}
	for i, e := range errs {
		if got := fmt.Sprintf("%d: %s", e.Pos.Line, e.Message); !strings.HasPrefix(got, list[i]) {
			t.Errorf("got %s\nwant %s", got, list[i])
		}
	}
}

func TestKeepNegativeIDs(t *testing.T) {
	opt := files{"a.thrift": "struct S { -1: i32 a; 0: i32 b; -9: i32 c; i32 d }"}.options()
	opt.KeepNegativeIDs = true
	progs, errs := model.Load([]string{"a.thrift"}, opt)
	if errs.Fatal() {
		t.Fatal(errs)
	}
	if got, want := fieldsText(progs[0].Structs[0].Fields), "-1:i32 a; 0:i32 b; -9:i32 c; -10:i32 d"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	checkWarnings(t, errs, "1: S.b has the id 0, but without an id it would get -2 | 1: S.c has the id -9 | 1: S.d has no id and gets -10")
}

func TestServices(t *testing.T) {
	f := files{
		"a.thrift": `include "b.thrift"
			service Late extends Early { oneway void tell(1: i32 a = 4), i32 ask() throws (1: b.Wrong w, 2: Alias v) (note = "x") }
			typedef b.Wrong Alias
			service Early extends b.Base { void ping(1: required i32 x, 2: string y) }`,
		"b.thrift": "service Base { void base() } exception Wrong {}",
	}
	progs, errs := model.Load([]string{"a.thrift"}, f.options())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var got []string
	for _, s := range progs[1].Services {
		for _, fn := range s.Functions {
			line := fmt.Sprintf("%s<%s %s %s(%s) throws (%s)", s.Name, s.Extends.Name, fn.Result, fn.Name, fieldsText(fn.Args.Fields), fieldsText(fn.Throws))
			if fn.Oneway {
				line += " oneway"
			}
			got = append(got, line+" "+fn.Args.Name)
		}
	}
	want := `Late<Early void tell(1:i32 a=4) throws () oneway Late_tell_args
Late<Early i32 ask() throws (1:Wrong w; 2:Wrong v) Late_ask_args
Early<Base void ping(1:required i32 x; 2:string y) throws () Early_ping_args`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if note := progs[1].Services[0].Functions[1].Annotations["note"]; note != "x" {
		t.Errorf("the annotation is %q", note)
	}
}

func TestTypedefsAreSeenThrough(t *testing.T) {
	p, _ := one(t, `typedef list<Id> (x = "list") Ids typedef Ids Numbers typedef i32 Id (y) struct S { 1: Numbers a, 2: Id b, 3: map<Id, Ids> c }`)
	a, b, c := p.Structs[0].Fields[0].Type, p.Structs[0].Fields[1].Type, p.Structs[0].Fields[2].Type
	if a.Kind != model.List || a.Typedef.Name != "Numbers" || a.Typedef.Type.Typedef.Name != "Ids" || a.Elem.Typedef.Name != "Id" || a.Annotations["x"] != "list" {
		t.Errorf("a is %s with %+v", a, a)
	}
	if b.Kind != model.I32 || b.Typedef.Name != "Id" || b.Typedef.Annotations["y"] != "1" {
		t.Errorf("b is %s with %+v", b, b)
	}
	if c.Typedef != nil || c.Key.Typedef.Name != "Id" || c.Elem.Typedef.Name != "Ids" {
		t.Errorf("c is %s with %+v", c, c)
	}
	if !a.Same(c.Elem) || a.Same(c) || b.Same(a) || !b.Same(c.Key) {
		t.Error("Same is wrong")
	}
}

func TestEnums(t *testing.T) {
	p, errs := one(t, `enum E { A, B = 5 (k = "v"), C, D = -3, E, F = 5, G = 0x10 } enum Empty {}`)
	var got []string
	for _, v := range p.Enums[0].Values {
		got = append(got, fmt.Sprintf("%s=%d", v.Name, v.Value))
	}
	if want := "A=0 B=5 C=6 D=-3 E=-2 F=5 G=16"; strings.Join(got, " ") != want || len(errs) > 0 {
		t.Errorf("got %s, want %s; %v", got, want, errs)
	}
	if p.Enums[0].Values[1].Annotations["k"] != "v" || len(p.Enums[1].Values) != 0 {
		t.Error("annotations or the empty enum are wrong")
	}
}

func TestDocsAndPlaces(t *testing.T) {
	p, _ := one(t, `// The file.

namespace go shop
namespace * all

/** An item. */
struct Item {
  // How many.
  1: i32 count
}

# A service.
service Shop {
  /* Asks. */
  i32 ask(
    // What.
    1: string what)
}

// Limit.
const i32 LIMIT = 1
// States.
enum State {
  // Fresh.
  NEW
}
// Numbers.
typedef i32 Id
`)
	s, v := p.Structs[0], p.Services[0]
	got := []string{
		p.Doc, s.Doc, s.Fields[0].Doc, v.Doc, v.Functions[0].Doc, v.Functions[0].Args.Fields[0].Doc,
		p.Consts[0].Doc, p.Enums[0].Doc, p.Enums[0].Values[0].Doc, p.Typedefs[0].Doc,
	}
	want := "The file.|An item.|How many.|A service.|Asks.|What.|Limit.|States.|Fresh.|Numbers."
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if p.Namespace("go") != "shop" || p.Namespace("py") != "all" || p.NamespaceAt["go"].Line != 3 {
		t.Errorf("namespaces are %v at %v", p.Namespaces, p.NamespaceAt)
	}
	places := fmt.Sprint(s.Pos, s.Fields[0].Pos, v.Pos, v.Functions[0].Pos, p.Consts[0].Pos, p.Enums[0].Values[0].Pos)
	if want := "{7 8} {9 3} {13 9} {15 7} {21 11} {25 3}"; places != want {
		t.Errorf("places are %s, want %s", places, want)
	}
}
