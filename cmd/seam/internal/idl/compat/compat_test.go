package compat_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/compat"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// files are sources by path.
type files map[string]string

func load(t *testing.T, f files, paths ...string) []*model.Program {
	t.Helper()
	progs, errs := model.Load(paths, model.Options{NoCode: true, KeepStreams: true, ReadFile: func(p string) ([]byte, error) {
		src, ok := f[p]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(src), nil
	}})
	if errs.Fatal() {
		t.Fatal(errs)
	}
	return progs
}

// compare compares two versions of one file.
func compare(t *testing.T, old, new string) []compat.Change {
	t.Helper()
	return compat.Compare(load(t, files{"a.thrift": old}, "a.thrift"), load(t, files{"a.thrift": new}, "a.thrift"), compat.Options{})
}

// brief is what a table needs of changes: all without what explains them.
func brief(changes []compat.Change) string {
	var lines []string
	for _, c := range changes {
		lines = append(lines, c.Severity.String()+": "+c.Path)
	}
	return strings.Join(lines, "\n")
}

// common stands before both versions.
const common = `
enum Num { ONE = 1, TWO = 2 }
enum Big { ONE = 1, TWO = 2, THREE = 3 }
struct P { 1: i32 x }
struct Q { 1: i32 x }
struct R { 1: string x }
struct Tree { 1: list<Tree> kids, 2: i32 x }
struct Wood { 1: list<Wood> kids, 2: i32 x }
struct Rock { 1: list<Rock> kids, 2: i64 x }
union U { 1: i32 x }
exception X1 { 1: string why }
exception X2 { 1: string why }
exception X3 { 1: i32 why }
typedef i32 Id
typedef list<i32> Ids
typedef list<P> Ps
`

