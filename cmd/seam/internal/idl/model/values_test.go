package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// show writes a value as it was understood.
func show(v *model.Value) string {
	if v == nil {
		return "nothing"
	}
	var s string
	var parts []string
	switch v.Type.Kind {
	case model.Bool:
		s = fmt.Sprint(v.Bool)
	case model.I8, model.I16, model.I32, model.I64:
		s = fmt.Sprint(v.Int)
	case model.EnumKind:
		s = fmt.Sprintf("%s(%d)", v.Type.Enum.Name, v.Int)
	case model.Double:
		s = fmt.Sprintf("%gd", v.Double)
	case model.String, model.Binary, model.UUID:
		s = fmt.Sprintf("%q", v.String)
	case model.List, model.Set:
		for _, e := range v.List {
			parts = append(parts, show(e))
		}
		s = "[" + strings.Join(parts, " ") + "]"
	case model.Map:
		for _, e := range v.Map {
			parts = append(parts, show(e.Key)+":"+show(e.Value))
		}
		s = "{" + strings.Join(parts, " ") + "}"
	case model.StructKind:
		for _, e := range v.Fields {
			parts = append(parts, e.Field.Name+"="+show(e.Value))
		}
		s = v.Type.Struct.Name + "{" + strings.Join(parts, " ") + "}"
	}
	if v.Enum != nil {
		s += "=" + v.Enum.Enum.Name + "." + v.Enum.Name
	}
	if v.Const != nil {
		s = v.Const.Name + "→" + s
	}
	return s
}

const definitions = `
enum E { A = 1, B, C = 7 }
enum Other { A = 3, Z = 1 }
typedef E Alias
typedef list<i32> Ints
struct S { 1: i32 x, 2: optional S next, 3: list<string> names = ["n"], 4: E e }
union U { 1: i32 n, 2: string s }
exception X { 1: string why }
const i32 THREE = 3
const i8 SMALL = 1
const E FIRST = E.A
const Ints INTS = [1, 2]
const list<Ints> NESTED = [INTS, INTS, [4]]
const map<string, i32> MAP = {"a": 1, "b": THREE}
const string WORD = "word"
const S EMPTY = {}
`

