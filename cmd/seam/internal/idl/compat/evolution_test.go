//seam:test native

package compat_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/compat"
	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/internal/testenv"
)

// TestEvolution holds verdicts against generated code. Random Thrift files evolve at random into
// a tree of versions. Each two of them are compared, and what no change of severity Wire reaches,
// a struct or a function, is said to be compatible: so random values of it are exchanged between
// the code of both versions, in all protocols and both directions, and must arrive as they were
// sent.
//
// SEAM_EVOLUTIONS is their number of evolutions, SEAM_EVOLUTION_SEED the first seed.
func TestEvolution(t *testing.T) {
	testenv.Builds(t)
	evolutions, versions := 120, 7 // of the same seed each time: stage torture tries others
	if n, err := strconv.Atoi(os.Getenv("SEAM_EVOLUTIONS")); err == nil {
		evolutions, versions = n, 32
	}
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("SEAM_EVOLUTION_SEED"), 10, 64); err == nil {
		seed = n
	}
	shown, said := map[string]int{}, map[string]int{}
	done, exchanged, judged, failures := 0, 0, 0, 0
	for batch := seed; done < evolutions && !t.Failed(); batch++ {
		e := newExchange(t)
		for g := range 4 {
			e.group(g, versions, rand.New(rand.NewPCG(batch, uint64(g))))
		}
		for i, r := range e.run(t) {
			exchanged += r.Exchanged
			rules := e.verdicts[i][r.Root]
			switch {
			case len(rules) == 0:
				judged++
				if r.Wrong != "" && failures < 5 {
					failures++
					p := e.pairs[r.Pair]
					t.Errorf("SEAM_EVOLUTION_SEED=%d: %s is said to be compatible: %s\n--- %s\n%s\n--- %s\n%s", batch, r.Root, r.Wrong, p.Old, e.texts[p.Old], p.New, e.texts[p.New])
				}
			case len(rules) == 1:
				said[rules[0]]++
				if r.Wrong != "" {
					shown[rules[0]]++
				}
			}
		}
		done += e.evolutions
	}
	t.Logf("%d evolutions, %d verdicts of compatible, %d values exchanged", done, judged, exchanged)
	for _, rule := range slices.Sorted(maps.Keys(said)) {
		t.Logf("%-22s said of %5d alone, shown by %5d", rule, said[rule], shown[rule])
	}
}

// TestBreaksAreShown holds the other verdict against generated code: each of these changes breaks
// something, by one rule, and values show it.
func TestBreaksAreShown(t *testing.T) {
	testenv.Builds(t)
	const exceptions = "exception X1 { 1: string why } exception X2 { 1: string why } "
	changes := []struct{ rule, old, new string }{
		{"type-wire", "struct S { 1: list<i32> a }", "struct S { 1: list<i64> a }"},
		{"type-json", "struct S { 1: string a }", "struct S { 1: binary a }"},
		{"type-json", "struct S { 1: map<string, i32> a }", "struct S { 1: map<binary, i32> a }"},
		{"required-new", "struct S { 1: optional i32 a }", "struct S { 1: required i32 a }"},
		{"required-new", "struct S { 1: i32 a }", "struct S { 1: i32 a, 2: required i32 b }"},
		{"required-gone", "struct S { 1: required i32 a }", "struct S { 1: optional i32 a }"},
		{"required-gone", "struct S { 1: i32 a, 2: required i32 b }", "struct S { 1: i32 a }"},
		{"default-absent", "struct S { 1: optional i32 a = 1 }", "struct S { 1: optional i32 a = 2 }"},
		{"default-absent", "const i32 C = 1 struct S { 1: optional i32 a = C }", "const i32 C = 2 struct S { 1: optional i32 a = C }"},
		{"default-absent", "struct D { 1: i32 n = 1 } struct S { 1: optional D a = {} }", "struct D { 1: i32 n = 2 } struct S { 1: optional D a = {} }"},
		{"kind-union", "struct S { 1: optional i32 a, 2: optional i32 b }", "union S { 1: i32 a, 2: i32 b }"},
		{"union-member-gone", "union S { 1: i32 a, 2: i32 b }", "union S { 1: i32 a }"},
		{"enum-number", "enum E { A = 1, B = 2 } struct S { 1: E a }", "enum E { B = 1, A = 2 } struct S { 1: E a }"},
		{"enum-value-gone", "enum E { A = 1, B = 2 } struct S { 1: E a }", "enum E { A = 1 } struct S { 1: E a }"},
		{"validation", "struct S { 1: i32 a (vt.lt = \"4\") }", "struct S { 1: i32 a (vt.lt = \"2\") }"},
		{"validation", "struct S { 1: i32 a }", "struct S { 1: i32 a, 2: i32 b (vt.gt = \"0\") }"},
		{"throw-type", exceptions + "service V { void f() throws (1: X1 a, 2: X2 b) }", exceptions + "service V { void f() throws (1: X2 a, 2: X1 b) }"},
		{"throw-void", exceptions + "service V { void f() throws (2: X2 b) }", exceptions + "service V { void f() throws (2: X2 b, 3: X1 a) }"},
		{"function-gone", "service V { i32 f() i32 g() }", "service V { i32 g() }"},
	}
	e := newExchange(t)
	for i, c := range changes {
		for k, text := range []string{c.old, c.new} {
			if !strings.Contains(text, "service") {
				text += " service V {}"
			}
			if !e.version(fmt.Sprintf("g%dv%d", i, k), text, false) {
				t.Fatalf("no code for %s", text)
			}
		}
		e.pair(fmt.Sprintf("g%dv0", i), fmt.Sprintf("g%dv1", i), compat.Options{}, uint64(i))
		p := &e.pairs[len(e.pairs)-1]
		p.Values = 60
		if c.rule == "function-gone" { // it is nobody's root: its callers ask for it all the same
			p.Functions = append(p.Functions, exchangeFunction{Name: "F", OnlyOld: true})
			e.perPair[len(e.perPair)-1]["F"] = []string{c.rule}
		}
	}
	shown := map[int]bool{}
	for i, r := range e.run(t) {
		if rules := e.verdicts[i][r.Root]; r.Wrong != "" && slices.Contains(rules, changes[r.Pair].rule) {
			shown[r.Pair] = true
		}
	}
	for i, c := range changes {
		if !shown[i] {
			t.Errorf("no value shows %s: %s, %s", c.rule, c.old, c.new)
		}
	}
}

