package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// appendMethod writes AppendBinary or AppendCompact.
func (f *file) appendMethod(s *model.Struct, p protocol) {
	name, rt := f.structName(s), f.runtime()
	f.P()
	f.P("// Append", p, " appends the struct to b in the ", lowerFirst(string(p)), " protocol.")
	f.P("func (p *", name, ") Append", p, "(b []byte) ([]byte, error) {")
	f.P("if p == nil {")
	f.P("return b, ", rt, ".ErrNil")
	f.P("}")
	if isUnion(s) {
		if f.opt.Unknown {
			f.P("if _, ok := p.Which(); !ok && len(p.UnknownFields) == 0 {")
		} else {
			f.P("if _, ok := p.Which(); !ok {")
		}
		f.P("return b, ", rt, ".ErrUnion")
		f.P("}")
	}
	w := &writer{file: f, p: p, before: 0}
	fields := slices.Clone(s.Fields)
	slices.SortStableFunc(fields, func(a, b *model.Field) int { return cmp.Compare(a.ID, b.ID) })
	long, fallible := false, false
	for _, x := range fields {
		if wireOf(x.Type).size == 0 {
			long = true
		}
		if canFail(x.Type) {
			fallible = true
		}
	}
	if long {
		f.P("start := len(b)")
	}
	if fallible {
		f.P("var err error")
	}
	w.dynamic = p == compact && w.needsBefore(fields)
	if w.dynamic {
		f.P("before := 0")
	}
	for _, x := range fields {
		w.field(s, x)
	}
	if f.opt.Unknown {
		w.flush()
		if p == binary {
			f.P("b = append(b, p.UnknownFields...)")
		} else if w.unknown {
			f.P("b = p.UnknownFields.Compact(b, before)")
		} else {
			f.P("b = p.UnknownFields.Compact(b, ", w.before, ")")
		}
	}
	w.constants(0)
	w.flush()
	if long {
		f.P("if ", rt, ".TooLong(len(b) - start) {")
		f.P("return b, ", rt, ".ErrTooLong")
		f.P("}")
	}
	f.P("return b, nil")
	f.P("}")
}

// A writer collects the bytes whose number is known beforehand, so that they
// need one growth of the buffer and constant offsets into it.
type writer struct {
	*file
	p       protocol
	size    int
	items   []item
	runs    int  // of this function
	before  int  // the number of the field before, where that is known
	unknown bool // it isn't: the field before may have been absent
	dynamic bool // it is in a variable somewhere in this function
}

// An item is a part of a run at an offset: constants, or a statement with
// the offset to be filled in.
type item struct {
	at        int
	constants []byte
	put       func(dst string) string // dst is an expression for the bytes from the offset on
	size      int
}

func (w *writer) constants(c ...byte) {
	w.items = append(w.items, item{at: w.size, constants: c, size: len(c)})
	w.size += len(c)
}

func (w *writer) put(size int, put func(dst string) string) {
	w.items = append(w.items, item{at: w.size, put: put, size: size})
	w.size += size
}

// flush writes the run that was collected.
func (w *writer) flush() {
	if w.size == 0 {
		return
	}
	var all []string
	only := true
	for _, it := range w.items {
		for _, c := range it.constants {
			all = append(all, fmt.Sprint(c))
		}
		only = only && it.put == nil
	}
	if only {
		w.P("b = append(b, ", strings.Join(all, ", "), ")")
	} else {
		w.runs++
		q := fmt.Sprintf("q%d", w.runs)
		w.P("b = ", w.runtime(), ".Extend(b, ", w.size, ")")
		w.P(q, " := (*[", w.size, "]byte)(b[len(b)-", w.size, ":])")
		for _, it := range w.items {
			if it.put != nil {
				if it.size == 1 {
					w.P(it.put(fmt.Sprintf("%s[%d]", q, it.at)))
				} else {
					w.P(it.put(fmt.Sprintf("%s[%d:]", q, it.at)))
				}
				continue
			}
			var left, right []string
			for k, c := range it.constants {
				left = append(left, fmt.Sprintf("%s[%d]", q, it.at+k))
				right = append(right, fmt.Sprint(c))
			}
			w.P(strings.Join(left, ", "), " = ", strings.Join(right, ", "))
		}
	}
	w.size, w.items = 0, w.items[:0]
}