func TestValues(t *testing.T) {
	for _, tc := range []struct{ typ, value, want string }{
		{"bool", "true", "true"},
		{"bool", "false", "false"},
		{"bool", "0", "false"},
		{"bool", "1", "true"},
		{"bool", "SMALL", "true"},
		{"i8", "-128", "-128"},
		{"byte", "127", "127"},
		{"i16", "-32768", "-32768"},
		{"i32", "0x7fffffff", "2147483647"},
		{"i32", "-2147483648", "-2147483648"},
		{"i64", "-9223372036854775808", "-9223372036854775808"},
		{"i64", "9223372036854775807", "9223372036854775807"},
		{"i32", "THREE", "THREE→3"},
		{"i64", "THREE", "3"},
		{"i8", "THREE", "3"},
		{"i32", "E.B", "2=E.B"},
		{"i32", "FIRST", "1=E.A"},
		{"i32", "LATER", "LATER→5"},
		{"double", "1", "1d"},
		{"double", "-1.5e3", "-1500d"},
		{"double", "THREE", "3d"},
		{"string", `"a"`, `"a"`},
		{"string", "WORD", `WORD→"word"`},
		{"binary", `"a"`, `"a"`},
		{"binary", "WORD", `"word"`},
		{"uuid", `"01234567-89ab-cdef-0123-456789ABCDEF"`, `"01234567-89ab-cdef-0123-456789abcdef"`},
		{"uuid", `"{01234567-89ab-cdef-0123-456789abcdef}"`, `"01234567-89ab-cdef-0123-456789abcdef"`},
		{"E", "E.C", "E(7)=E.C"},
		{"E", "C", "E(7)=E.C"},
		{"E", "7", "E(7)=E.C"},
		{"E", "a.E.C", "E(7)=E.C"},
		{"E", "Alias.C", "E(7)=E.C"},
		{"Alias", "E.A", "E(1)=E.A"},
		{"E", "FIRST", "FIRST→E(1)=E.A"},
		{"E", "SMALL", "E(1)=E.A"},
		{"list<i32>", "[1, 2; 3 4]", "[1 2 3 4]"},
		{"list<i32>", "[]", "[]"},
		{"list<i32>", "{}", "[]"},
		{"list<i32>", "INTS", "INTS→[1 2]"},
		{"list<i64>", "INTS", "[1 2]"},
		{"list<list<i64>>", "NESTED", "[[1 2] [1 2] [4]]"},
		{"list<list<i32>>", "[INTS, NESTED_ONE]", "[INTS→[1 2] NESTED_ONE→[9]]"},
		{"set<i32>", "INTS", "[1 2]"},
		{"set<E>", "[E.A, B]", "[E(1)=E.A E(2)=E.B]"},
		{"map<string, i32>", "MAP", `MAP→{"a":1 "b":THREE→3}`},
		{"map<string, i64>", "MAP", `{"a":1 "b":3}`},
		{"map<string, i32>", "[]", "{}"},
		{"map<list<i32>, bool>", "{INTS: true, [1]: 0}", "{INTS→[1 2]:true [1]:false}"},
		{"S", "{}", "S{}"},
		{"S", "EMPTY", "EMPTY→S{}"},
		{"S", `{"e": E.B, "x": THREE, "next": {"names": []}}`, "S{x=THREE→3 next=S{names=[]} e=E(2)=E.B}"},
		{"U", `{"s": WORD}`, `U{s=WORD→"word"}`},
		{"X", `{"why": "no"}`, `X{why="no"}`},
	} {
		src := definitions + fmt.Sprintf("const %s V = %s\nstruct D { 1: %[1]s v = %s }\n", tc.typ, tc.value, tc.value) +
			"const i32 LATER = 5\nconst list<i32> NESTED_ONE = [9]"
		p, errs := one(t, src)
		if len(errs) > 0 {
			t.Errorf("%s = %s: %v", tc.typ, tc.value, errs)
		}
		var got *model.Value
		for _, c := range p.Consts {
			if c.Name == "V" {
				got = c.Value
			}
		}
		if show(got) != tc.want {
			t.Errorf("const %s = %s is %s, want %s", tc.typ, tc.value, show(got), tc.want)
		}
		if !got.Type.Same(p.Consts[len(p.Consts)-3].Type) {
			t.Errorf("const %s = %s has the type %s", tc.typ, tc.value, got.Type)
		}
		if def := p.Structs[len(p.Structs)-1].Fields[0].Default; show(def) != tc.want {
			t.Errorf("the default %s = %s is %s, want %s", tc.typ, tc.value, show(def), tc.want)
		}
	}
}