// --- random Thrift files

type (
	idlFile struct {
		enums    []*idlEnum
		typedefs []*idlTypedef
		structs  []*idlStruct
		funcs    []*idlFunc // of the service V
		base     []*idlFunc // of the service B, which V extends if there are any
		consts   []*idlConst
		fresh    int // for names that were never used
	}
	idlTypedef struct{ name, typ string }
	idlConst   struct{ name, typ, value string }
	idlEnum    struct {
		name   string
		values []idlValue
	}
	idlValue struct {
		name   string
		number int
	}
	idlStruct struct {
		kind, name string
		fields     []*idlField
	}
	idlField struct {
		id                  int
		req, typ, name, def string
		rule                string // annotations
	}
	idlFunc struct {
		name, result string
		oneway       bool
		args, throws []*idlField
	}
)

func (f *idlFile) clone() *idlFile {
	c := *f
	c.enums, c.typedefs, c.structs, c.consts = nil, nil, nil, nil
	for _, x := range f.typedefs {
		y := *x
		c.typedefs = append(c.typedefs, &y)
	}
	for _, x := range f.consts {
		y := *x
		c.consts = append(c.consts, &y)
	}
	for _, e := range f.enums {
		c.enums = append(c.enums, &idlEnum{e.name, slices.Clone(e.values)})
	}
	fields := func(list []*idlField) (out []*idlField) {
		for _, x := range list {
			y := *x
			out = append(out, &y)
		}
		return out
	}
	for _, s := range f.structs {
		c.structs = append(c.structs, &idlStruct{s.kind, s.name, fields(s.fields)})
	}
	functions := func(list []*idlFunc) (out []*idlFunc) {
		for _, fn := range list {
			out = append(out, &idlFunc{fn.name, fn.result, fn.oneway, fields(fn.args), fields(fn.throws)})
		}
		return out
	}
	c.funcs, c.base = functions(f.funcs), functions(f.base)
	return &c
}

func (f *idlFile) text() string {
	var b strings.Builder
	for _, e := range f.enums {
		fmt.Fprintf(&b, "enum %s {", e.name)
		for _, v := range e.values {
			fmt.Fprintf(&b, " %s = %d,", v.name, v.number)
		}
		b.WriteString(" }\n")
	}
	for _, x := range f.typedefs {
		fmt.Fprintf(&b, "typedef %s %s\n", x.typ, x.name)
	}
	fields := func(list []*idlField) {
		for i, x := range list {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%d: %s %s %s", x.id, x.req, x.typ, x.name)
			if x.def != "" {
				b.WriteString(" = " + x.def)
			}
			if x.rule != "" {
				b.WriteString(" (" + x.rule + ")")
			}
		}
	}
	for _, s := range f.structs {
		fmt.Fprintf(&b, "%s %s { ", s.kind, s.name)
		fields(s.fields)
		b.WriteString(" }\n")
	}
	for _, x := range f.consts {
		fmt.Fprintf(&b, "const %s %s = %s\n", x.typ, x.name, x.value)
	}
	service := func(list []*idlFunc) {
		for _, fn := range list {
			b.WriteString("  ")
			if fn.oneway {
				b.WriteString("oneway ")
			}
			fmt.Fprintf(&b, "%s %s(", fn.result, fn.name)
			fields(fn.args)
			b.WriteString(")")
			if len(fn.throws) > 0 {
				b.WriteString(" throws (")
				fields(fn.throws)
				b.WriteString(")")
			}
			b.WriteString("\n")
		}
		b.WriteString("}\n")
	}
	extends := ""
	if len(f.base) > 0 {
		b.WriteString("service B {\n")
		service(f.base)
		extends = " extends B"
	}
	b.WriteString("service V" + extends + " {\n")
	service(f.funcs)
	return b.String()
}