// needsBefore tells whether the distance between some fields is only known
// when they are written.
func (w *writer) needsBefore(fields []*model.Field) bool {
	absent := false
	for _, x := range fields {
		if absent {
			return true
		}
		absent = absent || mayBeAbsent(x)
	}
	return absent && w.opt.Unknown
}

// mayBeAbsent tells whether a field is left out when it is nil.
func mayBeAbsent(x *model.Field) bool {
	return x.Req == model.Optional || x.Req == model.DefaultReq && x.Type.Kind == model.StructKind
}

// field writes the writing of a field.
func (w *writer) field(s *model.Struct, x *model.Field) {
	from := "p." + w.fieldName(s, x)
	absent := mayBeAbsent(x)
	if absent {
		w.flush()
		if w.dynamic && !w.unknown && w.before != 0 {
			w.P("before = ", w.before)
		}
		w.P("if ", from, " != nil {")
		if pointerField(x) {
			from = "*" + from
		}
	}
	fail := func() {
		w.P("return b, ", w.runtime(), `.InField(err, "`, s.Name, `", "`, x.Name, `")`)
	}
	w.head(x, from)
	if w.p == binary || x.Type.Kind != model.Bool {
		w.value(x.Type, from, fail)
	}
	if absent {
		w.flush()
		if w.dynamic {
			w.P("before = ", int(x.ID))
		}
		w.P("}")
		w.unknown = true
	} else {
		w.unknown = false
	}
	w.before = int(x.ID)
}

// head writes the head of a field. In the compact protocol it has the value
// of a bool, too.
func (w *writer) head(x *model.Field, from string) {
	t := wireOf(x.Type)
	if w.p == binary {
		w.constants(t.binary, byte(uint16(x.ID)>>8), byte(x.ID))
		return
	}
	rt := w.runtime()
	kind := fmt.Sprint(t.compact)
	if x.Type.Kind == model.Bool {
		kind = "2-" + rt + ".Byte(" + from + ")"
	}
	d := int(x.ID) - w.before
	switch {
	case w.unknown:
		w.flush()
		w.P("b = ", rt, ".AppendCompactField(b, before, ", int(x.ID), ", ", kind, ")")
	case d > 0 && d < 16 && x.Type.Kind == model.Bool:
		w.put(1, func(dst string) string { return fmt.Sprintf("%s = %d - %s.Byte(%s)", dst, d<<4|2, rt, from) })
	case d > 0 && d < 16:
		w.constants(byte(d)<<4 | t.compact)
	default:
		w.flush()
		w.P("b = ", rt, ".AppendCompactField(b, ", w.before, ", ", int(x.ID), ", ", kind, ")")
	}
}

// value writes the writing of a value. fail writes the statement that leaves
// the function with the error err.
func (w *writer) value(t *model.Type, from string, fail func()) {
	rt := w.runtime()
	switch t.Kind {
	case model.StructKind:
		w.flush()
		w.P("if b, err = ", from, ".Append", w.p, "(b); err != nil {")
		fail()
		w.P("}")
		return
	case model.List, model.Set:
		w.flush()
		if name, _ := bulk(t.Elem); name != "" {
			if name == "Binaries" {
				name = "Strings"
			}
			w.P("b = ", rt, ".Append", w.p, name, "(b, ", from, ")")
			return
		}
		w.call(w.listWriter(w.p, t), t, from, fail)
		return
	case model.Map:
		w.flush()
		w.call(w.mapWriter(w.p, t), t, from, fail)
		return
	}
	if w.p == binary {
		w.binaryValue(t, from)
		return
	}
	w.compactValue(t, from)
}

func (w *writer) call(name string, t *model.Type, from string, fail func()) {
	if !canFail(t) {
		w.P("b = ", name, "(b, ", from, ")")
		return
	}
	w.P("if b, err = ", name, "(b, ", from, "); err != nil {")
	fail()
	w.P("}")
}

