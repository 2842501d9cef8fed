package gen

import (
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// enum writes an enum with its values, its text form and its parser.
func (f *file) enum(e *model.Enum) {
	name, rt := f.enumName(e), f.runtime()
	parse := f.g.namesOf(e.Program).parsers[e.Name]
	f.chunk(func() {
		f.P()
		f.doc(e.Doc, e.Annotations, name+" is the enum "+e.Name+".")
		f.P("type ", name, " int32")
		if len(e.Values) == 0 {
			return
		}
		f.Apart("// The values of ", name, ".")
		f.P("const (")
		for _, v := range e.Values {
			f.doc(v.Doc, v.Annotations)
			f.P(f.enumValueName(v), " ", name, " = ", strconv.Itoa(int(v.Value)))
		}
		f.P(")")
	})
	f.enumString(e, name, rt)
	f.Apart("// Valid reports whether the number has a name.")
	f.P("func (e ", name, ") Valid() bool {")
	if first := firstNames(e); len(first) > 0 {
		f.P("switch e {")
		f.caseList(first)
		f.P("return true")
		f.P("}")
	}
	f.P("return false")
	f.P("}")
	f.Apart("// ", parse, " returns the value of a name. A number is a value too, named or not.")
	f.P("func ", parse, "(text string) (", name, ", error) {")
	if len(e.Values) > 0 {
		f.P("switch text {")
		for _, v := range e.Values {
			f.P("case ", strconv.Quote(v.Name), ":")
			f.P("return ", f.enumValueName(v), ", nil")
		}
		f.P("}")
	}
	f.P("n, err := ", rt, ".ParseEnum(", strconv.Quote(e.Name), ", text)")
	f.P("return ", name, "(n), err")
	f.P("}")
	if f.opt.Kitex {
		return // its JSON is the number
	}
	f.Apart("// MarshalText returns the name, or the number if it has none.")
	f.Block("func (e "+name+") MarshalText() ([]byte, error)", "return ", rt, ".MarshalEnum(e.String(), int32(e)), nil")
	f.Apart("// UnmarshalText is the reverse of MarshalText.")
	f.P("func (e *", name, ") UnmarshalText(text []byte) error {")
	f.P("v, err := ", parse, "(string(text))")
	f.Block("if err == nil", "*e = v")
	f.P("return err")
	f.P("}")
}

func (f *file) enumString(e *model.Enum, name, rt string) {
	f.Apart("// String returns the name, or the number as in ", name, "(42).")
	f.P("func (e ", name, ") String() string {")
	if first := firstNames(e); len(first) > 0 {
		f.P("switch e {")
		for _, v := range first {
			f.P("case ", f.enumValueName(v), ":")
			f.P("return ", strconv.Quote(v.Name))
		}
		f.P("}")
	}
	f.P("return ", rt, ".EnumNumber(", strconv.Quote(e.Name), ", int32(e))")
	f.P("}")
}

// caseList writes the values as one case.
func (f *file) caseList(values []*model.EnumValue) {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = f.enumValueName(v)
	}
	f.P("case ", strings.Join(names, ", "), ":")
}

// firstNames are the values with numbers that no earlier value has.
func firstNames(e *model.Enum) []*model.EnumValue {
	seen := map[int32]bool{}
	var list []*model.EnumValue
	for _, v := range e.Values {
		if !seen[v.Value] {
			seen[v.Value] = true
			list = append(list, v)
		}
	}
	return list
}
