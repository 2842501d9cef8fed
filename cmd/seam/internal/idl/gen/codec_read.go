package gen

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// headSize is what a field's head takes before its value in the binary
// protocol; in the compact one the position is behind it already.
const headSize = 3

// readField writes the reading of a field's value into the expression to.
func (f *file) readField(p protocol, x *model.Field, to string, at place) {
	offset := 0
	if p == binary {
		offset = headSize
	}
	if !pointerField(x) {
		f.readValue(p, x.Type, to, offset, false, at)
		return
	}
	rt := f.runtime()
	switch {
	case x.Type.Kind == model.String:
		f.P("if ", to, ", i = d.", p, "StringPtr(b, ", plus("i", offset), "); i < 0 {")
		f.passes(at)
		f.P("}")
	case p == compact && x.Type.Kind == model.Bool:
		f.P(to, " = ", rt, ".Place(d, len(b)-i, key&15 == 1)")
	case p == compact:
		f.P("var v ", f.goType(x.Type))
		f.readValue(p, x.Type, "v", 0, false, at)
		f.P(to, " = ", rt, ".Place(d, len(b)-i, v)")
	default:
		w := wireOf(x.Type)
		f.P("if len(b)-i < ", headSize+w.size, " {")
		f.fails(at)
		f.P("}")
		f.P(to, " = ", rt, ".Place(d, len(b)-i, ", f.load(x.Type, plus("i", offset)), ")")
		f.P("i += ", headSize+w.size)
	}
}

func plus(i string, n int) string {
	if n == 0 {
		return i
	}
	return fmt.Sprintf("%s+%d", i, n)
}

// load is the expression that loads a value of a fixed size in the binary
// protocol.
func (f *file) load(t *model.Type, i string) string {
	rt := f.runtime()
	switch t.Kind {
	case model.Bool:
		return rt + ".LoadBool(b, " + i + ")"
	case model.I8:
		return rt + ".Load8(b, " + i + ")"
	case model.I16:
		return rt + ".Load16(b, " + i + ")"
	case model.I32:
		return rt + ".Load32(b, " + i + ")"
	case model.I64:
		return rt + ".Load64(b, " + i + ")"
	case model.Double:
		return rt + ".LoadDouble(b, " + i + ")"
	case model.UUID:
		return rt + ".LoadUUID(b, " + i + ")"
	case model.EnumKind:
		return f.goType(t) + "(" + rt + ".Load32(b, " + i + "))"
	}
	panic("a value without a fixed size")
}

// readValue writes the reading of a value at i+offset into the expression
// to, and moves i behind it. sure says that the input is known to be long
// enough for a value of fixed size.
func (f *file) readValue(p protocol, t *model.Type, to string, offset int, sure bool, at place) {
	rt := f.runtime()
	i := plus("i", offset)
	call := func(text string) {
		f.P("if ", to, ", i = ", text, "; i < 0 {")
		f.passes(at)
		f.P("}")
	}
	switch t.Kind {
	case model.String:
		call(fmt.Sprintf("d.%sString(b, %s)", p, i))
		return
	case model.Binary:
		call(fmt.Sprintf("d.%sBytes(b, %s, %s)", p, i, to))
		return
	case model.List, model.Set:
		if name, generic := bulk(t.Elem); generic {
			call(fmt.Sprintf("%s.%s%s(d, b, %s, %s)", rt, p, name, i, to))
		} else if name != "" {
			call(fmt.Sprintf("d.%s%s(b, %s, %s)", p, name, i, to))
		} else {
			call(fmt.Sprintf("%s(d, b, %s, %s)", f.listReader(p, t), i, to))
		}
		return
	case model.Map:
		call(fmt.Sprintf("%s(d, b, %s, %s)", f.mapReader(p, t), i, to))
		return
	case model.StructKind:
		f.P("if ", to, " == nil {")
		f.P("if ", to, " = ", rt, ".Alloc[", f.structName(t.Struct), "](d); ", to, " == nil {")
		f.fails(at)
		f.P("}")
		f.P("}")
		f.P("if i = ", to, ".ThriftDecode", p, "(d, b, ", i, "); i < 0 {")
		f.passes(at)
		f.P("}")
		return
	}
	if p == binary {
		w := wireOf(t)
		if !sure {
			f.P("if len(b)-i < ", offset+w.size, " {")
			f.fails(at)
			f.P("}")
		}
		f.P(to, " = ", f.load(t, i))
		if n := offset + w.size; n == 1 {
			f.P("i++")
		} else {
			f.P("i += ", n)
		}
		return
	}
	switch t.Kind {
	case model.Bool:
		if at.field != "" {
			f.P(to, " = key&15 == 1")
			return
		}
		call(rt + ".CompactBool(b, i)")
	case model.I8:
		call(rt + ".CompactI8(b, i)")
	case model.I16:
		call(rt + ".CompactI16(b, i)")
	case model.I32:
		call(rt + ".CompactI32(b, i)")
	case model.I64:
		call(rt + ".CompactI64(b, i)")
	case model.Double:
		call(rt + ".CompactDouble(b, i)")
	case model.UUID:
		call(rt + ".CompactUUID(b, i)")
	case model.EnumKind:
		f.P("n, next := ", rt, ".CompactI32(b, i)")
		f.P("if i = next; i < 0 {")
		f.passes(at)
		f.P("}")
		f.P(to, " = ", f.goType(t), "(n)")
	}
}

