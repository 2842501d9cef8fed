package gen

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// What Go's compiler does takes more time than in proportion to a function's size: 2,000 fields in one function took
// it two minutes. So the methods of large structs are made of parts.

// mostTogether is how many fields a function handles. A part has two thirds of that.
const mostTogether = 150

func (f *file) together() int { return cmp.Or(f.opt.together, mostTogether) }

// inParts reports whether the methods of a struct are made of parts. The layouts that are there to be measured are not.
func (f *file) inParts(s *model.Struct) bool {
	return len(s.Fields) > f.together() && f.opt.ErrorLayout == LayoutBare
}

// inGroups cuts what is written for the fields of a large struct into groups.
func inGroups[T any](f *file, all []T, size func(T) int) (groups [][]T) {
	start, n, part := 0, 0, max(1, f.together()*2/3)
	for k := range all {
		if n >= part {
			groups = append(groups, all[start:k])
			start, n = k, 0
		}
		n += size(all[k])
	}
	return append(groups, all[start:])
}

func one[T any](T) int { return 1 }

func runLength(r run) int { return len(r) }

// choose writes the call of the part that knows the field.
func (f *fieldSwitch) choose() {
	id, set, args := "int16(h)", "i", "d, i, h, &old"
	if f.p == compact {
		id, set, args = "key >> 4", "i, key", "d, i, key, &old"
	}
	if f.seen.n > 0 {
		args += ", &seen"
	}
	groups := inGroups(f.file, f.runs(), runLength)
	f.P("switch id := ", id, "; {")
	for k, g := range groups {
		if last := g[len(g)-1]; k+1 < len(groups) {
			f.P("case id <= ", last[len(last)-1].ID, ":")
		} else {
			f.P("default:")
		}
		f.P(set, " = p.decode", f.p, k+1, "(", args, ")")
	}
	f.P("}")
}

// parts writes the functions that choose calls.
func (f *fieldSwitch) parts() {
	rt, name := f.runtime(), f.structName(f.s)
	seen := ""
	if f.seen.n > 0 {
		seen = ", seen *" + f.seen.goType()
	}
	f.part = true
	for k, g := range inGroups(f.file, f.runs(), runLength) {
		if f.p == binary {
			f.Apart("func (p *", name, ") decode", f.p, k+1, "(d *", rt, ".Decoder, i int, h uint32, old *", name, seen, ") int {")
		} else {
			f.Apart("func (p *", name, ") decode", f.p, k+1, "(d *", rt, ".Decoder, i, key int, old *", name, seen, ") (int, int) {")
		}
		f.cases(g)
		f.P(f.again())
		f.P("}")
	}
}

// appendParts writes the functions that append the fields of a large struct, and returns the statements that call them.
func (w *writer) appendParts(s *model.Struct) (calls []string) {
	name, depth, depthArg := w.structName(s), "", ""
	if w.depth != "" {
		depth, depthArg = ", depth int", ", depth"
	}
	for k, g := range inGroups(w.file, stringRuns(s), runLength) {
		fails := slices.ContainsFunc(g, func(r run) bool { return slices.ContainsFunc(r, func(x *model.Field) bool { return canFail(x.Type) }) })
		method, results, call := fmt.Sprintf("append%s%d", w.p, k+1), "[]byte", "b"
		before, beforeArg := "", ""
		if w.dynamic {
			before, beforeArg, results, call = ", before int", ", before", "([]byte, int)", "b, before"
			w.unknown = w.unknown || k > 0 // it may be a constant, but not for all parts
		}
		w.Apart("func (p *", name, ") ", method, "(b []byte", before, depth, ") ", results, " {")
		w.runs, w.none = 0, "nil"
		if w.dynamic {
			w.none = "nil, 0"
		}
		w.stringRuns(s, g)
		w.flush()
		switch {
		case !w.dynamic:
			w.P("return b")
		case w.unknown:
			w.P("return b, before")
		default:
			w.P("return b, ", w.before)
		}
		w.P("}")
		calls = append(calls, fmt.Sprintf("%s = p.%s(b%s%s)", call, method, beforeArg, depthArg))
		if fails {
			calls = append(calls, "if b == nil {", "return nil", "}")
		}
	}
	return calls
}
