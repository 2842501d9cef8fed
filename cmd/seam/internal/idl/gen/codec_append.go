package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// appendMethod writes AppendBinary or AppendCompact, and the method that
// does the work: it returns nil if the struct can't be written.
func (f *file) appendMethod(s *model.Struct, p protocol) {
	name, rt := f.structName(s), f.runtime()
	f.Apart("// Append", p, " appends the struct to b in the ", lowerFirst(string(p)), " protocol.")
	f.short("func (p *"+name+") Append"+string(p)+"(b []byte) ([]byte, error) {", "return "+rt+".Append"+string(p)+"(p, b)")
	deep := f.recursive(s)
	w := &writer{file: f, p: p, none: "nil"}
	if deep {
		w.depth = "depth+1"
	}
	w.dynamic = p == compact && w.needsBefore(inOrder(s))
	var parts []string
	if f.inParts(s) {
		parts = w.appendParts(s)
	}
	f.Apart("// ThriftAppend", p, " is Append", p, " for generated code: nil means an error.")
	if deep {
		f.short("func (p *"+name+") ThriftAppend"+string(p)+"(b []byte) []byte {", "return p.append"+string(p)+"(b, 0)")
		f.P()
		f.P("func (p *", name, ") append", p, "(b []byte, depth int) []byte {")
		f.Block("if p == nil || depth >= "+rt+".MaxDepth", "return nil")
	} else {
		f.P("func (p *", name, ") ThriftAppend", p, "(b []byte) []byte {")
		f.Block("if p == nil", "return nil")
	}
	f.appendMasked(s, p, deep)
	if isUnion(s) {
		if f.opt.Unknown { // which may be the one that is set
			f.P("set := min(len(p.UnknownFields), 1)")
			for _, x := range s.Fields {
				f.Block("if p."+f.fieldName(s, x)+" != nil", "set++")
			}
			f.P("if set != 1 {")
		} else {
			f.P("if _, ok := p.Which(); !ok {")
		}
		f.P("return nil")
		f.P("}")
	}
	if w.dynamic {
		f.P("before := 0")
	}
	if parts != nil {
		w.none = "nil"
		if slices.Contains(parts, "return nil") {
			f.Block("if b == nil", "b = []byte{} // nil is that a part has failed")
		}
		for _, line := range parts {
			f.P(line)
		}
	} else {
		w.stringRuns(s, stringRuns(s))
	}
	if f.opt.Unknown {
		w.flush()
		switch {
		case p == binary:
			f.P("b = append(b, p.UnknownFields...)")
		case w.unknown:
			f.P("b = p.UnknownFields.Compact(b, before)")
		default:
			f.P("b = p.UnknownFields.Compact(b, ", w.before, ")")
		}
	}
	if w.size == 0 {
		f.P("return append(b, 0)")
	} else {
		w.constants(0)
		w.flush()
		f.P("return b")
	}
	f.P("}")
}

// A writer collects bytes whose number is known in advance, so that the
// buffer grows for all of them at once and offsets into it are constant.
type writer struct {
	*file
	p       protocol
	size    int
	items   []item
	runs    int  // of this function
	before  int  // the number of the field before, where that is known
	unknown bool // it isn't: the field before may have been absent
	dynamic bool // it is in a variable somewhere in this function

	depth string // of the structs within what is written, if this function counts it
	none  string // what this function returns if something can't be written
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

// flush writes the run collected so far.
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
		w.size, w.items = 0, w.items[:0]
		return
	}
	w.runs++
	q := fmt.Sprintf("q%d", w.runs)
	w.P("b = ", w.runtime(), ".Extend(b, ", w.size, ")")
	w.P(q, " := (*[", w.size, "]byte)(b[len(b)-", w.size, ":])")
	w.stores(q)
}

