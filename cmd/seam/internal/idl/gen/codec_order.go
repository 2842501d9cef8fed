package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// mostInOrder is how many fields a decoder in a straight line asks for. A message that has them
// in another order, as a stranger's may, has them all asked for again for each field.
const mostInOrder = 32

// inStraightLine reports whether a struct's decoder asks for one field after the other, in
// order, and not by a switch. It is half the code, and faster where most of the fields are
// there. A union has one field, and where many may be absent a switch finds the next sooner.
func (f *file) inStraightLine(s *model.Struct) bool {
	if f.opt.ErrorLayout != LayoutBare || f.opt.Unknown || isUnion(s) || len(s.Fields) == 0 || len(s.Fields) > mostInOrder {
		return false
	}
	absent := 0
	for _, x := range s.Fields {
		if x.ID <= 0 {
			return false // in the compact protocol the key of a negative number isn't the sum of distances
		}
		if mayBeAbsent(x) {
			absent++
		}
	}
	return absent <= 4 || 2*absent <= len(s.Fields)
}

// readInOrder writes the body of a decoder in a straight line, after what is saved and set.
// take writes a statement that follows if a field was read, or gives "".
func (f *file) readInOrder(s *model.Struct, p protocol, old func(*model.Field) string, took func(*model.Field) []string, checked bool) {
	last := 0
	for _, x := range s.Fields {
		last = max(last, int(x.ID))
	}
	f.P("for start := i; ; start = i {")
	runs := numberRuns(s)
	if p == compact {
		runs = singly(s)
	}
	sized := func(r run) bool { return wireOf(r[0].Type).size > 0 }
	end := func() {
		f.P("if d.", p, "End(i) {")
		if checked {
			f.P("i++")
			f.P("break")
		} else {
			f.P("return i + 1")
		}
		f.P("}")
	}
	// Where sizes that are fixed come first, the struct ends behind the last of the others.
	// What is left of runs there is unsized; -1 is that it ends there anyway.
	mixed, unsized := false, -1
	if p == binary && slices.ContainsFunc(runs, sized) {
		for k, r := range runs {
			if !sized(r) {
				mixed, unsized = true, len(runs)-k-1
			}
		}
		if unsized == 0 {
			unsized = -1
		}
	}
	for len(runs) > 0 {
		r := runs[0]
		if n := slices.IndexFunc(runs, sized); p == binary && !sized(r) && n != 1 && slices.ContainsFunc(s.Fields, func(x *model.Field) bool { return sized(run{x}) }) {
			// Where sizes that are fixed come first, none of these is next.
			if n < 0 {
				n = len(runs)
			}
			if n > 1 {
				f.P(fmt.Sprintf("if d.BinaryWithin(i, %d, %d) {", r[0].ID, runs[n-1][0].ID))
				for _, r := range runs[:n] {
					f.askFor(s, p, r[0], old, took)
				}
				runs = runs[n:]
				if len(runs) == unsized {
					end()
				}
				f.P("}")
				continue
			}
		}
		runs = runs[1:]
		if len(r) == 1 {
			f.askFor(s, p, r[0], old, took)
			if len(runs) == unsized {
				end()
			}
			continue
		}
		f.readNumbers(s, r, func(x *model.Field) {
			for _, line := range took(x) {
				f.P(line)
			}
		})
		f.P(fmt.Sprintf("} else if d.BinaryWithin(i, %d, %d) {", r[0].ID, r[len(r)-1].ID))
		for _, x := range r {
			f.askFor(s, p, x, old, took)
		}
		f.P("}")
	}
	leave := "return i"
	if checked {
		leave = "break"
	}
	end()
	if mixed {
		f.Block(fmt.Sprintf("if i != start && d.BinaryWithin(i, 1, %d)", last), "continue")
	}
	f.P("var again bool")
	f.Block("if i, again = d."+string(p)+"Rest(i, start, "+fmt.Sprint(last)+"); !again", leave)
	f.P("}")
}

