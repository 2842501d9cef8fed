package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// headSize is what a field's head takes before its value in the binary
// protocol; in the compact one the position is after it already.
const headSize = 3

// readField generates the reading of a field's value into the expression
// to; old is what was there before.
func (f *file) readField(p protocol, x *model.Field, to, old string, at place) {
	offset := 0
	if p == binary {
		offset = headSize
	}
	if !pointerField(x) {
		f.readValue(p, x.Type, to, old, offset, false, at)
		return
	}
	rt := f.runtime()
	switch {
	case x.Type.Kind == model.String:
		f.call(fmt.Sprintf("d.%sStringPtr(%s, &%s)", p, plus("i", offset), to), at)
	case p == compact && x.Type.Kind == model.Bool:
		f.P(to, " = ", rt, ".Place(d, key&15 == 1)")
	case p == compact:
		f.P("var v ", f.goType(x.Type))
		f.readValue(p, x.Type, "v", "", 0, false, at)
		f.P(to, " = ", rt, ".Place(d, v)")
	default:
		w := wireOf(x.Type)
		f.ifShort(headSize+w.size, at)
		f.P(to, " = ", rt, ".Place(d, ", f.load(x.Type, plus("i", offset)), ")")
		f.P("i += ", headSize+w.size)
	}
}

func plus(i string, n int) string {
	if n == 0 {
		return i
	}
	return fmt.Sprintf("%s+%d", i, n)
}

// call writes a call that gives the next position.
func (f *file) call(text string, at place) {
	if f.loops(at) {
		f.P("i = ", text) // the loop ends when i is negative
		return
	}
	f.P("if i = ", text, "; i < 0 {")
	f.passes(at)
	f.P("}")
}

// ifShort writes what happens if fewer than n bytes are left for a number.
func (f *file) ifShort(n int, at place) {
	if f.loops(at) {
		return // BinaryField has checked this for numbers
	}
	f.P("if d.Left(i) < ", n, " {")
	f.fails(at)
	f.P("}")
}

// loops reports whether an error is left to the condition of the loop
// over fields, so that nothing needs to be done on the spot.
func (f *file) loops(at place) bool {
	return f.opt.ErrorLayout == LayoutBare && at.field != ""
}

// load is the expression that loads a value of a fixed size in the binary
// protocol.
func (f *file) load(t *model.Type, i string) string {
	loaded := "d." + wireOf(t).load + "(" + i + ")"
	if t.Kind == model.EnumKind {
		return f.goType(t) + "(" + loaded + ")"
	}
	return loaded
}

// readValue generates the reading of a value at i+offset into the
// expression to, and moves i past it. old is what may be used again, ""
// for nothing. sure says that the input is known to be long enough for a
// value of fixed size.
func (f *file) readValue(p protocol, t *model.Type, to, old string, offset int, sure bool, at place) {
	rt := f.runtime()
	i := plus("i", offset)
	old = cmp.Or(old, "nil")
	switch t.Kind {
	case model.String:
		f.call(fmt.Sprintf("d.%sString(%s, &%s)", p, i, to), at)
		return
	case model.Binary:
		f.call(fmt.Sprintf("d.%sBytes(%s, &%s, %s)", p, i, to, old), at)
		return
	case model.List, model.Set:
		if name, generic := bulk(t.Elem); generic {
			f.call(fmt.Sprintf("%s.%s%s(d, %s, &%s, %s)", rt, p, name, i, to, old), at)
		} else if name != "" {
			f.call(fmt.Sprintf("d.%s%s(%s, &%s, %s)", p, name, i, to, old), at)
		} else {
			f.call(fmt.Sprintf("%s(d, %s, &%s, %s)", f.listReader(p, t), i, to, old), at)
		}
		return
	case model.Map:
		if isStringMap(t) {
			f.call(fmt.Sprintf("d.%sStringMap(%s, &%s, %s)", p, i, to, old), at)
		} else {
			f.call(fmt.Sprintf("%s(d, %s, &%s, %s)", f.mapReader(p, t), i, to, old), at)
		}
		return
	case model.StructKind:
		if t.InPlace {
			f.readInPlace(p, to, old, at)
			return
		}
		f.call(fmt.Sprintf("%s(d, %s, &%s, %s)", f.structReader(p, t), i, to, old), at)
		return
	}
	if p == binary {
		w := wireOf(t)
		if !sure {
			f.ifShort(offset+w.size, at)
		}
		f.P(to, " = ", f.load(t, strings.Replace(i, "+", " + ", 1)))
		if n := offset + w.size; n == 1 {
			f.P("i++")
		} else {
			f.P("i += ", n)
		}
		return
	}
	if t.Kind == model.Bool && at.field != "" {
		f.P(to, " = key&15 == 1")
		return
	}
	place := "&" + to
	if t.Kind == model.EnumKind {
		place = "(*int32)(" + place + ")"
	}
	f.call(fmt.Sprintf("d.Compact%s(i, %s)", wireOf(t).name[len("Type"):], place), at)
}