// stores writes the statements that store the collected run in the array q.
func (w *writer) stores(q string) {
	for _, it := range w.items {
		if it.put != nil {
			if it.size == 1 {
				w.P(it.put(fmt.Sprintf("%s[%d]", q, it.at)))
			} else {
				w.P(it.put(fmt.Sprintf("%s[%d:]", q, it.at)))
			}
			continue
		}
		if c := it.constants; w.p == binary && len(c) == headSize && it.at+headSize < w.size {
			head := fmt.Sprintf("%d<<16|%d", c[0], int(c[1])<<8|int(c[2]))
			w.P(w.runtime(), ".PutHead(", fmt.Sprintf("%s[%d:], ", q, it.at), strings.TrimSuffix(head, "|0"), ")") // which staticcheck dislikes
			continue
		}
		var left, right []string
		for k, c := range it.constants {
			left = append(left, fmt.Sprintf("%s[%d]", q, it.at+k))
			right = append(right, fmt.Sprint(c))
		}
		w.P(strings.Join(left, ", "), " = ", strings.Join(right, ", "))
	}
	w.size, w.items = 0, w.items[:0]
}

// needsBefore reports whether the distance between some fields is only known
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

// mayBeAbsent reports whether a field is left out when it is nil, or has its default.
func mayBeAbsent(x *model.Field) bool {
	return x.Req == model.Optional || x.Req == model.DefaultReq && x.Type.Kind == model.StructKind
}

// present is the condition under which a field that may be absent is there.
func (f *file) present(x *model.Field, from string) string {
	switch {
	case x.ByValue && x.Type.Kind == model.UUID:
		return from + " != (" + f.value(x.Type, x.Default) + ")"
	case x.ByValue && plain(x.Type):
		return from + " != " + f.value(x.Type, x.Default)
	case x.ByValue && x.Type.Kind == model.Binary:
		return "string(" + from + ") != " + strconv.Quote(x.Default.String)
	}
	return from + " != nil"
}

// field generates the writing of a field.
func (w *writer) field(s *model.Struct, x *model.Field) {
	from := "p." + w.fieldName(s, x)
	absent := mayBeAbsent(x)
	if absent {
		w.flush()
		if w.dynamic && !w.unknown && w.before != 0 {
			w.P("before = ", w.before)
		}
		w.P("if ", w.present(x, from), " {")
		if pointerField(x) {
			from = "*" + from
		}
	}
	head := w.head(x, from)
	if w.p == binary || x.Type.Kind != model.Bool {
		w.value(x.Type, from, head)
	}
	if absent {
		w.flush()
		if w.dynamic {
			w.P("before = ", int(x.ID))
		}
		w.P("}")
	}
	w.unknown = absent
	w.before = int(x.ID)
}

// stringRuns generates the writing of fields.
func (w *writer) stringRuns(s *model.Struct, all []run) {
	for _, r := range all {
		if len(r) > 1 {
			w.stringRun(s, r)
		} else {
			w.field(s, r[0])
		}
	}
}

// stringRun generates the writing of a run of strings.
func (w *writer) stringRun(s *model.Struct, r run) {
	from := "p." + w.fieldName(s, r[0])
	head := w.head(r[0], from)
	w.flush()
	w.P("b = ", w.runtime(), ".Append", w.p, "StringRun(b, ", head, ", &", from, ", ", len(r), ")")
	w.unknown = false
	w.before = int(r[len(r)-1].ID)
}

// A fieldHead is the head of a field whose value is written by a call that
// writes the head as well: the expression for it, and its bytes. The zero
// fieldHead is no head, or one that has been written.
type fieldHead struct {
	text  string
	bytes []byte
}

func (h fieldHead) String() string {
	if h.text == "" {
		return "0"
	}
	return h.text
}