// askFor generates the reading of a field if it comes next.
func (f *file) askFor(s *model.Struct, p protocol, x *model.Field, old func(*model.Field) string, took func(*model.Field) []string) {
	to := "p." + f.fieldName(s, x)
	head := compactly(binaryHead(x))
	if p == compact {
		head = fmt.Sprintf("%s|%d", compactly(shifted(x.ID)), wireOf(x.Type).compact)
	}
	then := took(x)
	if call := f.fieldCall(p, x, head, to, func() string { return old(x) }); call != "" {
		if len(then) == 0 {
			f.P("i = ", call)
			return
		}
		f.P("if n := ", call, "; n != i {")
		f.P("i = n")
	} else {
		at := place{field: x.Name}
		was := ""
		if reusable(x) {
			was = old(x)
		}
		if p == binary {
			if size := wireOf(x.Type).size; size > 0 {
				f.P("if d.BinaryAt(i, ", head, ") && d.Has(i, ", headSize+size, ") {")
			} else {
				f.P("if d.BinaryAt(i, ", head, ") {")
			}
			f.readField(p, x, to, was, at)
		} else {
			f.P("if n, ok := d.CompactAt(i, ", head, "); ok {")
			f.P("i = n")
			f.readField(p, x, to, was, at)
			if f.reachesStruct(x.Type) {
				f.P(fmt.Sprintf("d.Behind(%s | %d)", shifted(x.ID), wireOf(x.Type).compact)) // as gofmt has one argument
			}
		}
	}
	for _, line := range then {
		f.P(line)
	}
	f.P("}")
}

// fieldCall is the call that reads a field if it comes next, or "" if there is none for all of
// that.
func (f *file) fieldCall(p protocol, x *model.Field, head, to string, old func() string) string {
	place := "&" + to
	if pointerField(x) {
		if p == compact && x.Type.Kind == model.Bool {
			return fmt.Sprintf("d.CompactBoolPtrField(i, %s, %s)", compactly(shifted(x.ID)), place)
		}
		return ""
	}
	switch x.Type.Kind {
	case model.Binary, model.List, model.Set, model.Map:
		return ""
	case model.StructKind:
		if x.Type.InPlace {
			return ""
		}
		return fmt.Sprintf("%s(d, i, %s, %s, %s)", f.structFieldReader(p, x.Type), head, place, old())
	case model.EnumKind:
		place = "(*int32)(" + place + ")"
	case model.Bool:
		if p == compact {
			head = compactly(shifted(x.ID))
		}
	}
	return fmt.Sprintf("d.%s%sField(i, %s, %s)", p, strings.TrimPrefix(wireOf(x.Type).name, "Type"), head, place)
}

// structFieldReader is the name of the function that reads a field that is a struct, if it comes
// next.
func (f *file) structFieldReader(p protocol, t *model.Type) string {
	return f.container("ReadField", p, t, func(name string) {
		rt, structName := f.runtime(), f.structName(t.Struct)
		if p == binary {
			f.Apart("func ", name, "(d *", rt, ".Decoder, i int, head uint32, to **", structName, ", old *", structName, ") int {")
			f.Block("if !d.BinaryAt(i, head)", "return i")
			f.P("i += ", headSize)
		} else {
			f.Apart("func ", name, "(d *", rt, ".Decoder, i, key int, to **", structName, ", old *", structName, ") int {")
			f.P("n, ok := d.CompactAt(i, key)")
			f.Block("if !ok", "return i")
			f.P("i = n")
		}
		f.readStruct(p, structName)
		if p == compact {
			f.P("d.Behind(key)")
		}
		f.P("return i")
		f.P("}")
	})
}

// reachesStruct reports whether there are structs in a value of type t.
func (f *file) reachesStruct(t *model.Type) bool {
	switch t.Kind {
	case model.List, model.Set:
		return f.reachesStruct(t.Elem)
	case model.Map:
		return f.reachesStruct(t.Key) || f.reachesStruct(t.Elem)
	}
	return t.Kind == model.StructKind
}