// readInPlace generates the reading of a struct into an element of a map or of a list of pairs;
// old is "nil" if it is new.
func (f *file) readInPlace(p protocol, to, old string, at place) {
	fresh := "true"
	if old != "nil" {
		fresh = "old == nil"
	}
	f.P("if !d.Enter() {")
	f.fails(at)
	f.P("}")
	f.P("d.Into(", fresh, ")")
	f.call(to+".ThriftDecode"+string(p)+"(d, i)", at)
	f.P("d.Leave()")
}

// structReader is the name of the function that reads a struct and sets
// a pointer to it.
func (f *file) structReader(p protocol, t *model.Type) string {
	return f.container("Read", p, t, func(name string) {
		rt, structName := f.runtime(), f.structName(t.Struct)
		f.Apart("func ", name, "(d *", rt, ".Decoder, i int, to **", structName, ", old *", structName, ") int {")
		f.readStruct(p, structName)
		f.P("return i")
		f.P("}")
	})
}

// readStruct generates the reading of a struct at i into old, or a new one.
func (f *file) readStruct(p protocol, structName string) {
	f.P("fresh := old == nil")
	f.P("if fresh {")
	f.Block("if old = "+f.runtime()+".Alloc["+structName+"](d); old == nil", "return ^i")
	f.P("}")
	f.P("*to = old")
	f.Block("if !d.Enter()", "return ^i")
	f.P("d.Into(fresh)")
	f.P("i = old.ThriftDecode", p, "(d, i)")
	f.P("d.Leave()")
}

// listReader is the name of the function that reads a list or set.
func (f *file) listReader(p protocol, t *model.Type) string {
	return f.container("Read", p, t, func(name string) {
		rt, used := f.runtime(), false
		at := place{index: "k", label: &used}
		isStruct := t.Elem.Kind == model.StructKind
		fresh := "old == nil"
		f.Apart("func ", name, "(d *", rt, ".Decoder, i int, to *", f.plainType(t), ", old ", f.plainType(t), ") int {")
		f.P("n, i := d.", p, "List(i, ", f.wireName(t.Elem), ")")
		f.Block("if i < 0", "return i")
		room, more := "Slots", "MoreSlots"
		if isStruct && !t.Elem.InPlace {
			room, more = "Structs", "MoreStructs"
			if withoutPointers(t.Elem.Struct) && !f.opt.Unknown && !f.masked(t.Elem.Struct) {
				room, fresh = "NumberStructs", "false"
			}
		}
		f.P("v := ", rt, ".", room, "(d, old, n)")
		if isStruct {
			f.Block("if !d.Enter() && n > 0", "return ^i")
		}
		if inner := t.Elem; p == binary && (inner.Kind == model.List || inner.Kind == model.Set) && f.numbersOf(inner) > 1 {
			f.P("d.BinaryRoom(i, n, len(old), ", f.numbersOf(inner), ")")
		}
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
			f.readAllNumbers(p, t.Elem, "v[k]")
			f.P("d.Into(", fresh, ")")
			f.call("v[k].ThriftDecode"+string(p)+"(d, i)", at)
		} else {
			f.readValue(p, t.Elem, "v[k]", "v[k]", 0, true, at)
		}
		f.P("}")
		if isStruct {
			f.P("d.Leave()")
		}
		f.P("*to = v")
		f.P("return i")
		f.failed(at)
		f.P("}")
	})
}

