package gen

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// A fieldSwitch generates the switch of a decoder that finds the field which comes next.
type fieldSwitch struct {
	*file
	s    *model.Struct
	p    protocol
	old  func(x *model.Field) string
	seen bits
	bit  map[*model.Field]int
	at   place
	part bool // it is in a function of its own
}

func (f *fieldSwitch) runs() []run {
	if f.p == compact { // numbers have all lengths
		return singly(f.s)
	}
	return numberRuns(f.s)
}

// again is the statement that goes on with the next field.
func (f *fieldSwitch) again() string {
	switch {
	case !f.part:
		return "continue"
	case f.p == compact:
		return "return i, key"
	}
	return "return i"
}

// cases writes the switch for some of the runs: for the fields of other runs it is as for unknown ones.
func (f *fieldSwitch) cases(runs []run) {
	if f.p == binary {
		f.P("switch h {")
	} else {
		f.P("switch key {")
	}
	for n, r := range runs {
		f.beginCase(r[0], r.names())
		last := n+1 == len(runs)
		if len(r) > 1 {
			f.readNumbers(f.s, r, f.done)
			f.P("} else {")
			f.alone(r[0])
			if !last {
				f.P(f.again())
			}
			f.P("}")
		} else {
			f.alone(r[0])
		}
		if !isUnion(f.s) && !last {
			f.predict(r[len(r)-1], runs[n+1][0])
		}
	}
	// The fields of a run that come without it.
	for _, r := range runs {
		for _, x := range r[1:] {
			f.beginCase(x, x.Name)
			f.alone(x)
		}
	}
	f.P("default:")
	f.unknown()
	f.P("}")
}

// alone generates the reading of one field.
func (f *fieldSwitch) alone(x *model.Field) {
	at := f.at
	at.field = x.Name
	f.readField(f.p, x, "p."+f.fieldName(f.s, x), f.old(x), at)
	if usedOnce(x) {
		f.P(f.old(x), " = nil")
	}
	f.done(x)
}

func (f *fieldSwitch) done(x *model.Field) {
	if k, ok := f.bit[x]; ok {
		f.P(f.seen.mark(k))
	}
}

// unknown generates what happens to a field that isn't known.
func (f *fieldSwitch) unknown() {
	skip, keep := "d.SkipBinaryField(i, h)", "append(p.UnknownFields, d.Input(start, i)...)"
	if f.p == compact {
		skip, keep = "d.SkipCompactField(i, key)", "p.UnknownFields.AppendCompact(key, d.Input(start, i))"
	}
	if f.opt.Unknown {
		f.P("start := i")
	}
	f.P("i = ", skip)
	if f.opt.Unknown {
		f.P("if i >= 0 {")
		if f.p == compact {
			f.P("d.Charge(8 * (i - start)) // what a number may become; looked at in the end")
		}
		f.P("p.UnknownFields = ", keep)
		f.P("}")
	}
	if isUnion(f.s) {
		f.P(f.seen.mark(f.seen.n - 1))
	}
}

// beginCase writes the head of the case for a field of the switch.
func (f *fieldSwitch) beginCase(x *model.Field, comment string) {
	switch {
	case f.p == binary:
		f.P("case ", binaryHead(x), ":", " // ", comment)
	case x.Type.Kind == model.Bool:
		f.P(fmt.Sprintf("case %s | 1, %s | 2:", shifted(x.ID), shifted(x.ID)), " // ", comment)
	default:
		f.P(fmt.Sprintf("case %s | %d:", shifted(x.ID), wireOf(x.Type).compact), " // ", comment)
	}
	f.depth++ // the comment hides the colon
}

// predict writes what goes on with the next field at once if its head comes next: writers
// write fields in order, and a comparison costs less than the loop's switch. Else the loop
// finds out what it is.
func (f *fieldSwitch) predict(x, next *model.Field) {
	if f.p == binary {
		f.Block("if !d.BinaryNext(i, "+compactly(binaryHead(next))+")", f.again()) // as gofmt has it
		f.P("fallthrough")
		return
	}
	delta := int(next.ID) - int(x.ID)
	if delta > 15 {
		return // the head is a longer one
	}
	head := func(typ int) (short, key string) {
		return fmt.Sprintf("%d<<4|%d", delta, typ), fmt.Sprintf("%s | %d", shifted(next.ID), typ)
	}
	if next.Type.Kind == model.Bool {
		yes, yesKey := head(1)
		no, noKey := head(2)
		f.P("if d.CompactNext(i, ", yes, ") {")
		f.P("key = ", yesKey)
		f.P("} else if d.CompactNext(i, ", no, ") {")
		f.P("key = ", noKey)
		f.P("} else {")
		f.P(f.again())
		f.P("}")
	} else {
		short, key := head(int(wireOf(next.Type).compact))
		f.Block("if !d.CompactNext(i, "+short+")", f.again())
		f.P("key = ", key)
	}
	f.P("i++")
	f.P("fallthrough")
}
