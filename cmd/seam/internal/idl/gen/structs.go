package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// declareStruct writes a struct's type, its constructor, and the methods that
// don't touch the wire.
func (f *file) declareStruct(s *model.Struct) {
	name := f.structName(s)
	f.chunk(func() {
		f.P()
		f.structDoc(s, name)
		f.P("type ", name, " struct {")
		for _, x := range s.Fields {
			f.doc(x.Doc, x.Annotations)
			f.P(f.fieldName(s, x), " ", f.fieldType(x), " ", tag(x))
		}
		if f.opt.Unknown {
			if len(s.Fields) > 0 {
				f.P()
			}
			f.P("// UnknownFields are the fields that were read and are not in the Thrift file.")
			f.P("UnknownFields ", f.thrift(), ".Unknown `json:\"-\"`")
		}
		f.fieldMaskField(s, name)
		f.P("}")
	})
	f.constructor(s, name)
	if !f.opt.NoGetters {
		f.getters(s, s.Fields, name)
	}
	if s.Kind == syntax.Union {
		f.which(s, name)
	}
	if !f.opt.NoEqual {
		f.equal(s, name)
	}
	if !f.opt.NoClone {
		f.clone(s, name)
	}
	f.requestedSetters(s, name)
	f.fieldMaskMethods(s, name)
	f.structSQL(s, name)
	f.validate(s, name)
	f.Apart("// String formats the struct for people: ", name, "{field: value}.")
	f.short("func (p *"+name+") String() string {", "return "+f.runtime()+".Format(p)")
	if s.Kind == syntax.Exception {
		f.Apart("// Error makes the exception an error.")
		f.short("func (p *"+name+") Error() string {", "return "+f.runtime()+".Format(p)")
	}
}

func (f *file) structDoc(s *model.Struct, name string) {
	f.doc(s.Doc, s.Annotations, fmt.Sprintf("%s is the %s %s.", name, structWord(s), s.Name))
	if s.Kind == syntax.Union {
		f.P("//")
		f.P("// It is a union: exactly one field is set. Anything else is an error when it is")
		f.P("// written or read.")
	}
}

// tag is the struct tag of a field, with what go.tag asks for: the key json that is in there
// takes the place of ours.
func tag(x *model.Field) string {
	req, omit := "default", ""
	switch x.Req {
	case model.Required:
		req = "required"
	case model.Optional:
		req, omit = "optional", ",omitempty"
	}
	tags := fmt.Sprintf("thrift:\"%s,%d,%s,%s\"", x.Name, x.ID, req, x.Type.String())
	if !slices.ContainsFunc(x.GoTags, func(t model.GoTag) bool { return t.Key == "json" }) {
		tags += fmt.Sprintf(" json:\"%s%s\"", x.Name, omit)
	}
	for _, t := range x.GoTags {
		tags += " " + t.Key + ":" + strconv.Quote(t.Value)
	}
	return "`" + tags + "`"
}

// constructor writes New<T>.
func (f *file) constructor(s *model.Struct, name string) {
	f.P()
	maker := f.newName(s)
	f.P("// ", maker, " returns a new ", name, " with the defaults of the Thrift file.")
	f.P("func ", maker, "() *", name, " {")
	f.returnValue("&" + f.literal(s, nil))
	f.P("}")
}

// returnValue writes the return of an expression that may have several lines.
func (f *file) returnValue(expression string) {
	if strings.Contains(expression, "\n") {
		f.statement("return " + expression)
		return
	}
	f.P("return ", expression)
}

// getters writes a getter for every field.
func (f *file) getters(s *model.Struct, fields []*model.Field, name string) {
	for _, x := range fields {
		field := f.accessorName(s, x)
		f.P()
		switch {
		case x.Req == model.Optional && x.Default != nil && !x.ByValue:
			f.P("// Get", field, " returns the field ", x.Name, ", or its default if it is absent.")
		case pointerField(x):
			f.P("// Get", field, " returns the field ", x.Name, ", or the zero value if it is absent.")
		default:
			f.P("// Get", field, " returns the field ", x.Name, ".")
		}
		f.getter(s, x, name)
	}
}

// getter writes the getter of a field.
func (f *file) getter(s *model.Struct, x *model.Field, name string) {
	field := f.fieldName(s, x)
	method := "Get" + f.accessorName(s, x)
	head := "func (p *" + name + ") " + method + "() " + f.goType(x.Type) + " {"
	pointer := ""
	if pointerField(x) {
		pointer = "*"
	}
	switch body := "return " + pointer + "p." + field; {
	case x.ByValue && plain(x.Type):
		f.short(head, body)
	case x.Req == model.Optional && x.Default != nil:
		f.P(head)
		f.P("if p.", field, " == nil {")
		f.returnValue(f.value(x.Type, x.Default))
		f.P("}")
		f.P(body)
		f.P("}")
	case pointer != "":
		f.P("func (p *", name, ") ", method, "() (v ", f.goType(x.Type), ") {")
		f.Block("if p."+field+" != nil", "v = *p.", field)
		f.P("return v")
		f.P("}")
	default:
		f.short(head, body)
	}
}

// short writes a function of one statement, on one line where gofmt leaves it
// there.
func (f *file) short(head, body string) {
	if len(head)+len(body) < 95 {
		f.P(head, " ", body, " }")
		return
	}
	f.P(head)
	f.P(body)
	f.P("}")
}

// which writes the method that says which field of a union is set.
func (f *file) which(s *model.Struct, name string) {
	f.Apart("// Which returns the id of the field that is set, or 0, false if none or more than")
	f.P("// one is.")
	f.P("func (p *", name, ") Which() (id int16, ok bool) {")
	if len(s.Fields) > 0 {
		f.P("n := 0")
		for _, x := range s.Fields {
			f.Block("if p."+f.fieldName(s, x)+" != nil", "id, n = ", int(x.ID), ", n+1")
		}
		f.Block("if n == 1", "return id, true")
	}
	f.P("return 0, false")
	f.P("}")
}
