package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// apachePath is the import path of Apache's Go library.
const apachePath = "github.com/apache/thrift/lib/go/thrift"

// apache writes the file with the methods Read and Write of Apache's TStruct
// for the structs of the program. They speak any protocol of that
// library and are as fast as it is.
func (f *file) apache() {
	for _, s := range f.prog.Structs {
		a := apacheWriter{file: f, s: s, name: f.structName(s), lib: f.useAs(apachePath, "apache")}
		a.use("context")
		a.write()
		a.read()
		if s.Kind == syntax.Exception {
			a.Apart("// TExceptionType tells Apache's library where the type is from.")
			a.Block("func (p *"+a.name+") TExceptionType() "+a.lib+".TExceptionType", "return ", a.lib, ".TExceptionTypeCompiled")
		}
	}
}

// An apacheWriter writes the methods of one struct.
type apacheWriter struct {
	*file
	s    *model.Struct
	name string
	lib  string // Apache's library, before the dot
}

// try writes a call, after which an error leaves the function with the name
// of the struct, and of the field if there is one.
func (a *apacheWriter) try(x *model.Field, call string) {
	a.fail("err := "+call+"; err != nil", x, "err")
}

// fail writes what leaves the function with an error under a condition.
func (a *apacheWriter) fail(condition string, x *model.Field, err string) {
	where := a.s.Name
	if x != nil {
		where += "." + x.Name
	}
	a.Block("if "+condition, "return ", a.lib, ".PrependError(", strconv.Quote(where+": "), ", ", err, ")")
}

func (a *apacheWriter) invalid(condition string, x *model.Field, err string) {
	a.fail(condition, x, a.lib+".NewTProtocolExceptionWithType("+a.lib+".INVALID_DATA, "+a.runtime()+"."+err+")")
}

func (a *apacheWriter) write() {
	a.Apart("// Write writes the struct to a protocol of Apache's library.")
	a.P("func (p *", a.name, ") Write(ctx context.Context, oprot ", a.lib, ".TProtocol) error {")
	a.fail("p == nil", nil, a.runtime()+".ErrNil")
	if a.recursive(a.s) {
		a.P("ctx, err := ", a.runtime(), ".DeeperToWrite(ctx)")
		a.fail("err != nil", nil, "err")
	}
	if a.s.Kind == syntax.Union {
		a.fail("_, ok := p.Which(); !ok", nil, a.runtime()+".ErrUnion")
	}
	a.try(nil, "oprot.WriteStructBegin(ctx, "+strconv.Quote(a.s.Name)+")")
	fields := slices.Clone(a.s.Fields)
	slices.SortStableFunc(fields, func(x, y *model.Field) int { return cmp.Compare(x.ID, y.ID) })
	for _, x := range fields {
		from := "p." + a.fieldName(a.s, x)
		absent := mayBeAbsent(x)
		if absent {
			a.P("if ", a.present(x, from), " {")
		}
		if pointerField(x) {
			from = "*" + from
		}
		a.try(x, fmt.Sprintf("oprot.WriteFieldBegin(ctx, %q, %s.%s, %d)", x.Name, a.lib, wireOf(x.Type).apache, x.ID))
		a.writeValue(x, x.Type, from, 1)
		a.try(x, "oprot.WriteFieldEnd(ctx)")
		if absent {
			a.P("}")
		}
	}
	a.try(nil, "oprot.WriteFieldStop(ctx)")
	a.try(nil, "oprot.WriteStructEnd(ctx)")
	a.P("return nil")
	a.P("}")
}

// apacheWords are what follows Read and Write in the names of Apache's library.
var apacheWords = map[model.Kind]string{
	model.Bool: "Bool", model.I8: "Byte", model.I16: "I16", model.I32: "I32", model.I64: "I64",
	model.Double: "Double", model.String: "String", model.Binary: "Binary",
}

func (a *apacheWriter) writeValue(x *model.Field, t *model.Type, from string, depth int) {
	key, value := fmt.Sprintf("k%d", depth), fmt.Sprintf("v%d", depth)
	switch t.Kind {
	case model.EnumKind:
		a.try(x, "oprot.WriteI32(ctx, int32("+from+"))")
	case model.UUID:
		a.try(x, "oprot.WriteUUID(ctx, "+a.lib+".Tuuid("+from+"))")
	case model.StructKind:
		a.try(x, from+".Write(ctx, oprot)")
	case model.List, model.Set:
		word := "List"
		if t.Kind == model.Set {
			word = "Set"
		}
		a.try(x, fmt.Sprintf("oprot.Write%sBegin(ctx, %s.%s, len(%s))", word, a.lib, wireOf(t.Elem).apache, from))
		if t.Elem.InPlace {
			a.P("for ", value, " := range ", from, " {")
			value = from + "[" + value + "]"
		} else {
			a.P("for _, ", value, " := range ", from, " {")
		}
		a.writeValue(x, t.Elem, value, depth+1)
		a.P("}")
		a.try(x, "oprot.Write"+word+"End(ctx)")
	case model.Map:
		a.try(x, fmt.Sprintf("oprot.WriteMapBegin(ctx, %s.%s, %s.%s, len(%s))", a.lib, wireOf(t.Key).apache, a.lib, wireOf(t.Elem).apache, from))
		if comparableKey(t.Key) {
			a.P("for ", key, ", ", value, " := range ", from, " {")
			if t.Key.Kind == model.Binary {
				key = "[]byte(" + key + ")"
			}
		} else {
			a.P("for _, ", value, " := range ", from, " {")
			key, value = value+".Key", value+".Value"
		}
		a.writeValue(x, t.Key, key, depth+1)
		a.writeValue(x, t.Elem, value, depth+1)
		a.P("}")
		a.try(x, "oprot.WriteMapEnd(ctx)")
	default:
		a.try(x, "oprot.Write"+apacheWords[t.Kind]+"(ctx, "+from+")")
	}
}

