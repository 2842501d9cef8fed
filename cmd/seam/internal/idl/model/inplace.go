package model

import "github.com/seamgo/seam/cmd/seam/internal/idl/syntax"

// inPlaceNote is the annotation of a container, of a field that has one, or of a struct, which
// says whether structs are in containers themselves or as pointers. The nearest counts. The word
// is that of thriftgo's option for all containers.
const inPlaceNote = "value_type_in_container"

// inPlace is what annotations say about structs in containers, if anything.
func (a Annotations) inPlace() (yes, said bool) {
	text, said := a[inPlaceNote]
	return said && text != "false" && text != "0", said
}

// element settles how a struct is in the container t. Its type is new, nobody else's.
func (r *resolver) element(t, elem *Type) {
	if elem == nil || elem.Kind != StructKind {
		return
	}
	_, said := r.notes.inPlace()
	r.noted = r.noted || said
	for _, notes := range []Annotations{t.Annotations, r.notes, elem.Struct.Annotations} {
		if yes, said := notes.inPlace(); said {
			elem.InPlace = yes
			return
		}
	}
	elem.InPlace = r.opt.ValueTypeInContainer
}

// fieldType is the type of a field, whose annotations may say what its containers have.
func (f *file) fieldType(ast *syntax.Field, notes Annotations, owner string) *Type {
	r := resolver{file: f, notes: notes}
	typ, _ := r.resolve(ast.Type, 0, false)
	if _, said := notes.inPlace(); said && typ != nil && !r.noted {
		f.warnf(ast.Pos, "%s.%s: %s has no effect, because no container of structs is written here; put it on the typedef's type or on the struct", clip(owner), clip(ast.Name.Name), inPlaceNote)
	}
	return typ
}