func TestValuesOfIncludes(t *testing.T) {
	f := files{
		"a.thrift": `include "lib.base.thrift" include "b.thrift"
			const i32 N = b.N
			const b.E E1 = b.E.ONE
			const b.Alias E2 = b.Alias.ONE
			const b.E E3 = ONE
			struct S { 1: b.Ints ints = b.INTS, 2: lib.base.T t = lib.base.DEFAULT, 3: i32 one = b.E.ONE }`,
		"b.thrift":        `const i32 N = 4 enum E { ONE = 1 } typedef E Alias typedef list<i32> Ints const Ints INTS = [N]`,
		"lib.base.thrift": `struct T { 1: i32 x } const T DEFAULT = {"x": 8}`,
	}
	progs, errs := model.Load([]string{"a.thrift"}, f.options())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	a := progs[2]
	var got []string
	for _, c := range a.Consts {
		got = append(got, show(c.Value))
	}
	for _, field := range a.Structs[0].Fields {
		got = append(got, show(field.Default))
	}
	want := "N→4 E(1)=E.ONE E(1)=E.ONE E(1)=E.ONE INTS→[N→4] DEFAULT→T{x=8} 1=E.ONE"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestSharing has a constant of 2⁶⁰ elements, which no memory holds unless
// what is referred to is shared.
func TestSharing(t *testing.T) {
	var src strings.Builder
	typ := "i32"
	src.WriteString("const i32 C0 = 1\n")
	for i := 1; i <= 60; i++ {
		typ = "list<" + typ + ">"
		fmt.Fprintf(&src, "const %s C%d = [C%d, C%d]\n", typ, i, i-1, i-1)
	}
	p, _ := one(t, src.String())
	v := p.Consts[60].Value
	for v.Type.Kind == model.List {
		if len(v.List) != 2 || v.List[0].Type.Kind == model.List && &v.List[0].List[0] != &v.List[1].List[0] {
			t.Fatal("the elements of a reference aren't shared")
		}
		v = v.List[0]
	}
	// With another type all would have to be written out.
	fmt.Fprintf(&src, "const %s LONG = C60\n", strings.ReplaceAll(typ, "i32", "i64"))
	_, errs := model.Load([]string{"a.thrift"}, files{"a.thrift": src.String()}.options())
	if want := "more than 1048576 values would have to be written out here"; !strings.Contains(errs.Error(), want) {
		t.Errorf("got %v, want %s", errs, want)
	}
	// A list that is used a thousand times as another type would be a thousand
	// lists.
	src.Reset()
	fmt.Fprintf(&src, "const list<i32> L = [%s]\n", strings.Repeat("1,", 2000))
	for i := range 1000 {
		fmt.Fprintf(&src, "const list<i64> L%d = L\n", i)
	}
	_, errs = model.Load([]string{"a.thrift"}, files{"a.thrift": src.String()}.options())
	if want := "more than 1048576 values would have to be converted, here to i64"; !strings.Contains(errs.Error(), want) || len(errs) != 1 {
		t.Errorf("got %v, want %s", errs, want)
	}
	// The same by structs, whose values may be as deep as one likes, and as
	// elements of a set, which are compared.
	src.Reset()
	src.WriteString("struct S { 1: S a, 2: S b }\nconst S C0 = {}\n")
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&src, "const S C%d = {\"a\": C%d, \"b\": C%d}\n", i, i-1, i-1)
	}
	src.WriteString("const set<S> SET = [C60, C59, C60]")
	p, errs = one(t, src.String())
	if n := len(p.Consts[61].Value.List); n != 2 || !strings.Contains(errs.Error(), "is in the set twice") {
		t.Errorf("the set has %d elements; %v", n, errs)
	}
}

func TestDeepChains(t *testing.T) {
	const n = 20_000
	chain := func(first, format string) string {
		var b strings.Builder
		b.WriteString(first)
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
	for name, tc := range map[string]struct{ src, want string }{
		"constants, each before its use":   {chain("const i32 C0 = 1\n", "const i32 C%[2]d = C%[1]d\n"), ""},
		"constants, each after its use":    {chain("const i32 C20000 = 1\n", "const i32 C%d = C%d\n"), "a chain of more than 1000 constants"},
		"typedefs, each before its use":    {chain("typedef i32 T0\n", "typedef T%d T%d\n"), ""},
		"typedefs, each after its use":     {chain("typedef i32 T20000\n", "typedef T%[2]d T%[1]d\n"), "a chain of more than 1000 typedefs"},
		"typedefs that double":             {chain("typedef list<i32> T0\n", "typedef map<T%[1]d, T%[1]d> T%[2]d\n"), "the type has more than 1024 parts"},
		"services":                         {chain("service S0 { void f0() }\n", "service S%[2]d extends S%[1]d { void f%[2]d() }\n"), ""},
		"services in a circle":             {chain("service S0 extends S20000 {}\n", "service S%[2]d extends S%[1]d {}\n"), "extends itself: S0 → S20000 → S19999"},
		"required structs in a circle":     {chain("struct S20000 { 1: required S0 s }\n", "struct S%d { 1: required S%d s }\n"), "no value of S"},
		"values of structs":                {chain("struct S { 1: S s }\nconst S C0 = {}\n", "const S C%[2]d = {\"s\": C%[1]d}\n"), "the value is nested deeper than 500"},
		"defaults that hold one another":   {chain("struct S20000 { 1: S0 s = {} }\n", "struct S%d { 1: S%d s = {} }\n"), "contains itself"},
		"unknown types, too many to guess": {chain("", "struct S%d { 1: T%d t }\n"), "unknown type T1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := model.Load([]string{"a.thrift"}, files{"a.thrift": tc.src}.options())
			if got := errs.Error(); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("got %.300s, want %s", got, tc.want)
			}
		})
	}
}