// head is the head of a field, or none where it was written here. In the
// compact protocol a head has the value of a bool, too.
func (w *writer) head(x *model.Field, from string) fieldHead {
	t := wireOf(x.Type)
	if w.p == binary {
		id := uint16(x.ID)
		bytes := []byte{t.binary, byte(id >> 8), byte(id)}
		switch {
		case t.size > 0:
			w.constants(bytes...)
			return fieldHead{}
		case id == 0:
			return fieldHead{fmt.Sprintf("%d<<16", t.binary), bytes} // staticcheck dislikes |0
		}
		return fieldHead{fmt.Sprintf("%d<<16|%d", t.binary, id), bytes}
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
		return fieldHead{}
	case d > 0 && d < 16 && x.Type.Kind == model.Bool:
		w.put(1, func(dst string) string { return fmt.Sprintf("%s = %d - %s.Byte(%s)", dst, d<<4|2, rt, from) })
		return fieldHead{}
	case d > 0 && d < 16 && x.Type.Kind == model.I8:
		w.constants(byte(d)<<4 | t.compact)
		return fieldHead{}
	case d > 0 && d < 16:
		return fieldHead{fmt.Sprintf("%d<<4|%d", d, t.compact), []byte{byte(d)<<4 | t.compact}}
	}
	w.flush()
	w.P("b = ", rt, ".AppendCompactField(b, ", w.before, ", ", int(x.ID), ", ", kind, ")")
	return fieldHead{}
}

// value generates the writing of a value after its head.
func (w *writer) value(t *model.Type, from string, head fieldHead) {
	rt := w.runtime()
	switch t.Kind {
	case model.StructKind:
		w.constantHead(head)
		w.flush()
		method := from + ".ThriftAppend" + string(w.p) + "(b)"
		if w.depth != "" && w.counted(t) {
			method = from + ".append" + string(w.p) + "(b, " + w.depth + ")"
		}
		w.Block("if b = "+method+"; b == nil", "return "+w.none)
		return
	case model.List, model.Set:
		w.flush()
		if name, _ := bulk(t.Elem); name != "" {
			w.P("b = ", rt, ".Append", w.p, name, "(b, ", head, ", ", from, ")")
			return
		}
		w.call(w.listWriter(w.p, t), t, head, from)
		return
	case model.Map:
		w.flush()
		if isStringMap(t) {
			w.P("b = ", rt, ".Append", w.p, "StringMap(b, ", head, ", ", from, ")")
			return
		}
		w.call(w.mapWriter(w.p, t), t, head, from)
		return
	case model.String, model.Binary:
		w.flush()
		name := "String"
		if t.Kind == model.Binary {
			name = "Bytes"
		}
		if w.p == binary && name == "String" && head.bytes == nil {
			w.P("b = ", rt, ".AppendBinaryElement(b, ", from, ")")
			return
		}
		w.P("b = ", rt, ".Append", w.p, name, "(b, ", head, ", ", from, ")")
		return
	}
	if w.p == binary {
		w.binaryNumber(t, from)
		return
	}
	w.compactNumber(t, head, from)
}

// constantHead writes a head before a value whose call does not take one.
func (w *writer) constantHead(head fieldHead) {
	switch {
	case head.bytes == nil:
	case w.p == compact && w.size == 0:
		w.P("b = append(b, ", head, ")")
	default:
		w.constants(head.bytes...)
	}
}

func (w *writer) call(name string, t *model.Type, head fieldHead, from string) {
	depth := ""
	if w.counted(t) {
		depth = ", " + cmp.Or(w.depth, "0")
	}
	if !canFail(t) {
		w.P("b = ", name, "(b, ", head, ", ", from, ")")
		return
	}
	w.Block("if b = "+name+"(b, "+head.String()+", "+from+depth+"); b == nil", "return "+w.none)
}

func (w *writer) binaryNumber(t *model.Type, from string) {
	rt := w.runtime()
	number := func(size int, put, value string) {
		w.put(size, func(dst string) string { return rt + "." + put + "(" + dst + ", " + value + ")" })
	}
	switch t.Kind {
	case model.Bool:
		w.put(1, func(dst string) string { return dst + " = " + rt + ".Byte(" + from + ")" })
	case model.I8:
		w.put(1, func(dst string) string { return dst + " = byte(" + from + ")" })
	case model.I16:
		number(2, "Put16", from)
	case model.I32:
		number(4, "Put32", from)
	case model.EnumKind:
		number(4, "Put32", "int32("+from+")")
	case model.I64:
		number(8, "Put64", from)
	case model.Double:
		number(8, "PutDouble", from)
	case model.UUID:
		if strings.HasPrefix(from, "*") {
			from = "(" + from + ")"
		}
		w.put(16, func(dst string) string { return "copy(" + dst + ", " + from + "[:])" })
	}
}