// A breeder makes and changes files.
type breeder struct{ *rand.Rand }

func one[T any](r breeder, list ...T) T { return list[r.IntN(len(list))] }

func (r breeder) file() *idlFile {
	f := &idlFile{}
	for i := range 2 {
		f.consts = append(f.consts, &idlConst{fmt.Sprintf("C%d", i), "i32", strconv.Itoa(r.IntN(4))})
	}
	for range 2 {
		e := &idlEnum{name: f.name("E")}
		for i := range 1 + r.IntN(3) {
			e.values = append(e.values, idlValue{f.name("K"), i + r.IntN(2)})
		}
		f.enums = append(f.enums, e)
	}
	for _, kind := range []string{"struct", "struct", "exception", "exception", "union", "struct"} {
		s := &idlStruct{kind: kind, name: f.name("S")}
		for range 1 + r.IntN(3) {
			s.fields = append(s.fields, r.field(f, s, len(s.fields)+1+r.IntN(2)*len(s.fields)))
		}
		f.structs = append(f.structs, s)
	}
	for range 3 { // some of the structs have none of these
		f.typedefs = append(f.typedefs, &idlTypedef{f.name("T"), r.typ(f, 0)})
	}
	for range 2 {
		typ := one(r, "string", "list<i32>", "map<string, i32>", "double", f.enums[0].name, f.structs[0].name, f.typedefs[0].name)
		if v := r.value(f, typ); v != "" {
			f.consts = append(f.consts, &idlConst{f.name("C"), typ, v})
		}
	}
	for range 2 {
		f.funcs = append(f.funcs, r.function(f))
	}
	if r.IntN(2) == 0 {
		f.base = append(f.base, r.function(f))
	}
	return f
}

func (f *idlFile) name(prefix string) string {
	f.fresh++
	return fmt.Sprintf("%s%d", prefix, f.fresh)
}

func (f *idlFile) exceptions() (names []string) {
	for _, s := range f.structs {
		if s.kind == "exception" {
			names = append(names, s.name)
		}
	}
	return names
}

func (r breeder) function(f *idlFile) *idlFunc {
	fn := &idlFunc{name: f.name("f"), result: one(r, "void", r.typ(f, 0), r.typ(f, 0))}
	for i := range r.IntN(3) {
		fn.args = append(fn.args, &idlField{id: i + 1, typ: r.typ(f, 0), name: f.name("a")})
	}
	for i, x := range f.exceptions() {
		if r.IntN(2) == 0 {
			fn.throws = append(fn.throws, &idlField{id: i + 1, typ: x, name: f.name("x")})
		}
	}
	if fn.result == "void" && len(fn.throws) == 0 && r.IntN(2) == 0 {
		fn.oneway = true
	}
	return fn
}

func (r breeder) typ(f *idlFile, depth int) string {
	if depth < 2 && r.IntN(4) == 0 {
		switch r.IntN(3) {
		case 0:
			return "list<" + r.typ(f, depth+1) + ">"
		case 1:
			return "set<" + one(r, "i32", "string", "binary", "double", "uuid", f.enums[0].name, f.structs[0].name) + ">"
		default:
			return "map<" + one(r, "i32", "string", "bool", f.enums[0].name, f.structs[0].name) + ", " + r.typ(f, depth+1) + ">"
		}
	}
	if len(f.typedefs) > 0 && r.IntN(6) == 0 {
		return one(r, f.typedefs...).name
	}
	if len(f.structs) > 0 && r.IntN(3) == 0 {
		return f.structs[r.IntN(len(f.structs))].name
	}
	return one(r, "bool", "i8", "i16", "i32", "i32", "i64", "double", "string", "string", "binary", "uuid", f.enums[0].name, f.enums[1].name)
}

func (r breeder) field(f *idlFile, s *idlStruct, id int) *idlField {
	x := &idlField{id: id, req: one(r, "", "optional", "optional", "optional", "required"), typ: "i32", name: f.name("a")}
	if len(f.structs) > 0 || r.IntN(3) > 0 {
		x.typ = r.typ2(f)
	}
	if s.kind == "union" {
		x.req = ""
	}
	if s.kind != "union" && r.IntN(3) > 0 {
		x.def = r.value(f, x.typ)
	}
	if r.IntN(6) == 0 {
		x.rule = r.rule(f, x.typ)
	}
	return x
}

func (r breeder) typ2(f *idlFile) string {
	if len(f.structs) == 0 {
		return one(r, "bool", "i32", "i64", "double", "string", "binary", f.enums[0].name, "list<i32>", "map<string, i32>")
	}
	return r.typ(f, 0)
}

