package gen

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// gopkgPath is the import path of the package whose interfaces Kitex asks
// for.
const gopkgPath = "github.com/cloudwego/gopkg/protocol/thrift"

// kitex writes the file with the methods by which Kitex reads and writes
// structs, with what thriftgo's users know besides, and with what a service's
// package (ours, or that of kitex) needs of the arguments and results of
// its functions.
func (f *file) kitex() {
	for _, e := range f.prog.Enums {
		f.kitexEnum(e)
	}
	for _, t := range f.prog.Typedefs {
		if t.Type.Kind == model.StructKind {
			f.kitexTypedef(t)
		}
	}
	for _, s := range f.prog.Structs {
		f.kitexFields(s, f.structName(s))
		f.kitexStruct(s)
	}
	for _, s := range f.prog.Services {
		methods := f.methodNames(s)
		for _, fn := range s.Functions {
			made := f.function(s, fn, methods[fn])
			f.kitexArgs(s, made)
			if !fn.Oneway {
				f.kitexResult(s, made)
			}
			if fn.Streams() {
				f.streamInterface(made)
			}
		}
	}
}

// kitexMessage writes the constructor and the methods of arguments or of a
// result under the name that Kitex wants, and the type where only Kitex needs
// one.
func (f *file) kitexMessage(s *model.Service, fn *function, message *model.Struct, end string) (*model.Struct, string) {
	key := s.Name + "_" + fn.Name + end
	public := f.g.namesOf(s.Program).kitex[key]
	none := message == nil
	if none {
		message = &model.Struct{Program: s.Program, Name: key, Pos: fn.Pos}
	}
	name := f.structName(message)
	f.Apart("// ", public, " is for Kitex.")
	f.P("type ", public, " = ", name)
	if none {
		f.Apart("type ", name, " struct{ ", f.runtime(), ".Empty }")
	}
	f.Apart("// ", f.newName(message), " is for Kitex.")
	if slices.ContainsFunc(message.Fields, initialised) {
		f.P("func ", f.newName(message), "() *", public, " {")
		f.P("p := &", name, "{}")
		f.P("p.InitDefault()")
		f.P("return p")
		f.P("}")
	} else {
		f.short("func "+f.newName(message)+"() *"+public+" {", "return &"+name+"{}")
	}
	f.initDefault(message, name)
	fields := message.Fields // those that are reached as a struct's are
	if end == "_result" && fn.Result.Kind != model.Void {
		fields = fields[1:]
	}
	f.getters(message, fields, name)
	f.setters(message, fields, name)
	f.kitexDefaults(message, public, func(x *model.Field) string { return public + "_" + f.fieldName(message, x) + "_DEFAULT" })
	f.Apart("// String formats it for people.")
	f.short("func (p *"+name+") String() string {", "return "+f.runtime()+".Format(p)")
	all := f.opt
	opt := *f.opt
	opt.Unknown = false
	f.opt = &opt
	f.kitexStruct(message)
	f.opt = all
	return message, name
}

func (f *file) kitexArgs(s *model.Service, fn *function) {
	args, name := f.kitexMessage(s, fn, fn.args, "_args")
	first := "nil"
	if len(args.Fields) > 0 {
		first = "p." + f.fieldName(args, args.Fields[0])
	}
	f.Apart("// GetFirstArgument is for Kitex.")
	f.short("func (p *"+name+") GetFirstArgument() any {", "return "+first)
}

func (f *file) kitexResult(s *model.Service, fn *function) {
	result, name := f.kitexMessage(s, fn, fn.result, "_result")
	if fn.success() == nil {
		f.Apart("// GetResult is for Kitex.")
		f.short("func (p *"+name+") GetResult() any {", "return nil")
		return
	}
	x := fn.success()
	field := "p." + f.fieldName(result, x)
	f.Apart("// GetResult is for Kitex.")
	f.short("func (p *"+name+") GetResult() any {", "return "+field)
	f.Apart("// GetSuccess is for Kitex.")
	f.getter(result, x, name)
	f.Apart("// SetSuccess is for Kitex.")
	f.short("func (p *"+name+") SetSuccess(x any) {", field+" = x.("+f.fieldType(x)+")")
	f.Apart("// IsSetSuccess is for Kitex.")
	f.short("func (p *"+name+") IsSetSuccess() bool {", "return "+field+" != nil")
}

func (f *file) kitexStruct(s *model.Struct) {
	name, rt := f.structName(s), f.runtime()
	f.bLength(s, name)
	f.Apart("// FastWrite writes the struct in the binary protocol into buf, which has at least")
	f.P("// BLength bytes, and returns their number. It panics where AppendBinary fails.")
	f.short("func (p *"+name+") FastWrite(buf []byte) int {", "return "+rt+".FastWrite(buf, p)")
	f.Apart("// FastWriteNocopy is FastWrite: strings are copied, whatever their length.")
	f.Block("func (p *"+name+") FastWriteNocopy(buf []byte, _ "+f.useAs(gopkgPath, "gopkg")+".NocopyWriter) int", "return ", rt, ".FastWrite(buf, p)")
	f.Apart("// FastRead reads the struct in the binary protocol from the beginning of buf and")
	f.P("// returns the number of its bytes. It keeps nothing of buf.")
	f.Block("func (p *"+name+") FastRead(buf []byte) (int, error)", "return ", rt, ".DecodeBinary(buf, p, ", f.options(false), ")")
}