// listReader is the name of the function that reads a list or set.
func (f *file) listReader(p protocol, t *model.Type) string {
	return f.container("Read", p, t, func(name string) {
		rt, used := f.runtime(), false
		at := place{result: "old, ", index: "k", label: &used}
		isStruct := t.Elem.Kind == model.StructKind
		f.P()
		f.P("func ", name, "(d *", rt, ".Decoder, b []byte, i int, old ", f.goType(t), ") (", f.plainType(t), ", int) {")
		f.P("n, i := d.", p, "List(b, i, ", f.wireName(t.Elem), ")")
		f.P("if i < 0 {")
		f.P("return old, i")
		f.P("}")
		room, more := "Slots", "MoreSlots"
		if isStruct {
			room, more = "Structs", "MoreStructs"
		}
		f.P("v := ", rt, ".", room, "(d, old, n)")
		loop := "for k := 0; k < n; k++ {"
		if f.opt.ErrorLayout == LayoutGoto {
			f.P("var k int")
			loop = "for k = 0; k < n; k++ {"
		}
		f.P(loop)
		f.P("if k == len(v) {")
		f.P("if v = ", rt, ".", more, "(d, v, n); v == nil {")
		f.fails(at)
		f.P("}")
		f.P("}")
		if isStruct {
			f.P("if i = v[k].ThriftDecode", p, "(d, b, i); i < 0 {")
			f.passes(at)
			f.P("}")
		} else {
			f.readValue(p, t.Elem, "v[k]", 0, true, at)
		}
		f.P("}")
		f.P("return v, i")
		f.failed(at)
		f.P("}")
	})
}

// mapReader is the name of the function that reads a map, or the list of
// pairs that stands for one.
func (f *file) mapReader(p protocol, t *model.Type) string {
	return f.container("Read", p, t, func(name string) {
		rt, used := f.runtime(), false
		key := place{result: "old, ", part: ".key", label: &used}
		value := place{result: "old, ", part: ".value", label: &used}
		isMap := comparableKey(t.Key)
		f.P()
		f.P("func ", name, "(d *", rt, ".Decoder, b []byte, i int, old ", f.goType(t), ") (", f.plainType(t), ", int) {")
		f.P("n, i := d.", p, "Map(b, i, ", f.wireName(t.Key), ", ", f.wireName(t.Elem), ")")
		f.P("if i < 0 {")
		f.P("return old, i")
		f.P("}")
		f.steps(key)
		if isMap {
			f.P("room := d.AffordMap(n, ", goSize(t.Key)+goSize(t.Elem), ")")
			f.P("if d.Exhausted() {")
			f.P("return old, ^i")
			f.P("}")
			f.P("v := old")
			f.P("if v == nil {")
			f.P("v = make(", f.plainType(t), ", room)")
			f.P("} else {")
			f.P("clear(v)")
			f.P("}")
			f.P("for range n {")
		} else {
			f.P("v := ", rt, ".Slots(d, old, n)")
			f.P("for k := 0; k < n; k++ {")
			f.P("if k == len(v) {")
			f.P("if v = ", rt, ".MoreSlots(d, v, n); v == nil {")
			f.P("return old, ^i")
			f.P("}")
			f.P("}")
		}
		keySize, valueSize := wireOf(t.Key).size, wireOf(t.Elem).size
		switch {
		case !isMap:
			f.mapEntry(p, t.Key, "v[k].Key", false, key)
			f.mapEntry(p, t.Elem, "v[k].Value", false, value)
		case p == binary && keySize > 0 && valueSize > 0:
			// The head has told that there is room for all pairs.
			f.P("v[", f.load(t.Key, "i"), "] = ", f.load(t.Elem, plus("i", keySize)))
			f.P("i += ", keySize+valueSize)
		default:
			f.P("var key ", f.keyType(t.Key))
			if t.Key.Kind == model.Binary {
				f.P("if key, i = d.", p, "String(b, i); i < 0 {")
				f.passes(key)
				f.P("}")
			} else {
				f.mapEntry(p, t.Key, "key", false, key)
			}
			f.P("var value ", f.goType(t.Elem))
			f.mapEntry(p, t.Elem, "value", false, value)
			f.P("v[key] = value")
		}
		f.P("}")
		f.P("return v, i")
		f.failed(key)
		f.P("}")
	})
}

// mapEntry writes the reading of a key or a value, whose variables must not
// meet those of the other.
func (f *file) mapEntry(p protocol, t *model.Type, to string, sure bool, at place) {
	if p == compact && t.Kind == model.EnumKind {
		f.P("{")
		f.readValue(p, t, to, 0, sure, at)
		f.P("}")
		return
	}
	f.readValue(p, t, to, 0, sure, at)
}