func (w *writer) binaryValue(t *model.Type, from string) {
	rt := w.runtime()
	number := func(bits int, value string) {
		use := w.use("encoding/binary")
		w.put(bits/8, func(dst string) string {
			return fmt.Sprintf("%s.BigEndian.PutUint%d(%s, %s)", use, bits, dst, value)
		})
	}
	switch t.Kind {
	case model.Bool:
		w.put(1, func(dst string) string { return dst + " = " + rt + ".Byte(" + from + ")" })
	case model.I8:
		w.put(1, func(dst string) string { return dst + " = byte(" + from + ")" })
	case model.I16:
		number(16, "uint16("+from+")")
	case model.I32, model.EnumKind:
		number(32, "uint32("+from+")")
	case model.I64:
		number(64, "uint64("+from+")")
	case model.Double:
		number(64, w.use("math")+".Float64bits("+from+")")
	case model.UUID:
		if strings.HasPrefix(from, "*") {
			from = "(" + from + ")"
		}
		w.put(16, func(dst string) string { return "copy(" + dst + ", " + from + "[:])" })
	case model.String, model.Binary:
		number(32, "uint32(len("+from+"))")
		w.flush()
		w.P("b = append(b, ", from, "...)")
	}
}

func (w *writer) compactValue(t *model.Type, from string) {
	rt := w.runtime()
	switch t.Kind {
	case model.Bool:
		w.flush()
		w.P("b = ", rt, ".AppendCompactBool(b, ", from, ")")
	case model.I8:
		w.put(1, func(dst string) string { return dst + " = byte(" + from + ")" })
	case model.I16, model.EnumKind:
		w.flush()
		w.P("b = ", rt, ".AppendCompactI32(b, int32(", from, "))")
	case model.I32:
		w.flush()
		w.P("b = ", rt, ".AppendCompactI32(b, ", from, ")")
	case model.I64:
		w.flush()
		w.P("b = ", rt, ".AppendCompactI64(b, ", from, ")")
	case model.Double:
		w.flush()
		w.P("b = ", rt, ".AppendCompactDouble(b, ", from, ")")
	case model.UUID:
		if strings.HasPrefix(from, "*") {
			from = "(" + from + ")"
		}
		w.put(16, func(dst string) string { return "copy(" + dst + ", " + from + "[:])" })
	case model.String, model.Binary:
		w.flush()
		w.P("b = ", rt, ".AppendCompactString(b, ", from, ")")
	}
}

// listWriter is the name of the function that writes a list or set.
func (f *file) listWriter(p protocol, t *model.Type) string {
	return f.container("Append", p, t, func(name string) {
		w := f.beginContainer(name, p, t)
		rt := f.runtime()
		f.P("b = ", rt, ".Append", p, "List(b, ", f.wireName(t.Elem), ", len(v))")
		k := "_"
		if canFail(t) {
			k = "k"
		}
		f.P("for ", k, ", e := range v {")
		w.value(t.Elem, "e", func() { f.P("return b, ", rt, ".AtIndex(err, k)") })
		w.flush()
		f.P("}")
		f.endContainer(t)
	})
}

// mapWriter is the name of the function that writes a map.
func (f *file) mapWriter(p protocol, t *model.Type) string {
	return f.container("Append", p, t, func(name string) {
		w := f.beginContainer(name, p, t)
		rt := f.runtime()
		f.P("b = ", rt, ".Append", p, "Map(b, ", f.wireName(t.Key), ", ", f.wireName(t.Elem), ", len(v))")
		key, value := "k", "e"
		if comparableKey(t.Key) {
			f.P("for k, e := range v {")
		} else {
			f.P("for n := range v {")
			f.P("k, e := v[n].Key, v[n].Value")
		}
		index := key
		if !comparableKey(t.Key) {
			index = "n"
		}
		w.value(t.Key, key, func() { f.P("return b, ", rt, ".AtKey(err, ", index, ")") })
		w.value(t.Elem, value, func() { f.P("return b, ", rt, ".AtKey(err, ", index, ")") })
		w.flush()
		f.P("}")
		f.endContainer(t)
	})
}

func (f *file) beginContainer(name string, p protocol, t *model.Type) *writer {
	f.P()
	if canFail(t) {
		f.P("func ", name, "(b []byte, v ", f.goType(t), ") ([]byte, error) {")
		f.P("var err error")
	} else {
		f.P("func ", name, "(b []byte, v ", f.goType(t), ") []byte {")
	}
	return &writer{file: f, p: p}
}

func (f *file) endContainer(t *model.Type) {
	if canFail(t) {
		f.P("return b, nil")
	} else {
		f.P("return b")
	}
	f.P("}")
}
