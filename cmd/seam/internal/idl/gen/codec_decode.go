package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// decodeMethod writes DecodeBinary or DecodeCompact.
func (f *file) decodeMethod(s *model.Struct, p protocol) {
	name, rt := f.structName(s), f.runtime()
	f.Apart("// Decode", p, " reads the struct from b, which holds it and nothing else, in the")
	f.P("// ", lowerFirst(string(p)), " protocol. What was in the struct is replaced.")
	if f.opt.Views {
		f.P("// Its strings and bytes are views of b, which must not change while they are in use.")
	}
	call := fmt.Sprintf("%s.Plain%s(p, b)", rt, p)
	if f.opt.Views || f.opt.UTF8 {
		call = fmt.Sprintf("%s.All%s(p, b, %s)", rt, p, f.options(f.opt.Views))
	}
	f.short(fmt.Sprintf("func (p *%s) Decode%s(b []byte) error {", name, p), "return "+call)
}

// options is the expression for the options of this file's decoders.
func (f *file) options(views bool) string {
	var set []string
	if views {
		set = append(set, "Views: true")
	}
	if f.opt.UTF8 {
		set = append(set, "UTF8: true")
	}
	return f.runtime() + ".Options{" + strings.Join(set, ", ") + "}"
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }

// readMethod writes ThriftDecodeBinary or ThriftDecodeCompact: a loop over
// the fields on the wire.
func (f *file) readMethod(s *model.Struct, p protocol) {
	rt, name := f.runtime(), f.structName(s)
	used := false
	at := place{label: &used}
	union := isUnion(s)
	// The bits: of a union's fields, with one for all that are unknown, or of
	// the required ones.
	parted := f.inParts(s)
	seen := bits{array: parted}
	bit := map[*model.Field]int{}
	for _, x := range s.Fields {
		if union || x.Req == model.Required {
			bit[x] = seen.n
			seen.n++
		}
	}
	if union {
		seen.n++
	}
	f.Apart("// ThriftDecode", p, " reads the struct at i and returns the position after it, or a")
	f.P("// negative number. It is for generated code.")
	f.P("func (p *", name, ") ThriftDecode", p, "(d *", rt, ".Decoder, i int) int {")
	f.steps()
	if seen.n > 0 {
		f.P("var seen ", seen.goType())
	}
	old := f.saveOld(s)
	if n := f.defaultsFootprint(s); n > 0 {
		f.Block("if !d.PayDefaults("+strconv.Itoa(n)+")", "return ^i")
	}
	for _, x := range s.Fields {
		if initialised(x) {
			if set := "p." + f.fieldName(s, x) + " = " + f.value(x.Type, x.Default); strings.Contains(set, "\n") {
				f.statement(set)
			} else {
				f.P(set)
			}
		}
	}
	if f.inStraightLine(s) {
		f.readInOrder(s, p, old, func(x *model.Field) (then []string) {
			if usedOnce(x) {
				then = append(then, old(x)+" = nil")
			}
			if k, ok := bit[x]; ok {
				then = append(then, seen.mark(k))
			}
			return then
		}, seen.n > 0)
		f.required(seen)
		f.P("}")
		return
	}
	if f.opt.Unknown {
		f.P("p.UnknownFields = old.UnknownFields[:0]")
	}
	r := &fieldSwitch{file: f, s: s, p: p, old: old, seen: seen, bit: bit, at: at}
	if p == binary {
		f.P("for i >= 0 {")
		f.P("h := d.BinaryField(i)")
		f.P("if h < 1<<16 {")
		f.P("i++")
		f.P("break")
		f.P("}")
	} else {
		f.P("for key := 0; i >= 0; {")
		f.P("key, i = d.CompactField(i, key)")
		f.Block("if key == 0", "break")
	}
	if parted {
		r.choose()
	} else {
		r.cases(r.runs())
	}
	f.P("}")
	if seen.n > 0 {
		f.Block("if i < 0", "return i")
	}
	switch {
	case union && !seen.inArray():
		f.Block("if seen == 0 || seen&(seen-1) != 0", "return ^i")
	case union:
		f.Block("if "+rt+".CountBits(seen[:]) != 1", "return ^i")
	case seen.n > 0:
		f.allSeen(seen)
	}
	f.P("return i")
	f.failed(at)
	f.P("}")
	if parted {
		r.parts()
	}
}

