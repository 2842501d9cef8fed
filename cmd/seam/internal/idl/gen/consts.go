package gen

import "github.com/seamgo/seam/cmd/seam/internal/idl/model"

// consts writes the constants of the file. What Go can have as a constant is
// one; lists, maps, structs, binaries and uuids are variables, which nobody
// should change.
func (f *file) consts() {
	var fixed, variable []*model.Const
	for _, c := range f.prog.Consts {
		if goConst(c) {
			fixed = append(fixed, c)
		} else {
			variable = append(variable, c)
		}
	}
	f.constBlock("const", "Constants of "+f.prog.Name+".thrift.", fixed)
	f.constBlock("var", "Constants of "+f.prog.Name+".thrift that Go has no constants for. They are shared: don't change them.", variable)
}

func (f *file) constBlock(word, head string, list []*model.Const) {
	if len(list) == 0 {
		return
	}
	f.chunk(func() {
		f.Apart("// ", oneLine(head))
		f.P(word, " (")
		for _, c := range list {
			f.doc(c.Doc, c.Annotations)
			if word == "var" {
				f.P(f.constName(c), " = ", f.value(c.Type, c.Value))
				continue
			}
			f.P(f.constName(c), " ", f.goType(c.Type), " = ", f.value(c.Type, c.Value))
		}
		f.P(")")
	})
}

// typedefs writes the typedefs: aliases, so that values need no conversion.
func (f *file) typedefs() {
	for _, t := range f.prog.Typedefs {
		f.chunk(func() {
			f.P()
			name := f.typedefName(t)
			f.doc(t.Doc, t.Annotations, name+" is the typedef "+t.Name+".")
			target := f.goType(t.Type)
			if t.Type.Kind == model.StructKind {
				target = target[1:] // the alias is of the struct, its values are pointers
			}
			f.P("type ", name, " = ", target)
		})
	}
}
