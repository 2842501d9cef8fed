package model

import (
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// Constants may be nested this deep, those that they refer to included, and
// refer to one another in chains of this length.
const (
	maxValueDepth = 500
	maxConstChain = 1000
)

// maxWritten is the number of values that may have to be written out for one
// constant. References to other constants count once, unless the values had to
// be converted to another type.
const maxWritten = 1 << 20

// A constant is one whose value is found when it is first needed.
type constant struct {
	ast   *syntax.Const
	def   *Const
	state progress
}

func (f *file) declareConst(d *syntax.Const, doc string) {
	name := d.Name
	if name.Name == "" {
		return
	}
	if old := f.consts[name.Name]; old != nil {
		f.errorf(name.Pos, "%s is defined twice: it is already a constant on line %d; rename one of them", clip(name.Name), old.def.Pos.Line)
		return
	}
	def := &Const{Program: f.prog, Name: name.Name, Doc: doc, Annotations: annotations(d.Annotations), Pos: name.Pos}
	f.consts[name.Name] = &constant{ast: d, def: def}
	f.prog.Consts = append(f.prog.Consts, def)
}

// checkConsts works out all constants of the file. Their types come first,
// because constants may refer to later ones.
func (f *file) checkConsts() {
	list := make([]*constant, len(f.prog.Consts))
	for i, def := range f.prog.Consts {
		list[i] = f.consts[def.Name]
		def.Type = f.typ(list[i].ast.Type)
	}
	for _, c := range list {
		f.constant(c, c.def.Pos)
	}
}

// constant works out one constant, and those that it refers to. It proceeds
// like resolver.typedef, but with other messages throughout.
func (f *file) constant(c *constant, from syntax.Pos) {
	switch {
	case c.state == done:
		return
	case c.state == running:
		circle := circleText(f.running, c, func(c *constant) string { return c.def.Name })
		f.errorf(c.def.Pos, "the constant %s refers to itself: %s; give one of them a value", clip(c.def.Name), circle)
		return
	case len(f.running) >= maxConstChain:
		f.errorf(from, "a chain of more than %d constants that refer to each other: write the value itself, or put constants before those that use them", maxConstChain)
		return
	}
	c.state = running
	f.running = append(f.running, c)
	if c.def.Type != nil {
		c.def.Value = f.topValue(c.ast.Value, c.def.Type)
	}
	f.running = f.running[:len(f.running)-1]
	c.state = done
}

// enumValue finds a value of an enum by its name alone.
func (l *loader) enumValue(e *Enum, name string) *EnumValue {
	values := l.enums[e]
	if values == nil {
		values = make(map[string]*EnumValue, len(e.Values))
		for _, v := range e.Values {
			values[v.Name] = v
		}
		l.enums[e] = values
	}
	return values[name]
}

// enumNumber finds the first value of an enum with a number.
func (l *loader) enumNumber(e *Enum, n int32) *EnumValue {
	numbers := l.enumNumbers[e]
	if numbers == nil {
		numbers = make(map[int32]*EnumValue, len(e.Values))
		for _, v := range e.Values {
			if numbers[v.Value] == nil {
				numbers[v.Value] = v
			}
		}
		l.enumNumbers[e] = numbers
	}
	return numbers[n]
}

// fieldIndex returns the places of a struct's fields by name.
func (l *loader) fieldIndex(s *Struct) map[string]int {
	index := l.fields[s]
	if index == nil {
		index = make(map[string]int, len(s.Fields))
		for i, field := range s.Fields {
			index[field.Name] = i
		}
		l.fields[s] = index
	}
	return index
}
