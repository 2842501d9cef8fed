package gen

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// decodeMethod writes DecodeBinary or DecodeCompact.
func (f *file) decodeMethod(s *model.Struct, p protocol) {
	name, rt := f.structName(s), f.runtime()
	options := "nil"
	switch {
	case f.opt.Views && f.opt.UTF8:
		options = "&" + rt + ".Options{Views: true, UTF8: true}"
	case f.opt.Views:
		options = "&" + rt + ".Options{Views: true}"
	case f.opt.UTF8:
		options = "&" + rt + ".Options{UTF8: true}"
	}
	f.P()
	f.P("// Decode", p, " reads the struct from b, which holds it and nothing else, in the")
	f.P("// ", lowerFirst(string(p)), " protocol. What was in the struct is replaced.")
	if f.opt.Views {
		f.P("// Its strings and bytes are views of b, which must not change while they are in use.")
	}
	f.P("func (p *", name, ") Decode", p, "(b []byte) error {")
	f.P("var d ", rt, ".Decoder")
	f.P("d.Start(len(b), ", options, ")")
	f.P("if i := p.ThriftDecode", p, "(&d, b, 0); i != len(b) {")
	f.P("return d.", p, "Error(p, b, i)")
	f.P("}")
	f.P("return nil")
	f.P("}")
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }

// readMethod writes ThriftDecodeBinary or ThriftDecodeCompact: a loop over
// the fields on the wire.
func (f *file) readMethod(s *model.Struct, p protocol) {
	rt := f.runtime()
	used := false
	at := place{label: &used}
	seen := bits{len(s.Fields)}
	union := isUnion(s)
	if union {
		seen.n++ // the last bit is that of an unknown field
	}
	f.P()
	f.P("// ThriftDecode", p, " reads the struct at i and gives the position behind it, or a")
	f.P("// negative number. It is for generated code.")
	f.P("func (p *", f.structName(s), ") ThriftDecode", p, "(d *", rt, ".Decoder, b []byte, i int) int {")
	f.P("if d.Depth--; d.Depth < 0 {")
	f.P("return ^i")
	f.P("}")
	f.steps(at)
	if seen.n > 0 {
		f.P("var seen ", seen.goType())
	}
	if f.opt.Unknown {
		f.P("p.UnknownFields = p.UnknownFields[:0]")
	}
	if p == binary {
		f.P("for {")
		f.P("h := ", rt, ".BinaryField(b, i)")
		f.P("if h < 1<<16 {")
		f.P("i++")
		f.P("break")
		f.P("}")
		f.P("switch h {")
	} else {
		f.P("for key := 0; ; {")
		f.P("key, i = ", rt, ".CompactField(b, i, key)")
		f.P("if i < 0 {")
		f.P("return i")
		f.P("}")
		f.P("if key == 0 {")
		f.P("break")
		f.P("}")
		f.P("switch key {")
	}
	for k, x := range s.Fields {
		w := wireOf(x.Type)
		switch {
		case p == binary:
			f.P(fmt.Sprintf("case %d<<16 | %d:", w.binary, uint16(x.ID)), " // ", x.Name)
		case x.Type.Kind == model.Bool:
			f.P(fmt.Sprintf("case %s | 1, %s | 2:", shifted(x.ID), shifted(x.ID)), " // ", x.Name)
		default:
			f.P(fmt.Sprintf("case %s | %d:", shifted(x.ID), w.compact), " // ", x.Name)
		}
		f.depth++ // the comment hides the colon
		field := at
		field.field = x.Name
		f.readField(p, x, "p."+f.fieldName(s, x), field)
		f.P(seen.mark(k))
	}
	f.P("default:")
	if f.opt.Unknown {
		f.P("start := i")
	}
	if p == binary {
		f.P("if i = d.SkipBinaryField(b, i, h); i < 0 {")
	} else {
		f.P("if i = d.SkipCompactField(b, i, key); i < 0 {")
	}
	f.P("return i")
	f.P("}")
	if f.opt.Unknown {
		if p == binary {
			f.P("p.UnknownFields = append(p.UnknownFields, b[start:i]...)")
		} else {
			f.P("p.UnknownFields = p.UnknownFields.AppendCompact(key, b[start:i])")
		}
	}
	if union {
		f.P(seen.mark(len(s.Fields)))
	}
	f.P("}")
	f.P("}")
	f.finish(s, seen)
	f.P("d.Depth++")
	f.P("return i")
	f.failed(at)
	f.P("}")
}

// shifted is a field's number in the key of the compact protocol.
func shifted(id int16) string { return fmt.Sprintf("%d<<4", id) }

// finish writes what follows the last field: required ones, the one of a
// union, the values of those that were not there.
func (f *file) finish(s *model.Struct, seen bits) {
	if seen.n == 0 {
		return
	}
	if isUnion(s) {
		rt := f.runtime()
		if seen.n <= 64 {
			f.P("if seen == 0 || seen&(seen-1) != 0 {")
		} else {
			f.P("if ", rt, ".CountBits(seen[:]) != 1 {")
		}
		f.P("return ^i")
		f.P("}")
		if len(s.Fields) > 0 {
			if seen.n <= 64 || (len(s.Fields)+63)/64 == (seen.n+63)/64 {
				f.P("p.resetUnseen(seen)")
			} else {
				f.P("p.resetUnseen(", bits{len(s.Fields)}.goType(), "(seen[:]))")
			}
		}
		return
	}
	f.P("if seen != ", f.allOf(seen), " {")
	var missing []string
	for k, x := range s.Fields {
		if x.Req == model.Required {
			missing = append(missing, seen.missing(k))
		}
	}
	if len(missing) > 0 {
		f.P("if ", strings.Join(missing, " || "), " {")
		f.P("return ^i")
		f.P("}")
	}
	f.P("p.resetUnseen(seen)")
	f.P("}")
}

func (f *file) allOf(seen bits) string {
	all := seen.all()
	if seen.n > 64 {
		return "(" + all + ")"
	}
	return all
}