func (w *writer) compactNumber(t *model.Type, head fieldHead, from string) {
	rt := w.runtime()
	if t.Kind == model.I8 {
		w.put(1, func(dst string) string { return dst + " = byte(" + from + ")" })
		return
	}
	w.flush()
	switch t.Kind {
	case model.Bool:
		w.P("b = ", rt, ".AppendCompactBool(b, ", from, ")")
	case model.I16, model.EnumKind:
		w.P("b = ", rt, ".AppendCompactI32(b, ", head, ", int32(", from, "))")
	case model.I32:
		w.P("b = ", rt, ".AppendCompactI32(b, ", head, ", ", from, ")")
	case model.I64:
		w.P("b = ", rt, ".AppendCompactI64(b, ", head, ", ", from, ")")
	case model.Double:
		w.P("b = ", rt, ".AppendCompactDouble(b, ", head, ", ", from, ")")
	case model.UUID:
		w.P("b = ", rt, ".AppendCompactUUID(b, ", head, ", ", strings.TrimPrefix("&"+from, "&*"), ")")
	}
}

// listWriter is the name of the function that writes a list or set.
func (f *file) listWriter(p protocol, t *model.Type) string {
	return f.container("Append", p, t, func(name string) {
		w := f.beginContainer(name, p, t)
		f.P("b = ", f.runtime(), ".Append", p, "List(b, head, ", f.wireName(t.Elem), ", len(v))")
		if t.Elem.InPlace {
			f.P("for k := range v {")
			w.value(t.Elem, "v[k]", fieldHead{})
		} else {
			f.P("for _, e := range v {")
			w.value(t.Elem, "e", fieldHead{})
		}
		w.flush()
		f.P("}")
		f.P("return b")
		f.P("}")
	})
}

// mapWriter is the name of the function that writes a map.
func (f *file) mapWriter(p protocol, t *model.Type) string {
	return f.container("Append", p, t, func(name string) {
		w := f.beginContainer(name, p, t)
		f.P("b = ", f.runtime(), ".Append", p, "Map(b, head, ", f.wireName(t.Key), ", ", f.wireName(t.Elem), ", len(v))")
		keySize, valueSize := wireOf(t.Key).size, wireOf(t.Elem).size
		switch {
		case p == binary && comparableKey(t.Key) && keySize > 0 && valueSize > 0:
			// All pairs have the same length: the buffer grows once for all of them.
			size := keySize + valueSize
			f.P("n := len(b)")
			f.P("b = ", f.runtime(), ".Extend(b, ", size, "*len(v))")
			f.P("for k, e := range v {")
			f.Block("if n == len(b)", "break // somebody adds pairs meanwhile")
			f.P("q := (*[", size, "]byte)(", f.runtime(), ".At(b, n))")
			w.value(t.Key, "k", fieldHead{})
			w.value(t.Elem, "e", fieldHead{})
			w.stores("q")
			f.P("n += ", size)
			f.P("}")
		case comparableKey(t.Key):
			f.P("for k, e := range v {")
			key := t.Key
			if key.Kind == model.Binary {
				key = &model.Type{Kind: model.String} // as Go has it
			}
			w.value(key, "k", fieldHead{})
			w.value(t.Elem, "e", fieldHead{})
			w.flush()
			f.P("}")
		default:
			f.P("for n := range v {")
			f.P("k, e := v[n].Key, v[n].Value")
			w.value(t.Key, "k", fieldHead{})
			w.value(t.Elem, "e", fieldHead{})
			w.flush()
			f.P("}")
		}
		f.P("return b")
		f.P("}")
	})
}

func (f *file) beginContainer(name string, p protocol, t *model.Type) *writer {
	head := "uint32"
	if p == compact {
		head = "byte"
	}
	w, depth := &writer{file: f, p: p, none: "nil"}, ""
	if f.counted(t) {
		w.depth, depth = "depth", ", depth int"
	}
	f.Apart("func ", name, "(b []byte, head ", head, ", v ", f.plainType(t), depth, ") []byte {")
	return w
}