// value is a default of a type, or none.
func (r breeder) value(f *idlFile, typ string) string {
	for _, c := range f.consts {
		if c.typ == typ && r.IntN(5) == 0 {
			return c.name
		}
	}
	typ = f.meant(typ)
	if typ[0] == 'E' && r.IntN(2) == 0 {
		for _, e := range f.enums {
			if e.name == typ {
				return typ + "." + one(r, e.values...).name
			}
		}
	}
	switch {
	case typ == "bool":
		return one(r, "true", "false")
	case typ == "uuid":
		return one(r, `"00000000-0000-0000-0000-000000000000"`, `"00112233-4455-6677-8899-aabbccddeeff"`)
	case typ == "double" && r.IntN(2) == 0:
		return one(r, "0.5", "-1e3")
	case typ[0] == 'i' || typ == "double" || typ[0] == 'E':
		return strconv.Itoa(r.IntN(4))
	case typ == "string" || typ == "binary":
		return one(r, `""`, `"a"`, `"b"`)
	case strings.HasPrefix(typ, "list<i32") || strings.HasPrefix(typ, "set<i32"):
		return one(r, "[]", "[1]", "[1, 2]")
	case strings.HasPrefix(typ, "map<string, i32"):
		return one(r, "{}", `{"a": 1}`, `{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`)
	case typ == "set<string>":
		return one(r, "[]", `["a", "b"]`, `["b", "a"]`)
	case strings.HasPrefix(typ, "map<"), strings.HasPrefix(typ, "list<"), strings.HasPrefix(typ, "set<"):
		if typ[0] != 'm' {
			return "[]"
		}
		return "{}"
	case typ[0] == 'S':
		for _, s := range f.structs {
			if s.name != typ {
				continue
			}
			var parts []string
			for _, x := range s.fields {
				if f.meant(x.typ)[0] == 'S' { // it may hold this one
					continue
				}
				if v := r.value(f, x.typ); v != "" && (r.IntN(3) == 0 || x.req == "required") {
					parts = append(parts, fmt.Sprintf("%q: %s", x.name, v))
				}
				if s.kind == "union" && len(parts) > 0 {
					break
				}
			}
			return "{" + strings.Join(parts, ", ") + "}"
		}
	}
	return ""
}

func (r breeder) rule(f *idlFile, typ string) string {
	typ = f.meant(typ)
	if r.IntN(10) == 0 {
		return `vt.not_nil = "true"`
	}
	switch typ {
	case "i8", "i16", "i32", "i64", "double":
		if r.IntN(4) == 0 {
			return one(r, `vt.const = "1"`, `vt.in = "0", vt.in = "1", vt.in = "2"`, `vt.in = "1", vt.in = "2"`, `vt.not_in = "1"`, `vt.not_in = "1", vt.not_in = "2"`)
		}
		return fmt.Sprintf("vt.%s = \"%d\"", one(r, "gt", "lt", "ge", "le"), r.IntN(4))
	case "string", "binary":
		return fmt.Sprintf("vt.%s = \"%d\"", one(r, "min_size", "max_size"), r.IntN(4))
	}
	if strings.HasPrefix(typ, "list<i32") {
		return fmt.Sprintf("vt.%s = \"%d\"", one(r, "min_size", "max_size", "elem.gt", "elem.le"), r.IntN(3))
	}
	if typ[0] == 'E' {
		return `vt.defined_only = "true"`
	}
	return ""
}

