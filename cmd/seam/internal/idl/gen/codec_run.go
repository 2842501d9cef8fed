package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// A run is fields that writers write one after the other, always: numbers that are read with one
// look at what is left of the input, or strings that are written by one call. A run of one field
// is nothing special.
type run []*model.Field

// mostNumbers is how many numbers are read at once: their values are in registers together.
const mostNumbers = 6

// numberRuns cuts the fields of a struct, in order of their ids, into runs of numbers and single
// fields.
func numberRuns(s *model.Struct) []run {
	fixed := func(x *model.Field) bool { return wireOf(x.Type).size > 0 && !pointerField(x) }
	return runs(s, func(r run, x *model.Field) bool { return fixed(r[0]) && fixed(x) && len(r) < mostNumbers })
}

// stringRuns cuts them into runs of strings and single fields. The run-time counts the ids up,
// and takes the fields of the Go struct for an array.
func stringRuns(s *model.Struct) []run {
	plain := func(x *model.Field) bool { return x.Type.Kind == model.String && !mayBeAbsent(x) }
	return runs(s, func(r run, x *model.Field) bool {
		last := r[len(r)-1]
		return plain(last) && plain(x) && last.ID > 0 && x.ID == last.ID+1 && next(s, last) == x
	})
}

// singly is no runs.
func singly(s *model.Struct) []run { return runs(s, func(run, *model.Field) bool { return false }) }

func runs(s *model.Struct, joins func(r run, x *model.Field) bool) (all []run) {
	for _, x := range inOrder(s) {
		if last := len(all) - 1; last >= 0 && joins(all[last], x) {
			all[last] = append(all[last], x)
		} else {
			all = append(all, run{x})
		}
	}
	return all
}

// inOrder is the fields of a struct in order of their ids.
func inOrder(s *model.Struct) []*model.Field {
	return slices.SortedStableFunc(slices.Values(s.Fields), func(a, b *model.Field) int { return int(a.ID) - int(b.ID) })
}

// next is the field after x in the Go struct.
func next(s *model.Struct, x *model.Field) *model.Field {
	if k := slices.Index(s.Fields, x) + 1; k < len(s.Fields) {
		return s.Fields[k]
	}
	return nil
}

// names are the fields for a comment.
func (r run) names() string {
	switch last := r[len(r)-1].Name; len(r) {
	case 1:
		return last
	case 2:
		return r[0].Name + " and " + last
	default:
		return r[0].Name + " to " + last
	}
}

// readNumbers generates the reading of a run of numbers if all of them are there. done writes
// what follows the reading of a field.
func (f *file) readNumbers(s *model.Struct, r run, done func(x *model.Field)) {
	var heads, to, from []string
	offset := 0
	for _, x := range r {
		heads = append(heads, fmt.Sprintf("d.Unlike(%s, %s)", compactly(plus("i", offset)), compactly(binaryHead(x))))
		to = append(to, "p."+f.fieldName(s, x))
		from = append(from, f.load(x.Type, fmt.Sprintf("i+%d", offset+headSize)))
		offset += headSize + wireOf(x.Type).size
	}
	f.P("if d.Has(i, ", offset, ") && ", strings.Join(heads, "|"), " == 0 {")
	f.P(strings.Join(to, ", "), " = ", strings.Join(from, ", "))
	f.P("i += ", offset)
	for _, x := range r {
		done(x)
	}
}

// readAllNumbers generates the reading of a struct in a list which holds nothing but a run of
// numbers, if it is there as writers write it: without a call, and without clearing what all of is
// replaced. Others are left to the struct's decoder.
func (f *file) readAllNumbers(p protocol, t *model.Type, from string) {
	s := t.Struct
	if p != binary || !f.inStraightLine(s) || f.masked(s) {
		return
	}
	if t.InPlace {
		from = "&" + from
	}
	all := numberRuns(s)
	if len(all) != 1 || wireOf(all[0][0].Type).size == 0 || pointerField(all[0][0]) {
		return
	}
	var heads, to, values []string
	offset, sum := 0, "i+%d"
	if len(all[0]) == 1 {
		sum = "i + %d" // as gofmt has it
	}
	for _, x := range all[0] {
		heads = append(heads, fmt.Sprintf("d.Unlike(%s, %s)", compactly(plus("i", offset)), compactly(binaryHead(x))))
		to = append(to, "p."+f.fieldName(s, x))
		values = append(values, f.load(x.Type, fmt.Sprintf(sum, offset+headSize)))
		offset += headSize + wireOf(x.Type).size
	}
	f.P("if d.Left(i) > ", offset, " && ", strings.Join(heads, "|"), fmt.Sprintf("|d.Stop(i+%d) == 0 {", offset))
	f.P("p := ", from)
	f.P(strings.Join(to, ", "), " = ", strings.Join(values, ", "))
	f.P("i += ", offset+1)
	f.P("continue")
	f.P("}")
}

// compactly is an expression as gofmt has it inside of a call.
func compactly(expression string) string { return strings.ReplaceAll(expression, " ", "") }
