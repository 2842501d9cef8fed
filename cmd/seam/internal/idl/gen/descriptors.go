package gen

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
	"github.com/seamgo/seam/thrift/descriptor"
)

const descriptorPath = "github.com/seamgo/seam/thrift/descriptor"

// Descriptors are the descriptors of programs and of what they include.
func Descriptors(progs []*model.Program) ([]byte, error) {
	d := &describer{
		files: map[*model.Program]*descriptor.File{}, typedefs: map[*model.Typedef]*descriptor.Typedef{}, enums: map[*model.Enum]*descriptor.Enum{},
		structs: map[*model.Struct]*descriptor.Struct{}, consts: map[*model.Const]*descriptor.Const{},
		services: map[*model.Service]*descriptor.Service{}, fields: map[*model.Field]*descriptor.Field{},
	}
	var set descriptor.Set
	var visit func(p *model.Program)
	var order []*model.Program
	visit = func(p *model.Program) {
		if d.files[p] != nil {
			return
		}
		f := d.declare(p)
		for _, q := range p.Includes {
			visit(q)
			f.Includes = append(f.Includes, d.files[q])
		}
		set.Files = append(set.Files, f)
		order = append(order, p)
	}
	for _, p := range progs {
		visit(p)
	}
	for _, p := range order {
		d.describe(p)
	}
	for _, p := range order {
		d.values(p)
	}
	return descriptor.Encode(&set)
}

// A describer makes descriptors of a model: first of all that has a name, then what refers to
// names.
type describer struct {
	files    map[*model.Program]*descriptor.File
	typedefs map[*model.Typedef]*descriptor.Typedef
	enums    map[*model.Enum]*descriptor.Enum
	structs  map[*model.Struct]*descriptor.Struct
	consts   map[*model.Const]*descriptor.Const
	services map[*model.Service]*descriptor.Service
	fields   map[*model.Field]*descriptor.Field
}

func (d *describer) declare(p *model.Program) *descriptor.File {
	f := &descriptor.File{Path: path.Base(filepath.ToSlash(p.Path)), Name: p.Name, Doc: p.Doc, Namespaces: p.Namespaces}
	d.files[p] = f
	for _, x := range p.Typedefs {
		y := &descriptor.Typedef{File: f, Name: x.Name, Doc: x.Doc, Annotations: descriptor.Annotations(x.Annotations.Last())}
		d.typedefs[x], f.Typedefs = y, append(f.Typedefs, y)
	}
	for _, x := range p.Enums {
		y := &descriptor.Enum{File: f, Name: x.Name, Doc: x.Doc, Annotations: descriptor.Annotations(x.Annotations.Last())}
		for _, v := range x.Values {
			y.Values = append(y.Values, &descriptor.EnumValue{Name: v.Name, Doc: v.Doc, Value: v.Value, Annotations: descriptor.Annotations(v.Annotations.Last())})
		}
		d.enums[x], f.Enums = y, append(f.Enums, y)
	}
	for _, x := range p.Structs {
		y := &descriptor.Struct{File: f, Name: x.Name, Doc: x.Doc, Annotations: descriptor.Annotations(x.Annotations.Last()), Category: descriptor.Plain}
		switch x.Kind {
		case syntax.Union:
			y.Category = descriptor.Union
		case syntax.Exception:
			y.Category = descriptor.Exception
		}
		d.structs[x], f.Structs = y, append(f.Structs, y)
	}
	for _, x := range p.Consts {
		y := &descriptor.Const{File: f, Name: x.Name, Doc: x.Doc, Annotations: descriptor.Annotations(x.Annotations.Last())}
		d.consts[x], f.Consts = y, append(f.Consts, y)
	}
	for _, x := range p.Services {
		y := &descriptor.Service{File: f, Name: x.Name, Doc: x.Doc, Annotations: descriptor.Annotations(x.Annotations.Last())}
		d.services[x], f.Services = y, append(f.Services, y)
	}
	return f
}

func (d *describer) describe(p *model.Program) {
	f := d.files[p]
	for _, x := range p.Typedefs {
		d.typedefs[x].Type = d.typ(x.Type)
	}
	for _, x := range p.Structs {
		d.structs[x].Fields = d.members(x.Fields)
	}
	for _, x := range p.Consts {
		d.consts[x].Type = d.typ(x.Type)
	}
	for _, x := range p.Services {
		s := d.services[x]
		if x.Extends != nil {
			s.Extends = d.services[x.Extends]
		}
		for _, fn := range x.Functions {
			if fn.Streams() {
				continue // which only Kitex's clients and servers have
			}
			y := &descriptor.Function{Name: fn.Name, Doc: fn.Doc, Oneway: fn.Oneway, Annotations: descriptor.Annotations(fn.Annotations.Last()),
				Args: &descriptor.Struct{File: f, Fields: d.members(fn.Args.Fields)}}
			if !fn.Oneway {
				y.Result = &descriptor.Struct{File: f}
				if fn.Result.Kind != model.Void {
					y.Result.Fields = []*descriptor.Field{{Name: "success", Type: d.typ(fn.Result), Requiredness: descriptor.Optional}}
				}
				for _, x := range d.members(fn.Throws) {
					x.Requiredness = descriptor.Optional
					y.Result.Fields = append(y.Result.Fields, x)
				}
			}
			s.Functions = append(s.Functions, y)
		}
	}
}

