package gen

import (
	"slices"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// Thriftgo, whose code Kitex's users know, holds an optional field that has a default by
// value: it is absent where it equals the default. Its structs have methods to set a field
// and to ask for it, its enums functions of their own, and their JSON is the number.

// byValue marks the fields that are held so, in the programs and in what they include.
func byValue(progs []*model.Program, on bool) {
	seen := map[*model.Program]bool{}
	var visit func(p *model.Program)
	visit = func(p *model.Program) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, s := range p.Structs {
			for _, x := range s.Fields {
				x.ByValue = on && x.Req == model.Optional && x.Default != nil && s.Kind != syntax.Union
			}
		}
		for _, q := range p.Includes {
			visit(q)
		}
	}
	for _, p := range progs {
		visit(p)
	}
}

// canAsk reports whether a struct has IsSetX for a field.
func canAsk(x *model.Field) bool { return x.Req == model.Optional || x.Type.Kind == model.StructKind }

// kitexFields writes the methods of a struct by which thriftgo's users reach its fields.
func (f *file) kitexFields(s *model.Struct, name string) {
	f.initDefault(s, name)
	f.setters(s, s.Fields, name)
	if s.Kind == syntax.Union {
		f.Apart("// CountSetFields", name, " is how many fields are there: one, if all is well.")
		f.P("func (p *", name, ") CountSetFields", name, "() int {")
		f.P("n := 0")
		for _, x := range s.Fields {
			f.Block("if p.IsSet"+f.accessorName(s, x)+"()", "n++")
		}
		f.P("return n")
		f.P("}")
	}
	names := f.g.namesOf(s.Program).defaults
	f.kitexDefaults(s, name, func(x *model.Field) string { return names[x] })
}

// initDefault writes the method InitDefault.
func (f *file) initDefault(s *model.Struct, name string) {
	if !slices.ContainsFunc(s.Fields, initialised) {
		f.Apart("// InitDefault does nothing: no field has a default.")
		head, end := "func (p *"+name+") InitDefault() {", "}"
		if len(head) < 95 { // see short
			head, end = head+end, ""
		}
		f.P(head)
		if end != "" {
			f.P(end)
		}
	} else {
		f.Apart("// InitDefault sets the fields that have a default to it.")
		f.P("func (p *", name, ") InitDefault() {")
		for _, x := range s.Fields {
			if initialised(x) {
				f.statement("p." + f.fieldName(s, x) + " = " + f.value(x.Type, x.Default))
			}
		}
		f.P("}")
	}
}

// setters writes the methods that set fields and ask for them.
func (f *file) setters(s *model.Struct, fields []*model.Field, name string) {
	for _, x := range fields {
		field, method := f.fieldName(s, x), f.accessorName(s, x)
		f.Apart("// Set", method, " sets the field ", x.Name, ".")
		f.short("func (p *"+name+") Set"+method+"(val "+f.fieldType(x)+") {", "p."+field+" = val")
		if canAsk(x) {
			f.Apart("// IsSet", method, " reports whether the field ", x.Name, " is there.")
			f.short("func (p *"+name+") IsSet"+method+"() bool {", "return "+f.present(x, "p."+field))
		}
	}
}

// kitexDefaults writes the variables with what the getters of a struct return where a field
// is absent. They are for users: nothing reads them.
func (f *file) kitexDefaults(s *model.Struct, name string, nameOf func(*model.Field) string) {
	var list []*model.Field
	for _, x := range s.Fields {
		if canAsk(x) {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return
	}
	f.chunk(func() {
		f.Apart("// What the getters of ", name, " return for fields that are absent.")
		f.P("var (")
		for _, x := range list {
			if x.Default == nil {
				f.P(nameOf(x), " ", f.goType(x.Type))
			} else {
				f.P(nameOf(x), " ", f.goType(x.Type), " = ", f.value(x.Type, x.Default))
			}
		}
		f.P(")")
	})
}

// kitexEnum writes what thriftgo has for an enum.
func (f *file) kitexEnum(e *model.Enum) {
	name := f.enumName(e)
	names := f.g.namesOf(e.Program)
	of := names.enums[e]
	f.Apart("// ", of.fromString, " returns the value of a name.")
	f.P("func ", of.fromString, "(s string) (", name, ", error) {")
	if len(e.Values) > 0 {
		f.P("switch s {")
		for _, v := range e.Values {
			f.P("case ", strconv.Quote(v.Name), ":")
			f.P("return ", f.enumValueName(v), ", nil")
		}
		f.P("}")
	}
	f.P("return 0, ", f.use("fmt"), ".Errorf(\"%q is no ", e.Name, "\", s)")
	f.P("}")
	f.Apart("// ", of.ptr, " returns a pointer to a copy of v.")
	f.short("func "+of.ptr+"(v "+name+") *"+name+" {", "return &v")
	f.enumSQL(name)
}

// enumSQL writes the methods by which package database/sql stores an enum.
func (f *file) enumSQL(name string) {
	f.Apart("// Scan reads the number from a column of a database. NULL is 0; a column that holds none")
	f.P("// leaves e as it is.")
	f.P("func (e *", name, ") Scan(value any) error {")
	f.P("var n ", f.useAs("database/sql", "sql"), ".NullInt32")
	f.Block("if err := n.Scan(value); err != nil", "return err")
	f.P("*e = ", name, "(n.Int32)")
	f.P("return nil")
	f.P("}")
	f.Apart("// Value is the number for a column of a database.")
	f.P("func (e *", name, ") Value() (", f.useAs("database/sql/driver", "driver"), ".Value, error) {")
	f.Block("if e == nil", "return nil, nil")
	f.P("return int64(*e), nil")
	f.P("}")
}

// kitexTypedef writes the constructor of a typedef of a struct.
func (f *file) kitexTypedef(t *model.Typedef) {
	maker := f.g.namesOf(t.Program).typedefMakers[t]
	name := f.typedefName(t)
	f.Apart("// ", maker, " returns a new ", name, " with the defaults of the Thrift file.")
	f.short("func "+maker+"() *"+name+" {", "return "+f.newName(t.Type.Struct)+"()")
}