// numbersOf is the size of the elements of a list of numbers that are read at once, or 0.
func (f *file) numbersOf(t *model.Type) int {
	if name, _ := bulk(t.Elem); name == "" {
		return 0
	}
	return wireOf(t.Elem).size
}

// mapReader is the name of the function that reads a map, or the list of
// pairs that stands for one.
func (f *file) mapReader(p protocol, t *model.Type) string {
	return f.container("Read", p, t, func(name string) {
		rt, used := f.runtime(), false
		key, value := place{part: ".key", label: &used}, place{part: ".value", label: &used}
		isMap := comparableKey(t.Key)
		f.Apart("func ", name, "(d *", rt, ".Decoder, i int, to *", f.plainType(t), ", old ", f.plainType(t), ") int {")
		f.P("n, i := d.", p, "Map(i, ", f.wireName(t.Key), ", ", f.wireName(t.Elem), ")")
		f.Block("if i < 0", "return i")
		f.steps()
		if isMap {
			room := "AffordMap"
			if p == binary && wireOf(t.Key).size > 0 && wireOf(t.Elem).size > 0 {
				room = "ProvenMap" // from the head it is known that the input has all pairs
			}
			f.P("room := d.", room, "(n, ", f.goSize(t.Key)+f.goSize(t.Elem), ")")
			f.Block("if d.Exhausted()", "return ^i")
			f.P("v := old")
			f.P("if v == nil {")
			f.P("v = make(", f.plainType(t), ", room)")
			f.P("} else {")
			f.P("clear(v)")
			f.P("}")
			f.P("*to = v")
			f.P("for range n {")
		} else {
			f.P("v := ", rt, ".Slots(d, old, n)")
			f.P("for k := 0; k < n; k++ {")
			f.P("if k == len(v) {")
			f.Block("if v = "+rt+".MoreSlots(d, v, n); v == nil", "return ^i")
			f.P("}")
		}
		keySize, valueSize := wireOf(t.Key).size, wireOf(t.Elem).size
		switch {
		case !isMap:
			f.readValue(p, t.Key, "v[k].Key", "v[k].Key", 0, false, key)
			f.readValue(p, t.Elem, "v[k].Value", "v[k].Value", 0, false, value)
		case p == binary && keySize > 0 && valueSize > 0:
			// From the head it is known that there is room for all pairs.
			f.P("v[", f.load(t.Key, "i"), "] = ", f.load(t.Elem, fmt.Sprintf("i + %d", keySize)))
			f.P("i += ", keySize+valueSize)
		default:
			f.P("var key ", f.keyType(t.Key))
			if t.Key.Kind == model.Binary {
				f.call("d."+string(p)+"Key(i, &key)", key)
			} else {
				f.readValue(p, t.Key, "key", "", 0, false, key)
			}
			f.P("var value ", f.goType(t.Elem))
			f.readValue(p, t.Elem, "value", "", 0, false, value)
			f.P("v[key] = value")
		}
		f.P("}")
		if !isMap {
			f.P("*to = v")
		}
		f.P("return i")
		f.failed(key)
		f.P("}")
	})
}

// withoutPointers reports whether a struct holds numbers and nothing else.
func withoutPointers(s *model.Struct) bool {
	return len(s.Fields) > 0 && !slices.ContainsFunc(s.Fields, func(x *model.Field) bool { return wireOf(x.Type).size == 0 || pointerField(x) })
}