// ofFunction reports whether a struct is the arguments or the result of a
// function.
func ofFunction(s *model.Struct) bool { return !slices.Contains(s.Program.Structs, s) }

// bLength writes the method BLength.
func (f *file) bLength(s *model.Struct, name string) {
	f.Apart("// BLength is the number of bytes of the struct in the binary protocol.")
	deep := f.recursive(s)
	if deep {
		f.short("func (p *"+name+") BLength() int {", "return p.bLength(0)")
		f.P()
		f.P("func (p *", name, ") bLength(depth int) int {")
		f.Block("if depth >= "+f.runtime()+".MaxDepth", "panic(", f.runtime(), ".ErrDepth)")
	} else {
		f.P("func (p *", name, ") BLength() int {")
	}
	f.Block("if p == nil", "return 1")
	f.sizeMasked(s)
	// The part that all values share.
	fixed := 1
	for _, x := range s.Fields {
		if !mayBeAbsent(x) {
			fixed += 3 + sizeAtLeast(x.Type)
		}
	}
	f.P("n := ", fixed)
	for _, x := range s.Fields {
		from := "p." + f.fieldName(s, x)
		if !mayBeAbsent(x) {
			f.addSize(x.Type, from, 1, deep)
			continue
		}
		f.P("if ", f.present(x, from), " {")
		f.P("n += ", 3+sizeAtLeast(x.Type))
		if pointerField(x) {
			from = "*" + from
		}
		f.addSize(x.Type, from, 1, deep)
		f.P("}")
	}
	if f.opt.Unknown {
		f.P("n += len(p.UnknownFields)")
	}
	f.P("return n")
	f.P("}")
}

// sizeAtLeast is the size of the smallest value of a type in the binary
// protocol, except for structs, which compute their own.
func sizeAtLeast(t *model.Type) int {
	switch t.Kind {
	case model.String, model.Binary:
		return 4
	case model.List, model.Set:
		return 5
	case model.Map:
		return 6
	}
	return wireOf(t).size // 0 for a struct
}

// addSize writes statements that add to n what a value takes beyond
// sizeAtLeast. deep says that the method counts the depth.
func (f *file) addSize(t *model.Type, from string, depth int, deep bool) {
	switch t.Kind {
	case model.String, model.Binary:
		f.P("n += len(", from, ")")
	case model.StructKind:
		if deep && f.counted(t) {
			f.P("n += ", from, ".bLength(depth + 1)")
			return
		}
		f.P("n += ", from, ".BLength()")
	case model.List, model.Set:
		f.addElements(t.Elem, from, depth, deep)
	case model.Map:
		f.addEntries(t, from, depth, deep)
	}
}

func (f *file) addElements(elem *model.Type, from string, depth int, deep bool) {
	switch size := wireOf(elem).size; {
	case size == 1:
		f.P("n += len(", from, ")")
	case size > 0:
		f.P("n += ", size, " * len(", from, ")")
	case elem.Kind == model.String || elem.Kind == model.Binary:
		f.P("n += ", f.runtime(), ".FastSize(", from, ")")
	default:
		if least := sizeAtLeast(elem); least > 0 {
			f.P("n += ", least, " * len(", from, ")")
		}
		v := fmt.Sprintf("v%d", depth)
		if elem.InPlace {
			f.P("for ", v, " := range ", from, " {")
			v = from + "[" + v + "]"
		} else {
			f.P("for _, ", v, " := range ", from, " {")
		}
		f.addSize(elem, v, depth+1, deep)
		f.P("}")
	}
}

func (f *file) addEntries(t *model.Type, from string, depth int, deep bool) {
	if least := sizeAtLeast(t.Key) + sizeAtLeast(t.Elem); least > 0 {
		f.P("n += ", least, " * len(", from, ")")
	}
	more := func(t *model.Type) bool { return wireOf(t).size == 0 }
	if !more(t.Key) && !more(t.Elem) {
		return
	}
	key, value := fmt.Sprintf("k%d", depth), fmt.Sprintf("v%d", depth)
	switch {
	case !comparableKey(t.Key):
		f.P("for _, ", value, " := range ", from, " {")
		key, value = value+".Key", value+".Value"
	case !more(t.Elem):
		f.P("for ", key, " := range ", from, " {")
	case !more(t.Key):
		f.P("for _, ", value, " := range ", from, " {")
	default:
		f.P("for ", key, ", ", value, " := range ", from, " {")
	}
	if more(t.Key) {
		f.addSize(t.Key, key, depth+1, deep)
	}
	if more(t.Elem) {
		f.addSize(t.Elem, value, depth+1, deep)
	}
	f.P("}")
}