// required writes the end of a decoder in a straight line that has required fields.
func (f *file) required(seen bits) {
	if seen.n == 0 {
		return // it has returned
	}
	f.Block("if i < 0", "return i")
	f.allSeen(seen)
	f.P("return i")
}

func (f *file) allSeen(seen bits) {
	f.P("if seen != ", seen.all(), " { // required ones")
	f.depth++
	f.P("return ^i")
	f.P("}")
}

// usedOnce reports whether what was in a field is used again but for the first of its name in a
// message: clearing a map takes time in proportion to its largest size so far, which a field
// that comes twice must not take twice.
func usedOnce(x *model.Field) bool {
	return reusable(x) && reachesMap(x.Type, map[*model.Struct]bool{})
}

// binaryHead is the head of a field in the binary protocol, as BinaryField gives it.
func binaryHead(x *model.Field) string {
	if x.ID == 0 {
		return fmt.Sprintf("%d << 16", wireOf(x.Type).binary) // staticcheck dislikes | 0
	}
	return fmt.Sprintf("%d<<16 | %d", wireOf(x.Type).binary, uint16(x.ID))
}

// shifted is a field's number in the key of the compact protocol.
func shifted(id int16) string { return fmt.Sprintf("%d<<4", id) }

// saveOld generates what keeps the slices, maps and structs of a struct
// so that they are used again, and clears it; it returns the name
// of each. A few are kept one by one. Many would occupy registers and be
// loaded again after every call in the loop: then the struct is copied
// whole. One that was made for this message is neither copied nor cleared.
func (f *file) saveOld(s *model.Struct) func(x *model.Field) string {
	if len(s.Fields) == 0 && !f.opt.Unknown {
		f.P("d.Fresh()")
		return nil
	}
	if f.inParts(s) {
		f.P("// It reuses what is in old.")
		f.P("var old ", f.structName(s))
		f.P("if !d.Fresh() {")
		f.P("old = *p")
		f.P("*p = ", f.structName(s), "{}")
		f.P("}")
		return func(x *model.Field) string { return "old." + f.fieldName(s, x) }
	}
	few, all := 0, 0 // bytes of code, roughly
	for _, x := range s.Fields {
		size := f.goSize(x.Type)
		if pointerField(x) {
			size = 8
		}
		if reusable(x) {
			few += size / 8 * 13
		}
		all += size * 10 / 16
	}
	if f.inStraightLine(s) {
		all *= 3 // its code is calls, between which all is in memory anyway, and large frames make them longer
	}
	whole := f.opt.Unknown || few > all
	// What is read into a map's place is forgotten, so it is in a variable always.
	kept := func(x *model.Field) bool {
		return reusable(x) && !whole || usedOnce(x)
	}
	name := func(x *model.Field) string {
		if kept(x) {
			return fmt.Sprintf("old%d", uint16(x.ID))
		}
		return "old." + f.fieldName(s, x)
	}
	if slices.ContainsFunc(s.Fields, kept) {
		f.P("// These are used again.")
	}
	for _, x := range s.Fields {
		if kept(x) {
			f.P(name(x), " := p.", f.fieldName(s, x))
		}
	}
	copied := f.opt.Unknown || whole && slices.ContainsFunc(s.Fields, func(x *model.Field) bool { return reusable(x) && !kept(x) })
	if copied {
		f.P("// It reuses what is in old.")
		f.P("old := p")
	}
	f.P("if !d.Fresh() {")
	if copied {
		f.P("used := *p")
		f.P("old = &used")
	}
	f.P("*p = ", f.structName(s), "{}")
	f.P("}")
	return name
}