var requirednesses = map[model.Req]descriptor.Requiredness{
	model.DefaultReq: descriptor.Default, model.Required: descriptor.Required, model.Optional: descriptor.Optional,
}

func (d *describer) members(list []*model.Field) (made []*descriptor.Field) {
	for _, x := range list {
		y := &descriptor.Field{ID: x.ID, Name: x.Name, Doc: x.Doc, Type: d.typ(x.Type), Requiredness: requirednesses[x.Req], Annotations: descriptor.Annotations(x.Annotations.Last())}
		d.fields[x] = y
		made = append(made, y)
	}
	return made
}

var descriptorKinds = map[model.Kind]descriptor.Kind{
	model.Void: descriptor.Void, model.Bool: descriptor.Bool, model.I8: descriptor.I8, model.I16: descriptor.I16, model.I32: descriptor.I32,
	model.I64: descriptor.I64, model.Double: descriptor.Double, model.String: descriptor.String, model.Binary: descriptor.Binary,
	model.UUID: descriptor.UUID, model.EnumKind: descriptor.EnumKind, model.StructKind: descriptor.StructKind,
	model.List: descriptor.List, model.Set: descriptor.SetKind, model.Map: descriptor.Map,
}

func (d *describer) typ(t *model.Type) *descriptor.Type {
	made := &descriptor.Type{Kind: descriptorKinds[t.Kind], Enum: d.enums[t.Enum], Struct: d.structs[t.Struct], Typedef: d.typedefs[t.Typedef]}
	if t.Key != nil {
		made.Key = d.typ(t.Key)
	}
	if t.Elem != nil {
		made.Elem = d.typ(t.Elem)
	}
	return made
}

// values makes constants and defaults.
func (d *describer) values(p *model.Program) {
	defaults := func(list []*model.Field) {
		for _, x := range list {
			if x.Default != nil {
				d.fields[x].Default = d.value(x.Default)
			}
		}
	}
	for _, x := range p.Consts {
		d.consts[x].Value = d.value(x.Value)
	}
	for _, x := range p.Structs {
		defaults(x.Fields)
	}
	for _, x := range p.Services {
		for _, fn := range x.Functions {
			defaults(fn.Args.Fields)
		}
	}
}

func (d *describer) value(v *model.Value) *descriptor.Value {
	if v.Const != nil {
		return &descriptor.Value{Const: d.consts[v.Const]}
	}
	made := &descriptor.Value{Bool: v.Bool, Int: v.Int, Double: v.Double, String: v.String}
	for _, x := range v.List {
		made.List = append(made.List, d.value(x))
	}
	for _, x := range v.Map {
		made.Map = append(made.Map, descriptor.Pair{Key: d.value(x.Key), Value: d.value(x.Value)})
	}
	for _, x := range v.Fields {
		made.Fields = append(made.Fields, descriptor.FieldValue{Field: d.fields[x.Field], Value: d.value(x.Value)})
	}
	return made
}

// descriptors writes the function by which a program gets at its descriptors, and, by a method
// of each struct, at that of a value. The linker leaves out what isn't called.
func (f *file) descriptors() {
	text, err := Descriptors([]*model.Program{f.prog})
	if err != nil {
		panic(unsupported(err.Error()))
	}
	name := "ThriftDescriptors" + f.g.naming.exported(f.g.fileBase(f.prog))
	lower := "thriftDescriptors" + strings.TrimPrefix(name, "ThriftDescriptors")
	pkg := f.use(descriptorPath)
	f.Apart("// ", name, " returns the descriptors of ", oneLine(path.Base(filepath.ToSlash(f.prog.Path))), " and of what it includes.")
	f.P("func ", name, "() *", pkg, ".Set {")
	f.P("return ", lower, ".Parse(", lower, "Text)")
	f.P("}")
	for _, s := range f.prog.Structs {
		if slices.ContainsFunc(s.Fields, func(x *model.Field) bool { return f.fieldName(s, x) == "ThriftDescriptor" }) {
			continue // Go has one name for fields and methods
		}
		f.Apart("// ThriftDescriptor returns the descriptor of ", f.structName(s), ".")
		f.P("func (*", f.structName(s), ") ThriftDescriptor() *", pkg, ".Struct {")
		f.P("return ", name, "().Struct(", strconv.Quote(f.prog.Name+"."+s.Name), ")")
		f.P("}")
	}
	f.Apart("var ", lower, " ", pkg, ".Once")
	f.Apart("const ", lower, "Text = ", strconv.Quote(string(text)))
}