func (a *apacheWriter) read() {
	required := slices.DeleteFunc(slices.Clone(a.s.Fields), func(x *model.Field) bool { return x.Req != model.Required })
	a.Apart("// Read reads the struct from a protocol of Apache's library. What was in the struct")
	a.P("// is replaced, and fields that the Thrift file doesn't have are not kept.")
	a.P("func (p *", a.name, ") Read(ctx context.Context, iprot ", a.lib, ".TProtocol) error {")
	if a.recursive(a.s) {
		a.P("ctx, err := ", a.runtime(), ".Deeper(ctx)")
		a.Block("if err != nil", "return ", a.lib, ".NewTProtocolExceptionWithType(", a.lib, ".DEPTH_LIMIT, err)")
	}
	a.P("*p = *", a.newName(a.s), "()")
	a.fail("_, err := iprot.ReadStructBegin(ctx); err != nil", nil, "err")
	for _, x := range required {
		a.P("has", a.fieldName(a.s, x), " := false")
	}
	a.P("for {")
	id := "id"
	if len(a.s.Fields) == 0 {
		id = "_"
	}
	a.P("_, kind, ", id, ", err := iprot.ReadFieldBegin(ctx)")
	a.fail("err != nil", nil, "err")
	a.Block("if kind == "+a.lib+".STOP", "break")
	a.P("switch {")
	for _, x := range a.s.Fields {
		a.P("case id == ", int(x.ID), " && kind == ", a.lib, ".", wireOf(x.Type).apache, ":")
		a.readValue(x, x.Type, "v", 1)
		to := "p." + a.fieldName(a.s, x)
		if pointerField(x) {
			a.P(to, " = &v")
		} else {
			a.P(to, " = v")
		}
		if x.Req == model.Required {
			a.P("has", a.fieldName(a.s, x), " = true")
		}
	}
	a.P("default:")
	a.try(nil, "iprot.Skip(ctx, kind)")
	a.P("}")
	a.try(nil, "iprot.ReadFieldEnd(ctx)")
	a.P("}")
	a.try(nil, "iprot.ReadStructEnd(ctx)")
	for _, x := range required {
		a.invalid("!has"+a.fieldName(a.s, x), x, "ErrRequired")
	}
	if a.s.Kind == syntax.Union {
		a.invalid("_, ok := p.Which(); !ok", nil, "ErrUnion")
	}
	a.P("return nil")
	a.P("}")
}

// readValue writes statements that declare the variable to and read it.
func (a *apacheWriter) readValue(x *model.Field, t *model.Type, to string, depth int) {
	get := func(to, call string) {
		a.P(to, ", err := iprot.", call, "(ctx)")
		a.fail("err != nil", x, "err")
	}
	key, value := fmt.Sprintf("k%d", depth), fmt.Sprintf("v%d", depth)
	// With a capital inside, these are no package's name.
	n, kind := "n"+strings.ToUpper(to), "t"+strings.ToUpper(to)
	// A length is trusted only a little at a time: nothing is allocated for
	// elements that never come.
	loop := func() { a.P("for range ", n, " {") }
	wrong := func(condition string) {
		a.invalid(n+" > 0 && "+condition, x, "ErrType")
	}
	switch t.Kind {
	case model.EnumKind:
		get(to+"n", "ReadI32")
		a.P(to, " := ", a.goType(t), "(", to, "n)")
	case model.UUID:
		get(to+"u", "ReadUUID")
		a.P(to, " := ", a.goType(t), "(", to, "u)")
	case model.StructKind:
		if t.InPlace {
			a.P("var ", to, " ", a.goType(t))
		} else {
			a.P(to, " := ", "new(", a.goType(t)[1:], ")")
		}
		a.try(x, to+".Read(ctx, iprot)")
	case model.List, model.Set:
		word := "List"
		if t.Kind == model.Set {
			word = "Set"
		}
		get(kind+", "+n, "Read"+word+"Begin")
		wrong(kind + " != " + a.lib + "." + wireOf(t.Elem).apache)
		a.P(to, " := make(", a.goType(t), ", 0, min(", n, ", 64))")
		loop()
		a.readValue(x, t.Elem, value, depth+1)
		a.P(to, " = append(", to, ", ", value, ")")
		a.P("}")
		a.try(x, "iprot.Read"+word+"End(ctx)")
	case model.Map:
		get("k"+kind+", "+kind+", "+n, "ReadMapBegin")
		wrong("(k" + kind + " != " + a.lib + "." + wireOf(t.Key).apache + " || " + kind + " != " + a.lib + "." + wireOf(t.Elem).apache + ")")
		if comparableKey(t.Key) {
			a.P(to, " := make(", a.goType(t), ", min(", n, ", 64))")
		} else {
			a.P(to, " := make(", a.goType(t), ", 0, min(", n, ", 64))")
		}
		loop()
		a.readValue(x, t.Key, key, depth+1)
		a.readValue(x, t.Elem, value, depth+1)
		switch {
		case !comparableKey(t.Key):
			a.P(to, " = append(", to, ", ", a.pairType(t), "{Key: ", key, ", Value: ", value, "})")
		case t.Key.Kind == model.Binary:
			a.P(to, "[string(", key, ")] = ", value)
		default:
			a.P(to, "[", key, "] = ", value)
		}
		a.P("}")
		a.try(x, "iprot.ReadMapEnd(ctx)")
	default:
		get(to, "Read"+apacheWords[t.Kind])
	}
}
