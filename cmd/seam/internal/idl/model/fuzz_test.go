package model_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// FuzzLoad loads any text as a file that may include itself and another one.
// What is accepted must be as package model promises.
func FuzzLoad(f *testing.F) {
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".thrift") {
			return err
		}
		src, err := os.ReadFile(path)
		f.Add(string(src))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(definitions)
	f.Add(`include "b.thrift" struct S { 1: b.S s = b.C, 2: b.E e = b.E.A } service V extends b.V {}`)
	f.Fuzz(func(t *testing.T, src string) {
		opt := files{
			"a.thrift": src,
			"b.thrift": `struct S { 1: i32 a } const S C = {"a": 1} enum E { A = 1 } service V { void f() } exception X {}`,
		}.options()
		progs, errs := model.Load([]string{"a.thrift"}, opt)
		if errs.Fatal() != (progs == nil) {
			t.Fatalf("fatal is %v, and there are %d programs", errs.Fatal(), len(progs))
		}
		for i, e := range errs {
			if e.Pos.Line < 1 || e.Pos.Col < 1 || e.Message == "" || len(e.Message) > 10_000 {
				t.Errorf("an error without a place or a text: %v", e)
			}
			if i > 0 && errs[i-1].Path == e.Path && errs[i-1].Pos.Line > e.Pos.Line {
				t.Errorf("out of order: %v before %v", errs[i-1], e)
			}
		}
		if _, again := model.Load([]string{"a.thrift"}, opt); again.Error() != errs.Error() {
			t.Errorf("the errors differ from run to run:\n%v\n%v", errs, again)
		}
		v := validity{t: t, seen: map[*model.Value]bool{}}
		for _, p := range progs {
			v.program(p)
		}
	})
}

// A validity checks what a program promises.
type validity struct {
	t    *testing.T
	seen map[*model.Value]bool
}

func (v *validity) program(p *model.Program) {
	for _, d := range p.Typedefs {
		v.typ(d.Type)
	}
	for _, d := range p.Structs {
		v.fields(d.Fields, d.Kind)
	}
	for _, d := range p.Consts {
		v.typ(d.Type)
		v.value(d.Value, d.Type)
	}
	for _, d := range p.Services {
		for _, fn := range d.Functions {
			if fn.Result.Kind != model.Void {
				v.typ(fn.Result)
			}
			v.fields(fn.Args.Fields, syntax.PlainStruct)
			v.fields(fn.Throws, syntax.PlainStruct)
			for _, x := range fn.Throws {
				if x.Type.Kind != model.StructKind || x.Type.Struct.Kind != syntax.Exception {
					v.t.Errorf("%s throws %s", fn.Name, x.Type)
				}
			}
		}
	}
}

func (v *validity) fields(fields []*model.Field, kind syntax.StructKind) {
	ids, names := map[int16]bool{}, map[string]bool{}
	for _, f := range fields {
		if ids[f.ID] || names[f.Name] || f.Name == "" {
			v.t.Errorf("the field %d %q appears twice", f.ID, f.Name)
		}
		ids[f.ID], names[f.Name] = true, true
		if kind == syntax.Union && f.Req != model.Optional {
			v.t.Errorf("the field %s of a union is not optional", f.Name)
		}
		v.typ(f.Type)
		if f.Default != nil {
			v.value(f.Default, f.Type)
		}
	}
}

func (v *validity) typ(t *model.Type) {
	if t == nil || t.Kind == model.Void {
		v.t.Fatal("a type is missing")
	}
	switch t.Kind {
	case model.EnumKind:
		if t.Enum == nil {
			v.t.Error("an enum type without an enum")
		}
	case model.StructKind:
		if t.Struct == nil {
			v.t.Error("a struct type without a struct")
		}
	case model.Map:
		v.typ(t.Key)
		v.typ(t.Elem)
	case model.List, model.Set:
		v.typ(t.Elem)
	}
	if len(t.String()) > 1<<20 {
		v.t.Error("a type is far too long")
	}
}

func (v *validity) value(x *model.Value, t *model.Type) {
	if x == nil || !x.Type.Same(t) {
		v.t.Fatalf("a value of the type %v where %s is needed", x, t)
	}
	if v.seen[x] {
		return
	}
	v.seen[x] = true
	switch t.Kind {
	case model.I8, model.I16, model.I32, model.EnumKind:
		bits := map[model.Kind]int{model.I8: 8, model.I16: 16, model.I32: 32, model.EnumKind: 32}[t.Kind]
		if x.Int>>(bits-1) != 0 && x.Int>>(bits-1) != -1 {
			v.t.Errorf("%d is out of the range of %s", x.Int, t)
		}
	case model.UUID:
		if len(x.String) != 36 {
			v.t.Errorf("%q as a uuid", x.String)
		}
	case model.List, model.Set:
		for _, e := range x.List {
			v.value(e, t.Elem)
		}
	case model.Map:
		for _, e := range x.Map {
			v.value(e.Key, t.Key)
			v.value(e.Value, t.Elem)
		}
	case model.StructKind:
		if t.Struct.Kind == syntax.Union && len(x.Fields) != 1 {
			v.t.Errorf("%d fields of a union are set", len(x.Fields))
		}
		for _, e := range x.Fields {
			v.value(e.Value, e.Field.Type)
		}
	}
}