// change makes one change to a file.
func (r breeder) change(f *idlFile) {
	s := one(r, f.structs...)
	fn := one(r, f.funcs...)
	e := one(r, f.enums...)
	list := &s.fields
	switch r.IntN(5) {
	case 0:
		list = &fn.args
	case 1:
		if len(fn.throws) > 1 && r.IntN(2) == 0 {
			list = &fn.throws
		}
	}
	isThrows := list == &fn.throws
	n := len(*list)
	var x, y *idlField
	if n > 0 {
		x, y = one(r, *list...), one(r, *list...)
	}
	next := 1
	for _, x := range *list {
		next = max(next, x.id+1)
	}
	switch k := r.IntN(36); {
	case k < 3 && !isThrows: // a field comes
		add := r.field(f, s, next)
		if list == &fn.args {
			add.req, add.rule = "", ""
			dropStructDefault(f, add)
		} else if add.req == "required" && r.IntN(3) > 0 {
			add.req = "optional"
		}
		*list = append(*list, add)
	case k == 3 && n > 0: // goes
		i := r.IntN(n)
		*list = slices.Delete(*list, i, i+1)
	case k == 4 && n > 0 && !isThrows: // another type
		x.typ, x.def, x.rule = r.typ(f, 0), "", ""
	case k == 5 && n > 0 && !isThrows: // one that looks alike
		x.typ = alike(r, f, x.typ)
	case k == 6 && n > 0:
		x.name = f.name("a")
	case k == 7 && n > 1:
		x.name, y.name = y.name, x.name
	case k == 8 && n > 1:
		x.typ, y.typ = y.typ, x.typ
		x.def, y.def, x.rule, y.rule = "", "", "", ""
	case k == 9 && n > 1:
		x.id, y.id = y.id, x.id
	case k == 10 && n > 0:
		x.id = next + r.IntN(2)
	case k >= 11 && k < 14 && n > 0 && !isThrows: // another default
		x.def = ""
		if r.IntN(3) > 0 && s.kind != "union" {
			x.def = r.value(f, x.typ)
		}
		if list == &fn.args {
			dropStructDefault(f, x)
		}
	case k >= 14 && k < 16 && n > 0 && list == &s.fields && s.kind != "union":
		x.req = one(r, "", "optional", "optional", "required")
	case k == 16:
		c := one(r, f.consts...)
		c.value = cmp.Or(r.value(&idlFile{enums: f.enums, typedefs: f.typedefs, structs: f.structs}, c.typ), c.value)
	case k == 17:
		e.values = append(e.values, idlValue{f.name("K"), r.IntN(6)})
	case k == 18:
		v := &e.values[r.IntN(len(e.values))]
		if r.IntN(2) == 0 {
			v.number = r.IntN(6)
		} else {
			v.name = f.name("K")
		}
	case k == 19 && len(e.values) > 1:
		e.values = slices.Delete(e.values, 0, 1)
	case k == 20:
		s.kind = one(r, "struct", "union", "exception")
	case k == 21:
		f.structs = append(f.structs, &idlStruct{"struct", f.name("S"), []*idlField{r.field(f, &idlStruct{}, 1)}})
	case k == 22 && fn.result != "void":
		fn.result = one(r, alike(r, f, fn.result), r.typ(f, 0))
	case k == 23:
		f.funcs = append(f.funcs, r.function(f))
	case k == 24 && fn.result == "void" && len(fn.throws) == 0:
		fn.oneway = !fn.oneway
	case k == 26: // a struct by another name: where it is used, shapes are compared
		f.rename(s.name, f.name("S"))
	case k == 27:
		f.rename(e.name, f.name("E"))
	case k == 28: // it is inherited now, or no longer
		if i := r.IntN(len(f.funcs)); len(f.funcs) > 1 {
			f.base, f.funcs = append(f.base, f.funcs[i]), slices.Delete(f.funcs, i, i+1)
		} else if len(f.base) > 0 {
			f.base, f.funcs = f.base[1:], append(f.funcs, f.base[0])
		}
	case k == 29: // an exception more
		if list := f.exceptions(); len(list) > 0 {
			fn.throws = append(fn.throws, &idlField{id: 1 + len(fn.throws) + r.IntN(2), typ: one(r, list...), name: f.name("x")})
		}
	case k == 30: // a typedef that is written out, or stands for something else
		x := one(r, f.typedefs...)
		if r.IntN(2) == 0 {
			x.typ = one(r, alike(r, f, x.typ), r.typ2(f))
		} else {
			f.rename(x.name, f.meant(x.typ))
		}
	case k == 31 && n > 0 && !isThrows: // a typedef for what a type is
		if f.meant(x.typ) == x.typ {
			f.typedefs = append(f.typedefs, &idlTypedef{f.name("T"), x.typ})
			x.typ = f.typedefs[len(f.typedefs)-1].name
		}
	case k == 32 && n > 0: // a tag, by which JSON goes
		if list == &s.fields && x.rule == "" {
			x.rule = fmt.Sprintf(`go.tag = 'json:"%s"'`, f.name("j"))
		}
	case k == 33 && n > 0 && list == &s.fields: // a struct that has all that this one has
		same := &idlStruct{s.kind, f.name("S"), nil}
		for _, x := range s.fields {
			y := *x
			same.fields = append(same.fields, &y)
		}
		f.structs = append(f.structs, same)
		if fn.result == s.name {
			fn.result = same.name
		}
		for _, t := range f.structs {
			for _, x := range t.fields {
				x.typ = renamed(x.typ, s.name, same.name)
			}
		}
	case k == 34 && n > 0 && !isThrows: // where one type stands in another
		x.typ, x.def, x.rule = strings.ReplaceAll(x.typ, "string", "binary"), "", ""
	case k == 25 && n > 0 && list == &s.fields:
		x.rule = r.rule(f, x.typ)
	default: // an order that means nothing
		slices.Reverse(s.fields)
	}
}

// meant is a type with its typedef written out.
func (f *idlFile) meant(typ string) string {
	for range f.typedefs {
		for _, x := range f.typedefs {
			if x.name == typ {
				typ = x.typ
			}
		}
	}
	return typ
}

