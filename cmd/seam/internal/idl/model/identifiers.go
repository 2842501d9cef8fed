package model

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// identValue returns the value that a name stands for.
func (f *file) identValue(ast *syntax.Value, t *Type) *Value {
	name := ast.Text
	if name == "true" || name == "false" {
		return f.boolValue(ast, t)
	}
	enum, c, quiet := f.lookup(name, t)
	switch {
	case enum != nil:
		v := &Value{Type: &Type{Kind: EnumKind, Enum: enum.Enum}, Int: int64(enum.Value), Enum: enum}
		return f.converted(ast, v, t, name)
	case c != nil:
		if c.state != done {
			f.constant(c, ast.Pos)
		}
		if c.state != done || c.def.Value == nil {
			return nil
		}
		v := f.converted(ast, c.def.Value, t, name)
		if v != nil && c.def.Type.Same(t) {
			// A Value of its own, since its name differs; its contents are shared.
			own := *v
			own.Type, own.Const = t, c.def
			f.heights[&own] = f.heights[v]
			return &own
		}
		return v
	case quiet:
		return nil
	}
	known := f.constNames()
	if t.Kind == EnumKind {
		dot := strings.LastIndexByte(name, '.')
		if v := f.enumValue(t.Enum, name[dot+1:]); v != nil {
			f.warnf(ast.Pos, "%s is read as %s.%s, as by Apache's compiler, which looks only at the last name: write that", clip(name), clip(f.enumName(t.Enum)), clip(v.Name))
			return &Value{Type: t, Int: int64(v.Value), Enum: v}
		}
		known = nil
		for _, v := range t.Enum.Values {
			known = append(known, f.enumName(t.Enum)+"."+v.Name)
		}
		if dot < 0 {
			// Without the enum's name the rest of the word counts.
			var names []string
			for _, v := range t.Enum.Values {
				names = append(names, v.Name)
			}
			known = append(names, f.constNames()...)
		}
		f.unknown(ast.Pos, fmt.Sprintf("value of the enum %s:", clip(t.Enum.Name)), name, known)
		return nil
	}
	f.unknown(ast.Pos, "constant", name, known)
	return nil
}

// enumName is what an enum is called in the file.
func (f *file) enumName(e *Enum) string {
	if e.Program == f.prog {
		return e.Name
	}
	return e.Program.Name + "." + e.Name
}

// boolValue is true or false, which are 1 and 0 where a number is needed, as
// in Apache's compiler.
func (f *file) boolValue(ast *syntax.Value, t *Type) *Value {
	v := &Value{Type: &Type{Kind: Bool}, Bool: ast.Text == "true"}
	if t.Kind >= I8 && t.Kind <= I64 {
		f.warnf(ast.Pos, "%s stands for the number %d here: write the number", ast.Text, b2i(v.Bool))
	}
	return f.converted(ast, v, t, ast.Text)
}

// lookup finds what an identifier in a constant stands for: a value of an
// enum, or another constant. The last result says that a name that wasn't
// found needs no message.
func (f *file) lookup(name string, want *Type) (*EnumValue, *constant, bool) {
	if want.Kind == EnumKind {
		if v := f.enumValue(want.Enum, name); v != nil {
			return v, nil, false
		}
	}
	if c := f.consts[name]; c != nil {
		return nil, c, false
	}
	if v := f.valueOf(f, name); v != nil {
		return v, nil, false
	}
	quiet := f.broken
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		prefix, rest := name[:i], name[i+1:]
		quiet = quiet || f.missing[prefix]
		var in *file
		var enum *EnumValue
		var found *constant
		for _, g := range f.programs(prefix) {
			c, v := g.consts[rest], f.valueOf(g, rest)
			switch {
			case c == nil && v == nil:
				quiet = quiet || g.broken
			case in != nil:
				f.ambiguous(name, in, g)
			case c != nil:
				in, found = g, c
			default:
				in, enum = g, v
			}
		}
		if in != nil {
			return enum, found, false
		}
	}
	return nil, nil, quiet
}

// valueOf finds a value of an enum of a file by Enum.NAME. The enum may be
// named by a typedef.
func (f *file) valueOf(g *file, name string) *EnumValue {
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		sym := g.symbols[name[:i]]
		if sym == nil {
			continue
		}
		e := sym.enum
		if sym.typedef != nil && sym.typedef.def.Type != nil {
			e = sym.typedef.def.Type.Enum
		}
		if e == nil {
			continue
		}
		if v := f.enumValue(e, name[i+1:]); v != nil {
			return v
		}
	}
	return nil
}