func TestChanges(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, want string }{
		"nothing": {"struct S { 1: i32 a } service V { void f() } const i32 C = 1", "const i32 C = 1 service V { void f() } struct S { 1: i32 a }", ""},

		// Fields.
		"a number gets wider":                      {"struct S { 1: i32 a }", "struct S { 1: i64 a }", "breaks wire: S.a (field 1)"},
		"i32 becomes an enum":                      {"struct S { 1: i32 a }", "struct S { 1: Num a }", "breaks source: S.a (field 1)"},
		"string becomes binary":                    {"struct S { 1: string a }", "struct S { 1: binary a }", "breaks wire: S.a (field 1)"},
		"a list has structs itself":                {"struct S { 1: list<P> a }", "struct S { 1: list<P> a (value_type_in_container) }", "breaks source: S.a (field 1)"},
		"list becomes set":                         {"struct S { 1: list<i32> a }", "struct S { 1: set<i32> a }", "breaks wire: S.a (field 1)"},
		"the element of a list":                    {"struct S { 1: list<i32> a }", "struct S { 1: list<string> a }", "breaks wire: S.a (field 1)"},
		"the key of a map":                         {"struct S { 1: map<i32, bool> a }", "struct S { 1: map<i64, bool> a }", "breaks wire: S.a (field 1)"},
		"the value of a map in a list":             {"struct S { 1: list<map<i32, bool>> a }", "struct S { 1: list<map<i32, i8>> a }", "breaks wire: S.a (field 1)"},
		"a typedef for the same type":              {"struct S { 1: i32 a, 2: list<i32> b }", "struct S { 1: Id a, 2: Ids b }", "note: S.a (field 1)\nnote: S.b (field 2)"},
		"byte is i8":                               {"struct S { 1: byte a }", "struct S { 1: i8 a }", ""},
		"a struct of the same shape":               {"struct S { 1: P a }", "struct S { 1: Q a }", "breaks source: S.a (field 1)"},
		"a struct of another shape":                {"struct S { 1: P a }", "struct S { 1: R a }", "breaks wire: S.a (field 1)"},
		"a recursive struct of the same shape":     {"struct S { 1: Tree a }", "struct S { 1: Wood a }", "breaks source: S.a (field 1)"},
		"a recursive struct of another shape":      {"struct S { 1: Tree a }", "struct S { 1: Rock a }", "breaks wire: S.a (field 1)"},
		"a struct becomes a union":                 {"struct S { 1: P a }", "struct S { 1: U a }", "breaks wire: S.a (field 1)"},
		"an enum that has all numbers":             {"struct S { 1: Num a }", "struct S { 1: Big a }", "breaks source: S.a (field 1)"},
		"an enum that lacks a number":              {"struct S { 1: Big a }", "struct S { 1: Num a }", "breaks wire: S.a (field 1)"},
		"a field is called otherwise":              {"struct S { 1: i32 a }", "struct S { 1: i32 b }", "breaks source: S.a (field 1)"},
		"an id is used for another field":          {"struct S { 1: i32 a }", "struct S { 1: string b }", "breaks wire: S.a (field 1)"},
		"an id changes":                            {"struct S { 1: i32 a, 2: i32 b }", "struct S { 1: i32 a, 3: i32 b }", "breaks wire: S.b (field 2)"},
		"two fields change their ids":              {"struct S { 1: i32 a, 2: string b }", "struct S { 2: i32 a, 1: string b }", "breaks wire: S.a (field 1)\nbreaks wire: S.b (field 2)"},
		"fields in another order":                  {"struct S { 1: i32 a, 2: i32 b }", "struct S { 2: i32 b, 1: i32 a }", ""},
		"a field goes":                             {"struct S { 1: i32 a, 2: i32 b }", "struct S { 1: i32 a }", "breaks source: S.b (field 2)"},
		"a required field goes":                    {"struct S { 1: i32 a, 2: required i32 b }", "struct S { 1: i32 a }", "breaks wire: S.b (field 2)"},
		"a field comes":                            {"struct S { 1: i32 a }", "struct S { 1: i32 a, 2: i32 b }", "note: S.b (field 2)"},
		"a required field comes":                   {"struct S { 1: i32 a }", "struct S { 1: i32 a, 2: required i32 b }", "breaks wire: S.b (field 2)"},
		"a field comes between others":             {"struct S { 1: i32 a, 3: i32 c }", "struct S { 1: i32 a, 2: i32 b, 3: i32 c }", "breaks wire: S.b (field 2)"},
		"a field becomes required":                 {"struct S { 1: optional i32 a }", "struct S { 1: required i32 a }", "breaks wire: S.a (field 1)"},
		"a field is not required any more":         {"struct S { 1: required i32 a }", "struct S { 1: i32 a }", "breaks wire: S.a (field 1)"},
		"a number becomes optional":                {"struct S { 1: i32 a }", "struct S { 1: optional i32 a }", "breaks source: S.a (field 1)"},
		"a struct is not optional any more":        {"struct S { 1: optional P a }", "struct S { 1: P a }", "note: S.a (field 1)"},
		"a default changes":                        {"struct S { 1: i32 a = 1 }", "struct S { 1: i32 a = 2 }", "note: S.a (field 1)"},
		"a default comes":                          {"struct S { 1: i32 a }", "struct S { 1: i32 a = 0 }", "note: S.a (field 1)"},
		"a default goes":                           {"struct S { 1: list<i32> a = [1] }", "struct S { 1: list<i32> a }", "breaks wire: S.a (field 1)"},
		"a default in other words":                 {"struct S { 1: map<i32, Num> a = {1: Num.ONE, 2: TWO} }", "struct S { 1: map<i32, Num> a = {2: 2, 0x1: 1} }", ""},
		"a default by a constant of another value": {"const i32 C = 1 struct S { 1: i32 a = C }", "const i32 C = 2 struct S { 1: i32 a = C }", "note: S.a (field 1)\nnote: C"},

		"an optional default changes":        {"struct S { 1: optional i32 a = 1 }", "struct S { 1: optional i32 a = 2 }", "breaks wire: S.a (field 1)"},
		"an optional default comes":          {"struct S { 1: optional string a }", "struct S { 1: optional string a = \"x\" }", "breaks wire: S.a (field 1)"},
		"an optional default that is zero":   {"struct S { 1: optional i32 a }", "struct S { 1: optional i32 a = 0 }", "note: S.a (field 1)"},
		"an optional default by a constant":  {"const i32 C = 1 struct S { 1: optional i32 a = C }", "const i32 C = 2 struct S { 1: optional i32 a = C }", "breaks wire: S.a (field 1)\nnote: C"},
		"an enum's default as a number":      {"struct S { 1: optional i32 a = 1 }", "struct S { 1: optional Num a = Num.TWO }", "breaks source: S.a (field 1)\nbreaks wire: S.a (field 1)"},
		"a default holds another default":    {"struct D { 1: i32 n = 1 } struct S { 1: optional D a = {} }", "struct D { 1: i32 n = 2 } struct S { 1: optional D a = {} }", "note: D.n (field 1)\nbreaks wire: S.a (field 1)"},
		"a default has what is new":          {"struct D { 1: i32 n } struct S { 1: optional D a = {} }", "struct D { 1: i32 n, 2: i32 m = 3 } struct S { 1: optional D a = {} }", "note: D.m (field 2)"},
		"a union's default":                  {"union V { 1: i32 a = 1 }", "union V { 1: i32 a = 2 }", "note: V.a (field 1)"},
		"two fields swap their names":        {"struct S { 1: i32 a, 2: i32 b }", "struct S { 1: i32 b, 2: i32 a }", "breaks wire: S.a (field 1)\nbreaks wire: S.b (field 2)"},
		"three fields go round":              {"struct S { 1: i32 a, 2: i32 b, 3: i32 c }", "struct S { 1: i32 c, 2: i32 a, 3: i32 b }", "breaks wire: S.a (field 1)\nbreaks wire: S.b (field 2)\nbreaks wire: S.c (field 3)"},
		"a field leaves its id to a new one": {"struct S { 1: i32 a }", "struct S { 1: i32 b, 2: i32 a }", "breaks wire: S.a (field 1)\nbreaks wire: S.b (field 1)"},
		"a field takes the id of one gone":   {"struct S { 1: i32 a, 2: i32 b }", "struct S { 1: i32 b }", "breaks wire: S.b (field 2)\nbreaks wire: S.a (field 1)"},
		"two arguments swap their names":     {"service V { void f(1: i32 a, 2: i32 b) }", "service V { void f(1: i32 b, 2: i32 a) }", "breaks wire: V.f.a (argument 1)\nbreaks wire: V.f.b (argument 2)"},
		"union fields swap their names":      {"union V { 1: i32 a, 2: i32 b }", "union V { 1: i32 b, 2: i32 a }", "breaks wire: V.a (field 1)\nbreaks wire: V.b (field 2)"},
		"exceptions swap their types":        {"service V { void f() throws (1: X1 a, 2: X2 b) }", "service V { void f() throws (1: X2 a, 2: X1 b) }", "breaks wire: V.f.a (exception 1)\nbreaks wire: V.f.b (exception 2)"},
		"an exception gets another name":     {"exception Y1 { 1: i32 a } service V { void f() throws (1: Y1 e) }", "exception Y2 { 1: i32 a } service V { void f() throws (1: Y2 e) }", "breaks source: Y1\nbreaks source: V.f.e (exception 1)\nnote: Y2"},
		"a struct with swapped names":        {"struct D { 1: i32 a, 2: i32 b } struct E { 1: i32 b, 2: i32 a } struct S { 1: D d }", "struct D { 1: i32 a, 2: i32 b } struct E { 1: i32 b, 2: i32 a } struct S { 1: E d }", "breaks wire: S.d (field 1)"},
		"a struct with another default":      {"struct D { 1: optional i32 a = 1 } struct E { 1: optional i32 a = 2 } struct S { 1: D d }", "struct D { 1: optional i32 a = 1 } struct E { 1: optional i32 a = 2 } struct S { 1: E d }", "breaks wire: S.d (field 1)"},
		"an enum with swapped names":         {"enum D { A = 1, B = 2 } enum E { B = 1, A = 2 } struct S { 1: D d }", "enum D { A = 1, B = 2 } enum E { B = 1, A = 2 } struct S { 1: E d }", "breaks wire: S.d (field 1)"},
		"a map's key becomes binary":         {"struct S { 1: map<string, i32> a }", "struct S { 1: map<binary, i32> a }", "breaks wire: S.a (field 1)"},
		"a function streams":                 {"service V { P f(1: P a) }", "service V { P f(1: P a) (streaming.mode = \"bidirectional\") }", "breaks wire: V.f"},
		"a function streams otherwise":       {"service V { P f(1: P a) (streaming.mode = \"client\") }", "service V { P f(1: P a) (streaming.mode = \"server\") }", "breaks wire: V.f"},
		"calls go by another argument":       {"service V { void f(1: i32 a, 2: i32 b) (seam.shard = \"a\") }", "service V { void f(1: i32 a, 2: i32 b) (seam.shard = \"b\") }", "breaks wire: V.f"},
		"a member of a union must be there":  {"union V { 1: i32 a }", "union V { 1: i32 a, 2: string b (vt.not_nil = \"true\") }", "breaks wire: V.b (field 2)\nnote: V.b (field 2)"},
		"one value less is allowed":          {"struct V { 1: i32 a (vt.in = \"0\", vt.in = \"1\", vt.in = \"2\") }", "struct V { 1: i32 a (vt.in = \"1\", vt.in = \"2\") }", "breaks wire: V.a (field 1)"},
		"one value more is allowed":          {"struct V { 1: i32 a (vt.in = \"1\", vt.in = \"2\") }", "struct V { 1: i32 a (vt.in = \"0\", vt.in = \"1\", vt.in = \"2\") }", "note: V.a (field 1)"},
		"one value more is refused":          {"struct V { 1: i32 a (vt.not_in = \"2\") }", "struct V { 1: i32 a (vt.not_in = \"1\", vt.not_in = \"2\") }", "breaks wire: V.a (field 1)"},
		"calls may be made twice":            {"service V { void f() }", "service V { void f() (seam.idempotent) }", "note: V.f"},
		"calls may no longer be made twice":  {"service V { void f() (seam.idempotent) }", "service V { void f() }", "breaks wire: V.f"},
		"calls go by an argument":            {"service V { void f(1: i32 a) }", "service V { void f(1: i32 a) (seam.shard = \"a\") }", "breaks wire: V.f"},
		"a tag":                              {"struct S { 1: i32 a }", "struct S { 1: i32 a (go.tag = 'json:\"b\"') }", "breaks source: S.a (field 1)"},
		"a rule gets tighter":                {"struct S { 1: i32 a (vt.gt = \"1\") }", "struct S { 1: i32 a (vt.gt = \"2\") }", "breaks wire: S.a (field 1)"},
		"a rule gets looser":                 {"struct S { 1: i32 a (vt.gt = \"2\") }", "struct S { 1: i32 a (vt.gt = \"1\") }", "note: S.a (field 1)"},
		"a rule comes":                       {"struct S { 1: list<i32> a }", "struct S { 1: list<i32> a (vt.elem.lt = \"9\") }", "breaks wire: S.a (field 1)"},
		"a rule goes":                        {"struct S { 1: string a (vt.prefix = \"x\") }", "struct S { 1: string a }", "note: S.a (field 1)"},
		"another rule about a struct":        {"struct S { 1: i32 a }", "struct S { 1: i32 a } (vt.assert = \"@equal($a, 1)\")", "breaks wire: S"},
		"another path of HTTP":               {"service V { void f() (api.get = \"/a\") }", "service V { void f() (api.get = \"/b\") }", "breaks wire: V.f"},
		"an annotation of nobody":            {"struct S { 1: i32 a }", "struct S { 1: i32 a (x = \"y\") }", "note: S.a (field 1)"},
		"an annotation of a part of a type":  {"struct S { 1: list<i32 (x = \"1\")> a }", "struct S { 1: list<i32 (x = \"2\")> a }", "note: S.a (field 1)"},
		"annotations of an enum and a value": {"enum D { A = 1 }", "enum D { A = 1 (x = \"y\") } (z)", "note: D\nnote: D.A (1)"},
		"a reserved id is used":              {"struct S { 1: i32 a } (seam.reserved = \"2-3, old\")", "struct S { 1: i32 a, 3: i32 b } (seam.reserved = \"2, old\")", "note: S\nbreaks wire: S.b (field 3)"},
		"a reserved name is used":            {"struct S { 1: i32 a } (seam.reserved = \"2-3, old\")", "struct S { 1: i32 a, 4: i32 old } (seam.reserved = \"2-3\")", "note: S\nbreaks wire: S.old (field 4)"},
		"a reserved number of an enum":       {"enum D { A = 1 } (seam.reserved = \"2\")", "enum D { A = 1, B = 2 }", "note: D\nbreaks wire: D.B (2)"},
		"a reserved argument":                {"service V { void f(1: i32 a) (seam.reserved = \"2\") }", "service V { void f(1: i32 a, 2: i32 b) }", "note: V.f\nbreaks wire: V.f.b (argument 2)"},
		"a reserved function":                {"service V {} (seam.reserved = \"f\")", "service V { void f() }", "note: V\nbreaks wire: V.f"},
		"a range of reservations in parts":   {"struct S {} (seam.reserved = \"2-9\")", "struct S {} (seam.reserved = \"5-9, 2-4\")", ""},

		// Definitions.
		"a struct goes":                       {"struct S {} struct T {}", "struct T {}", "breaks source: S"},
		"a struct comes":                      {"", "struct S {}", "note: S"},
		"a struct gets another name":          {"struct S {} struct T { 1: S s }", "struct Z {} struct T { 1: Z s }", "breaks source: S\nbreaks source: T.s (field 1)\nnote: Z"},
		"a struct becomes a union of it":      {"struct S { 1: optional i32 a }", "union S { 1: i32 a }", "breaks wire: S"},
		"a struct becomes an exception":       {"struct S { 1: i32 a }", "exception S { 1: i32 a }", "breaks source: S"},
		"a struct becomes an enum":            {"struct S {} struct T { 1: S s }", "enum S { A } struct T { 1: S s }", "breaks source: S\nbreaks wire: T.s (field 1)"},
		"a union member goes":                 {"union S { 1: i32 a, 2: i32 b }", "union S { 1: i32 a }", "breaks wire: S.b (field 2)"},
		"a union member comes":                {"union S { 1: i32 a }", "union S { 1: i32 a, 2: i32 b }", "note: S.b (field 2)"},
		"a union member's type":               {"union S { 1: i32 a }", "union S { 1: i64 a }", "breaks wire: S.a (field 1)"},
		"a typedef's type":                    {"typedef i32 T struct S { 1: T a }", "typedef i64 T struct S { 1: T a }", "breaks wire: T\nbreaks wire: S.a (field 1)"},
		"a typedef's type looks alike":        {"typedef i32 T", "typedef Num T", "breaks source: T"},
		"a typedef goes":                      {"typedef i32 T", "", "breaks source: T"},
		"a constant's value":                  {"const i32 C = 1", "const i32 C = 2", "note: C"},
		"a constant's type":                   {"const i32 C = 1", "const i64 C = 1", "breaks source: C"},
		"a constant goes":                     {"const i32 C = 1", "", "breaks source: C"},
		"a constant and a struct of one name": {"const i32 C = 1 struct C {}", "struct C {}", "breaks source: C"},

		// Enums.
		"an enum goes":                      {"enum E { A }", "", "breaks source: E"},
		"a value goes":                      {"enum E { A = 1, B = 2 }", "enum E { A = 1 }", "breaks wire: E.B (2)"},
		"a value comes":                     {"enum E { A = 1 }", "enum E { A = 1, B = 2 }", "note: E.B (2)"},
		"a value gets another number":       {"enum E { A = 1, B = 2 }", "enum E { A = 1, B = 3 }", "breaks wire: E.B (2)"},
		"values without numbers move":       {"enum E { A, B }", "enum E { B, A }", "breaks wire: E.A (0)\nbreaks wire: E.B (1)"},
		"a value gets another name":         {"enum E { A = 1 }", "enum E { B = 1 }", "breaks source: E.A (1)"},
		"of two names of a number one goes": {"enum E { A = 1, B = 1 }", "enum E { A = 1 }", "breaks source: E.B (1)"},

		// Services.
		"a service goes":             {"service V {}", "", "breaks wire: V"},
		"a function goes":            {"service V { void f() }", "service V {}", "breaks wire: V.f"},
		"a function comes":           {"service V {}", "service V { void f() }", "note: V.f"},
		"a result's type":            {"service V { i32 f() }", "service V { string f() }", "breaks wire: V.f"},
		"a result looks alike":       {"service V { P f() }", "service V { Q f() }", "breaks source: V.f"},
		"a result goes":              {"service V { i32 f() }", "service V { void f() }", "breaks wire: V.f"},
		"oneway comes":               {"service V { void f() }", "service V { oneway void f() }", "breaks wire: V.f"},
		"oneway goes":                {"service V { oneway void f() }", "service V { void f() }", "breaks wire: V.f"},
		"an argument's type":         {"service V { void f(1: i32 a) }", "service V { void f(1: i64 a) }", "breaks wire: V.f.a (argument 1)"},
		"an argument goes":           {"service V { void f(1: i32 a) }", "service V { void f() }", "breaks source: V.f.a (argument 1)"},
		"an argument comes":          {"service V { void f() }", "service V { void f(1: i32 a) }", "breaks source: V.f.a (argument 1)"},
		"an argument's name":         {"service V { void f(1: i32 a) }", "service V { void f(1: i32 b) }", "note: V.f.a (argument 1)"},
		"arguments in another order": {"service V { void f(1: i32 a, 2: i32 b) }", "service V { void f(2: i32 b, 1: i32 a) }", "breaks source: V.f"},
		"an exception goes":          {"service V { void f() throws (1: X1 e) }", "service V { void f() }", "breaks wire: V.f.e (exception 1)"},
		"an exception comes":         {"service V { i32 f() }", "service V { i32 f() throws (1: X1 e) }", "note: V.f.e (exception 1)"},
		"an exception comes to a function without a result": {"service V { void f() }", "service V { void f() throws (1: X1 e) }", "breaks wire: V.f.e (exception 1)"},
		"an exception's type":                               {"service V { void f() throws (1: X1 e) }", "service V { void f() throws (1: X3 e) }", "breaks wire: V.f.e (exception 1)"},
		"an exception of the same shape":                    {"service V { void f() throws (1: X1 e) }", "service V { void f() throws (1: X2 e) }", "breaks wire: V.f.e (exception 1)"},
		"extends goes":                                      {"service B { void f() } service V extends B {}", "service B { void f() } service V {}", "breaks wire: V"},
		"extends comes":                                     {"service B { void f() } service V {}", "service B { void f() } service V extends B {}", "note: V"},
		"extends another that has the functions":            {"service B { void f() } service C extends B {} service V extends B {}", "service B { void f() } service C extends B {} service V extends C {}", "breaks source: V"},
		"a function is inherited":                           {"service B {} service V extends B { void f() }", "service B { void f() } service V extends B {}", "note: B.f\nnote: V.f"},

		"a function that was inherited has another result": {"service B { i32 f() } service V extends B {}", "service V { i64 f() }", "breaks wire: B\nbreaks source: V\nbreaks wire: V.f"},

		// Namespaces.
		"a namespace changes":                 {"namespace go a", "namespace go b", "breaks source: namespace go"},
		"a namespace goes":                    {"namespace go a", "", "breaks source: namespace go"},
		"a namespace comes":                   {"", "namespace go a", "breaks source: namespace go"},
		"a namespace for all other languages": {"namespace go a", "namespace * a", "breaks source: namespace *"},
	} {
		t.Run(name, func(t *testing.T) {
			// Namespaces stand first in a file.
			old, new := tc.old+common, tc.new+common
			changes := compare(t, old, new)
			if got := brief(changes); got != tc.want {
				t.Errorf("old: %s\nnew: %s\ngot\n%s\nwant\n%s", tc.old, tc.new, got, tc.want)
			}
			for _, c := range changes {
				if c.Message == "" || c.Old == c.New && c.Old == (compat.Place{}) {
					t.Errorf("%+v lacks a message or a place", c)
				}
			}
			if again := compare(t, old, old); len(again) > 0 {
				t.Errorf("the old version differs from itself: %v", again)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	changes := compare(t, "struct Item {}\nstruct Order {\n  5: list<Item> items\n}", "struct Item {}\n\nstruct Order {\n  5: list<string> items\n}")
	want := "a.thrift:4:3: breaks wire: Order.items (field 5): the type was list<Item> and is now list<string>: a struct can't be read as a string; keep this field as it is and add one with a new id [type-wire]"
	if len(changes) != 1 || changes[0].String() != want {
		t.Errorf("got %v\nwant %s", changes, want)
	}
	if at := changes[0].Old.Pos.Line; at != 3 {
		t.Errorf("the old place is line %d, want 3", at)
	}
	if compat.Worst(changes) != compat.Wire || compat.Worst(nil) != compat.Note {
		t.Error("Worst is wrong")
	}
}

func TestFiles(t *testing.T) {
	const lib = "namespace go shop struct Item { 1: i32 n }"
	old := load(t, files{"order.thrift": `include "lib.thrift" namespace go shop struct Order { 1: lib.Item item }`, "lib.thrift": lib}, "order.thrift")
	for name, tc := range map[string]struct {
		new  files
		path string
		want string
	}{
		"the same":                            {files{"x/order.thrift": `include "lib.thrift" namespace go shop struct Order { 1: lib.Item item }`, "x/lib.thrift": lib}, "x/order.thrift", ""},
		"the file asked for has another name": {files{"order2.thrift": `include "lib.thrift" namespace go shop struct Order { 1: lib.Item item }`, "lib.thrift": lib}, "order2.thrift", ""},
		"a definition moved within a package": {files{"order.thrift": `namespace go shop struct Item { 1: i32 n } struct Order { 1: Item item }`}, "order.thrift", "note: Item"},
		"a definition moved to another package": {files{"order.thrift": `include "new.thrift" namespace go shop struct Order { 1: new.Item item }`, "new.thrift": "namespace go other struct Item { 1: i32 n }"}, "order.thrift",
			"breaks source: Item"},
		"a definition moved and changed": {files{"order.thrift": `namespace go shop struct Item { 1: i64 n } struct Order { 1: Item item }`}, "order.thrift", "note: Item\nbreaks wire: Item.n (field 1)"},
		"an included definition goes":    {files{"order.thrift": `namespace go shop struct Order { 1: i32 item }`}, "order.thrift", "breaks source: Item\nbreaks wire: Order.item (field 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := brief(compat.Compare(old, load(t, tc.new, tc.path), compat.Options{})); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// What programs use decides what is a break.
func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		opt            compat.Options
		old, new, want string
	}{
		{compat.Options{NoJSON: true}, "struct S { 1: string a }", "struct S { 1: binary a }", "breaks source: S.a (field 1)"},
		{compat.Options{Names: true}, "struct S { 1: i32 a }", "struct S { 1: i32 b }", "breaks wire: S.a (field 1)"},
		{compat.Options{Names: true}, "enum E { A = 1 }", "enum E { B = 1 }", "breaks wire: E.A (1)"},
		{compat.Options{Names: true}, "struct S { 1: i32 a }", "struct S { 1: i32 a (go.tag = 'json:\"b\"') }", "breaks wire: S.a (field 1)"},
		{compat.Options{Names: true}, "enum E { A = 1 }", "enum E { A = 1, B = 2 }", "breaks wire: E.B (2)"},
		{compat.Options{Names: true, NoJSON: true}, "struct S { 1: string a }", "struct S { 1: binary a }", "breaks wire: S.a (field 1)"},
		{compat.Options{Names: true}, "enum E { A = 1 } struct S { 1: i32 a }", "enum E { A = 1 } struct S { 1: E a }", "breaks wire: S.a (field 1)"},
		{compat.Options{Names: true}, "enum E { A = 1 } enum F { B = 1 } struct S { 1: E a }", "enum E { A = 1 } enum F { B = 1 } struct S { 1: F a }", "breaks wire: S.a (field 1)"},
		{compat.Options{Names: true}, "struct P { 1: i32 a } struct Q { 1: i32 b } struct S { 1: P a }", "struct P { 1: i32 a } struct Q { 1: i32 b } struct S { 1: Q a }", "breaks wire: S.a (field 1)"},
		{compat.Options{Names: true}, "struct P { 1: i32 a } struct S { 1: required P a = {\"a\": 1} }", "struct P { 1: i32 a } struct S { 1: required P a = {\"a\": 2} }", "breaks wire: S.a (field 1)"},
		{compat.Options{}, "struct P { 1: i32 a } struct S { 1: required P a = {\"a\": 1} }", "struct P { 1: i32 a } struct S { 1: required P a = {\"a\": 2} }", "note: S.a (field 1)"},
		{compat.Options{Names: true}, "service V { void f(1: i32 a) }", "service V { void f(1: i32 b) }", "breaks wire: V.f.a (argument 1)"},
		{compat.Options{}, "struct S { 1: optional i32 a }", "struct S { 1: optional i32 a = 0 }", "note: S.a (field 1)"},
		{compat.Options{Kitex: true}, "struct S { 1: optional i32 a }", "struct S { 1: optional i32 a = 0 }", "breaks source: S.a (field 1)"},
		{compat.Options{}, "struct S { 1: optional binary a = \"\" (vt.min_size = \"1\") }", "struct S { 1: optional binary a (vt.min_size = \"1\") }", "breaks wire: S.a (field 1)"},
		{compat.Options{}, "struct S { 1: optional binary a (vt.min_size = \"1\") }", "struct S { 1: optional binary a = \"\" (vt.min_size = \"1\") }", "breaks wire: S.a (field 1)"},
		{compat.Options{}, "struct S { 1: optional binary a = \"\" }", "struct S { 1: optional binary a }", "note: S.a (field 1)"},
		{compat.Options{Kitex: true}, "struct S { 1: optional i32 a = 0 (vt.not_nil = \"true\") }", "struct S { 1: optional i32 a (vt.not_nil = \"true\") }", "breaks wire: S.a (field 1)"},
		{compat.Options{}, "struct S { 1: optional i32 a = 0 (vt.not_nil = \"true\") }", "struct S { 1: optional i32 a (vt.not_nil = \"true\") }", "note: S.a (field 1)"},
		{compat.Options{Kitex: true}, "struct S { 1: optional i32 a (vt.not_nil = \"true\") }", "struct S { 1: optional i32 a = 0 (vt.not_nil = \"true\") }", "breaks source: S.a (field 1)"},
	} {
		changes := compat.Compare(load(t, files{"a.thrift": tc.old}, "a.thrift"), load(t, files{"a.thrift": tc.new}, "a.thrift"), tc.opt)
		if got := brief(changes); got != tc.want {
			t.Errorf("%+v, %s, %s: got %s, want %s", tc.opt, tc.old, tc.new, got, tc.want)
		}
	}
}

// Each rule has a name and a title of its own.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range compat.Rules {
		if r.Name == "" || r.Title == "" || seen[r.Name] || seen[r.Title] {
			t.Errorf("%+v lacks something, or is there twice", r)
		}
		seen[r.Name], seen[r.Title] = true, true
	}
}
