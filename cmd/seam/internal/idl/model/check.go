package model

import (
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// check fills in the program of a file. Everything that it includes has
// been checked already. Each step needs the ones before: constants need
// all fields, fields need all names.
func (f *file) check() {
	f.prog.Doc = f.tree.Doc.Text()
	f.namespaces()
	structs, services := f.declare()
	for _, d := range f.tree.Decls {
		if td, ok := d.(*syntax.Typedef); ok && td != nil {
			if s := f.symbols[td.Name.Name]; s != nil && s.typedef != nil && s.typedef.ast == td {
				(&resolver{file: f}).typedef(s.typedef, td.Name.Pos)
			}
		}
	}
	var defaults []pending
	for _, s := range structs {
		defaults = append(defaults, f.structFields(s)...)
	}
	defaults = append(defaults, f.checkServices(services)...)
	f.notAskedFor(structs, services)
	f.checkConsts()
	for _, p := range defaults {
		if p.field.Type != nil {
			p.field.Default = f.topValue(p.ast, p.field.Type)
		}
	}
	f.checkRequiredCycles()
	f.checkDefaultCycles()
}

// A pending default is worked out when all fields are known.
type pending struct {
	ast   *syntax.Value
	field *Field
}

func (f *file) namespaces() {
	for _, n := range f.tree.Namespaces {
		if n == nil {
			continue
		}
		if old, ok := f.prog.Namespaces[n.Language]; ok && old != n.Name {
			f.warnf(n.Pos, "a second namespace for %s: this one is used, not %s on line %d; delete one", clip(n.Language), clip(old), f.prog.NamespaceAt[n.Language].Line)
		}
		f.prog.Namespaces[n.Language] = n.Name
		f.prog.NamespaceAt[n.Language] = n.Pos
	}
}

// Definitions, with what remains to be done for them.
type (
	structAST struct {
		ast *syntax.Struct
		def *Struct
	}
	serviceAST struct {
		ast *syntax.Service
		def *Service
	}
)

// declare makes all names known.
func (f *file) declare() (structs []structAST, services []serviceAST) {
	f.symbols = map[string]*symbol{}
	f.consts = map[string]*constant{}
	p := f.prog
	for _, d := range f.tree.Decls {
		if d == nil {
			continue
		}
		name := d.DeclName()
		doc := d.DeclComments().Text()
		sym := &symbol{pos: name.Pos}
		switch d := d.(type) {
		case *syntax.Const:
			f.declareConst(d, doc)
			continue
		case *syntax.Typedef:
			def := &Typedef{Program: p, Name: name.Name, Doc: doc, Annotations: annotations(d.Annotations), Pos: name.Pos}
			sym.typedef = &typedef{ast: d, def: def}
		case *syntax.Enum:
			sym.enum = &Enum{Program: p, Name: name.Name, Doc: doc, Annotations: annotations(d.Annotations), Pos: name.Pos}
			f.enumValues(sym.enum, d.Values)
		case *syntax.Struct:
			sym.strct = &Struct{Program: p, Kind: d.Kind, Name: name.Name, Doc: doc, Annotations: annotations(d.Annotations), Pos: name.Pos}
		case *syntax.Service:
			sym.service = &Service{Program: p, Name: name.Name, Doc: doc, Annotations: annotations(d.Annotations), Pos: name.Pos}
		default:
			continue
		}
		if !f.define(name, sym) {
			continue
		}
		switch d := d.(type) {
		case *syntax.Typedef:
			p.Typedefs = append(p.Typedefs, sym.typedef.def)
		case *syntax.Enum:
			p.Enums = append(p.Enums, sym.enum)
		case *syntax.Struct:
			p.Structs = append(p.Structs, sym.strct)
			structs = append(structs, structAST{d, sym.strct})
		case *syntax.Service:
			p.Services = append(p.Services, sym.service)
			services = append(services, serviceAST{d, sym.service})
		}
	}
	return structs, services
}

// define makes one name known, and reports whether that was possible. Types and
// services share their names, as in Apache's compiler.
func (f *file) define(name syntax.Ident, sym *symbol) bool {
	if name.Name == "" {
		return false // an error of syntax
	}
	if _, ok := baseKind(name.Name); ok {
		f.errorf(name.Pos, "%s is the name of a base type: give %s another name", name.Name, sym.what())
		return false
	}
	if old := f.symbols[name.Name]; old != nil {
		f.errorf(name.Pos, "%s is defined twice: it is already %s on line %d; rename one of them", clip(name.Name), old.what(), old.pos.Line)
		return false
	}
	f.symbols[name.Name] = sym
	return true
}

// enumValues fills in an enum. Two names may have one number.
func (f *file) enumValues(e *Enum, list []*syntax.EnumValue) {
	e.Reserved = f.reserved(e.Annotations, e.Pos, e.Name)
	seen := map[string]syntax.Pos{}
	next, known := int64(0), true // known: the number doesn't follow from a mistake
	for _, v := range list {
		if v == nil {
			continue
		}
		number := next
		if v.Value != nil {
			known = v.Value.Kind == syntax.IntValue
			if number = v.Value.Int; !known {
				f.errorf(v.Value.Pos, "the number of %s.%s is %s: write a whole number", clip(e.Name), clip(v.Name.Name), describe(v.Value))
			}
		}
		if known && number != int64(int32(number)) {
			known = false
			if v.Value != nil {
				f.errorf(v.Value.Pos, "%d is out of range for %s.%s: enum values go from -2147483648 to 2147483647", number, clip(e.Name), clip(v.Name.Name))
			} else {
				f.errorf(v.Name.Pos, "%s.%s would get the number %d, but the largest is 2147483647: give it a number", clip(e.Name), clip(v.Name.Name), number)
			}
		}
		next = int64(int32(number)) + 1
		if v.Name.Name == "" {
			continue
		}
		if old, ok := seen[v.Name.Name]; ok {
			f.errorf(v.Name.Pos, "%s.%s is defined twice, first on line %d: rename one of them", clip(e.Name), clip(v.Name.Name), old.Line)
			continue
		}
		seen[v.Name.Name] = v.Name.Pos
		f.notReserved(e.Reserved, v.Name.Pos, clip(e.Name)+"."+clip(v.Name.Name), v.Name.Name, number)
		e.Values = append(e.Values, &EnumValue{
			Enum: e, Name: v.Name.Name, Value: int32(number), Doc: v.Comments.Text(), Annotations: annotations(v.Annotations), Pos: v.Name.Pos,
		})
	}
}