// rename gives a definition another name, wherever it is used.
func (f *idlFile) rename(old, new string) {
	for _, x := range f.enums {
		x.name = renamed(x.name, old, new)
	}
	f.typedefs = slices.DeleteFunc(f.typedefs, func(x *idlTypedef) bool { return x.name == old })
	for _, x := range f.typedefs {
		x.typ = renamed(x.typ, old, new)
	}
	fields := func(list []*idlField) {
		for _, x := range list {
			x.typ, x.def = renamed(x.typ, old, new), renamed(x.def, old, new)
		}
	}
	for _, x := range f.structs {
		x.name = renamed(x.name, old, new)
		fields(x.fields)
	}
	for _, fn := range slices.Concat(f.funcs, f.base) {
		fn.result = renamed(fn.result, old, new)
		fields(fn.args)
		fields(fn.throws)
	}
	for _, x := range f.consts {
		x.typ, x.value = renamed(x.typ, old, new), renamed(x.value, old, new)
	}
}

func renamed(text, old, new string) string {
	return regexp.MustCompile(`\b`+old+`\b`).ReplaceAllLiteralString(text, new)
}

// dropStructDefault takes the default of an argument away that is a struct: nil is read as it, in
// the same version too, and no caller can say otherwise.
func dropStructDefault(f *idlFile, x *idlField) {
	if f.meant(x.typ)[0] == 'S' {
		x.def = ""
	}
}

// alike is a type that may look the same on the wire.
func alike(r breeder, f *idlFile, typ string) string {
	typ = f.meant(typ)
	switch {
	case typ == "string":
		return "binary"
	case typ == "binary":
		return "string"
	case typ == "i32" || typ[0] == 'E':
		return one(r, "i32", f.enums[0].name, f.enums[1].name)
	case typ[0] == 'S':
		return one(r, f.structs...).name
	case strings.HasPrefix(typ, "list<"):
		return "list<" + alike(r, f, typ[5:len(typ)-1]) + ">"
	case strings.HasPrefix(typ, "map<"):
		key, elem, _ := strings.Cut(typ[4:len(typ)-1], ", ")
		if r.IntN(2) == 0 {
			return "map<" + alike(r, f, key) + ", " + elem + ">"
		}
		return "map<" + key + ", " + alike(r, f, elem) + ">"
	}
	return typ
}

// --- the exchange

type root = string

type exchange struct {
	dir        string
	registry   bytes.Buffer
	imports    bytes.Buffer
	texts      map[string]string
	loaded     map[string]*model.Program
	pairs      []exchangePair
	verdicts   []map[root][]string // what is said of each result: the rules that reach it
	perPair    []map[root][]string
	evolutions int
}

type exchangePair struct {
	Old, New  string
	Structs   []string
	Functions []exchangeFunction
	NoJSON    bool
	Names     bool
	Validate  bool
	Values    int
	Seed      uint64
}

type exchangeFunction struct {
	Name             string
	OldArgs, NewArgs []int16
	Oneway           bool
	OnlyOld          bool // the new version doesn't have it
}

type exchangeResult struct {
	Pair      int
	Root      string
	Exchanged int
	Wrong     string
}

func newExchange(t *testing.T) *exchange {
	e := &exchange{dir: t.TempDir(), texts: map[string]string{}, loaded: map[string]*model.Program{}}
	repository := testenv.Repository(t)
	mod := fmt.Sprintf("module evolution\n\ngo 1.25.0\n\nrequire github.com/seamgo/seam/thrift v0.0.0\n\nreplace github.com/seamgo/seam/thrift => %s\n", filepath.Join(repository, "thrift"))
	main, err := os.ReadFile("testdata/evolution/main.go")
	if err == nil {
		err = os.WriteFile(filepath.Join(e.dir, "main.go"), main, 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(e.dir, "go.mod"), []byte(mod), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// group makes versions of one file, their code, and what is to be exchanged.
func (e *exchange) group(g, versions int, random *rand.Rand) {
	r := breeder{random}
	opt := compat.Options{Kitex: g%2 == 1, NoJSON: g/2 == 1}
	opt.Names = !opt.Kitex && r.IntN(2) == 0
	var files []*idlFile
	var names []string
	for tries := 0; len(files) < versions && tries < 50*versions; tries++ {
		var f *idlFile
		if len(files) == 0 {
			f = r.file()
		} else {
			f = one(r, files[max(0, len(files)-4):]...).clone()
			for range 1 + r.IntN(2) {
				r.change(f)
			}
		}
		name := fmt.Sprintf("g%dv%d", g, len(files))
		if !e.version(name, f.text(), opt.Kitex) {
			continue
		}
		files, names = append(files, f), append(names, name)
	}
	for i := range files {
		for k := range files {
			if i != k {
				e.pair(names[i], names[k], opt, r.Uint64())
			}
		}
	}
}

// version makes the code of a version; false if its text is no Thrift.
func (e *exchange) version(name, text string, kitex bool) bool {
	text = fmt.Sprintf("namespace go %s\n%s", name, text)
	progs, errs := model.Load([]string{"a.thrift"}, model.Options{Validate: true, ReadFile: func(p string) ([]byte, error) {
		if p != "a.thrift" {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}})
	if errs.Fatal() {
		return false
	}
	// Kitex's by-value defaults are a property of the model, so each version is generated at once.
	made, err := gen.Generate(progs, gen.Options{Out: e.dir, PackagePrefix: "evolution", Validate: true, Kitex: kitex, NoEqual: true, NoClone: true})
	if err != nil {
		return false
	}
	if err := e.write(name, progs[0], made); err != nil {
		panic(err)
	}
	e.texts[name], e.loaded[name] = text, progs[0]
	return true
}

// write writes the code of a version, and what makes it known to the program.
func (e *exchange) write(name string, p *model.Program, made []gen.File) error {
	dir := filepath.Join(e.dir, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	fmt.Fprintf(&e.imports, "\t%q\n", "evolution/"+name)
	fmt.Fprintf(&e.registry, "\tversions[%q] = version{types: map[string]func() thrift.Message{\n", name)
	for _, s := range p.Structs {
		fmt.Fprintf(&e.registry, "\t\t%q: func() thrift.Message { return %s.New%[1]s() },\n", s.Name, name)
	}
	fmt.Fprintf(&e.registry, "\t}, client: func(c thrift.Caller) any { return %s.NewVClient(c) }, processor: func(do func(string, []any) (any, error)) thrift.Processor { return %[1]s.NewVProcessor(%[1]s.Handler{do}) }}\n", name)
	for _, s := range p.Services {
		for _, fn := range s.Functions {
			key := fmt.Sprintf("%s.%s", name, strings.ToUpper(fn.Name[:1])+fn.Name[1:])
			for _, x := range fn.Throws {
				fmt.Fprintf(&e.registry, "\tthrows[%q] = append(throws[%[1]q], %q)\n", key, x.Type.Struct.Name)
			}
			if fn.Result.Kind != model.Void {
				fmt.Fprintf(&e.registry, "\tresults[%q] = reflect.TypeFor[%s.R%s]()\n", key, name, fn.Name)
			}
		}
	}
	for _, f := range made {
		if base := filepath.Base(f.Path); base == "a.go" {
			handler, err := handlerOf(name, f.Text)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, "a.go"), f.Text, 0o666); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, "handler.go"), handler, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// handlerOf writes a handler of the service V that passes all calls on.
func handlerOf(pkg string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"context\"\n\n\t\"github.com/seamgo/seam/thrift\"\n)\n\nvar _ thrift.UUID\n\ntype Handler struct {\n\tDo func(function string, args []any) (any, error)\n}\n\nvar _ context.Context\n", pkg)
	text := func(n ast.Expr) string {
		var t bytes.Buffer
		printer.Fprint(&t, fset, n)
		return t.String()
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE || !slices.Contains([]string{"V", "B"}, g.Specs[0].(*ast.TypeSpec).Name.Name) {
			continue
		}
		for _, m := range g.Specs[0].(*ast.TypeSpec).Type.(*ast.InterfaceType).Methods.List {
			t, ok := m.Type.(*ast.FuncType)
			if !ok {
				continue // B in V
			}
			var params, args []string
			for i, x := range t.Params.List[1:] {
				for k := range max(1, len(x.Names)) {
					name := fmt.Sprintf("a%d_%d", i, k)
					params, args = append(params, name+" "+text(x.Type)), append(args, name)
				}
			}
			name := m.Names[0].Name
			call := fmt.Sprintf("h.Do(%q, []any{%s})", name, strings.Join(args, ", "))
			head := fmt.Sprintf("\nfunc (h Handler) %s(ctx context.Context, %s)", name, strings.Join(params, ", "))
			if len(t.Results.List) == 1 {
				fmt.Fprintf(&b, "%s error {\n\t_, err := %s\n\treturn err\n}\n", head, call)
				continue
			}
			result := text(t.Results.List[0].Type)
			fmt.Fprintf(&b, "%s (%s, error) {\n\tr, err := %s\n\tv, _ := r.(%[2]s)\n\treturn v, err\n}\n\ntype R%[4]s = %[2]s\n", head, result, call, strings.ToLower(name[:1])+name[1:])
		}
	}
	return b.Bytes(), nil
}

// pair compares two versions and notes what both have.
func (e *exchange) pair(old, new string, opt compat.Options, seed uint64) {
	e.evolutions++
	a, b := e.loaded[old], e.loaded[new]
	broken := map[string][]string{} // rules, by definition and by function
	for _, c := range compat.Compare([]*model.Program{a}, []*model.Program{b}, opt) {
		if c.Severity < compat.Wire {
			continue
		}
		name := c.Definition
		if rest, ok := strings.CutPrefix(c.Path, name+"."); ok && (name == "V" || name == "B") {
			name, _, _ = strings.Cut(rest, ".")
			name, _, _ = strings.Cut(name, " ")
		}
		broken[name] = append(broken[name], c.Rule.Name)
	}
	p := exchangePair{Old: old, New: new, NoJSON: opt.NoJSON, Names: opt.Names, Validate: true, Values: 6, Seed: seed}
	verdict := map[root][]string{}
	rules := func(names map[string]bool) (list []string) {
		for name := range names {
			list = append(list, broken[name]...)
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for _, s := range a.Structs {
		i := slices.IndexFunc(b.Structs, func(n *model.Struct) bool { return n.Name == s.Name })
		if i < 0 || len(s.Fields) == 0 || len(b.Structs[i].Fields) == 0 {
			continue
		}
		reached := map[string]bool{}
		reachStruct(reached, s)
		reachStruct(reached, b.Structs[i])
		verdict[s.Name] = rules(reached)
		p.Structs = append(p.Structs, s.Name)
	}
	theirs := functionsOf(b)
	for _, fn := range functionsOf(a) {
		i := slices.IndexFunc(theirs, func(n *model.Function) bool { return n.Name == fn.Name })
		if i < 0 {
			continue
		}
		other := theirs[i]
		reached := map[string]bool{fn.Name: true}
		f := exchangeFunction{Name: strings.ToUpper(fn.Name[:1]) + fn.Name[1:], Oneway: fn.Oneway || other.Oneway}
		for _, side := range []*model.Function{fn, other} {
			for _, x := range append(slices.Clone(side.Args.Fields), side.Throws...) {
				reachType(reached, x.Type)
			}
			reachType(reached, side.Result)
		}
		for _, x := range fn.Args.Fields {
			f.OldArgs = append(f.OldArgs, x.ID)
		}
		for _, x := range other.Args.Fields {
			f.NewArgs = append(f.NewArgs, x.ID)
		}
		verdict[f.Name] = rules(reached)
		p.Functions = append(p.Functions, f)
	}
	e.pairs = append(e.pairs, p)
	e.perPair = append(e.perPair, verdict)
}

// functionsOf are those of the service V, with what it inherits.
func functionsOf(p *model.Program) (list []*model.Function) {
	i := slices.IndexFunc(p.Services, func(s *model.Service) bool { return s.Name == "V" })
	for s := p.Services[i]; s != nil; s = s.Extends {
		list = append(list, s.Functions...)
	}
	return list
}

func reachStruct(reached map[string]bool, s *model.Struct) {
	if reached[s.Name] {
		return
	}
	reached[s.Name] = true
	for _, x := range s.Fields {
		reachType(reached, x.Type)
	}
}

func reachType(reached map[string]bool, t *model.Type) {
	for d := t.Typedef; d != nil; d = d.Type.Typedef {
		reached[d.Name] = true
	}
	switch {
	case t.Enum != nil:
		reached[t.Enum.Name] = true
	case t.Struct != nil:
		reachStruct(reached, t.Struct)
	}
	if t.Key != nil {
		reachType(reached, t.Key)
	}
	if t.Elem != nil {
		reachType(reached, t.Elem)
	}
}

// run builds the program, and has it exchange everything.
func (e *exchange) run(t *testing.T) []exchangeResult {
	t.Helper()
	text := fmt.Sprintf("package main\n\nimport (\n\t\"reflect\"\n\n\t\"github.com/seamgo/seam/thrift\"\n%s)\n\nvar (\n\tversions = map[string]version{}\n\tthrows = map[string][]string{}\n\tresults = map[string]reflect.Type{}\n)\n\nfunc init() {\n%s}\n", e.imports.String(), e.registry.String())
	if err := os.WriteFile(filepath.Join(e.dir, "versions.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	// Compiling the versions takes most of the time. What arrives is a matter of the code's text, not
	// of its optimization, which the tests of the codecs have.
	build := exec.Command("go", "build", "-gcflags=evolution/g...=-N -l -dwarf=false", "-ldflags=-s -w", "-o", "evolution", ".")
	build.Dir = e.dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	input, err := json.Marshal(e.pairs)
	if err != nil {
		t.Fatal(err)
	}
	// Each process exchanges its share of the pairs.
	shares := make([][]byte, min(runtime.NumCPU(), 8))
	errs := make([]error, len(shares))
	var wait sync.WaitGroup
	for i := range shares {
		wait.Go(func() {
			var stderr bytes.Buffer
			run := exec.Command(filepath.Join(e.dir, "evolution"), strconv.Itoa(i), strconv.Itoa(len(shares)))
			run.Stdin, run.Stderr = bytes.NewReader(input), &stderr
			if shares[i], errs[i] = run.Output(); errs[i] != nil {
				errs[i] = fmt.Errorf("%w\n%s", errs[i], stderr.String())
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var results []exchangeResult
	for d := json.NewDecoder(bytes.NewReader(slices.Concat(shares...))); ; {
		var r exchangeResult
		if err := d.Decode(&r); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
		e.verdicts = append(e.verdicts, e.perPair[r.Pair])
	}
	if asked := e.asked(); len(results) != asked {
		t.Fatalf("%d results of %d that were asked for", len(results), asked)
	}
	return results
}

// asked is how many results there must be.
func (e *exchange) asked() (n int) {
	for i := range e.pairs {
		n += len(e.pairs[i].Structs) + len(e.pairs[i].Functions)
	}
	return n
}
