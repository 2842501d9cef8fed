package prof

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// A Call is a way from one side to the other, and the time that it took itself.
type Call struct {
	Caller string // the function that calls, of Go or of C
	Callee string // "C.f", or the Go function that C calls; "" where the runtime doesn't tell
	Own    int64
}

// Calls lists what the time of crossings goes to, the most first.
func (p *Profile) Calls() []Call {
	type ends struct{ caller, callee string }
	sums := map[ends]int64{}
	for _, s := range p.Stacks {
		if p.KindOf(s) == Crossing {
			caller, callee := p.ends(s)
			sums[ends{caller, callee}] += s.Values[0]
		}
	}
	var list []Call
	for e, v := range sums {
		list = append(list, Call{e.caller, e.callee, v})
	}
	slices.SortFunc(list, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.Own, a.Own), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Callee, b.Callee))
	})
	return list
}

// Leaves lists C functions and the time that calls of them take for the crossing, the most
// first, as far as the profile has nothing against them as leaves: no stack shows them calling Go
// or, where waits were looked at, waiting. They must have been seen to take cgo's way: what seam
// weld has made a leaf is none of them.
func (p *Profile) Leaves() []Call {
	sums, against, byCgo := map[string]int64{}, map[string]bool{}, map[string]bool{}
	wall := p.Of(Wall)
	for _, s := range p.Stacks {
		goInside, innermost := false, true
		way := false                 // cgo's, on the way to the next stub
		for _, n := range s.Frames { // from the innermost
			f := p.Frames[n]
			callee := calleeOf(f)
			switch {
			case f.Func == "runtime.cgocall":
				way = true
			case strings.HasPrefix(callee, "C."):
				byCgo[callee] = byCgo[callee] || way
				way = false
				if goInside || wall >= 0 && s.Values[wall] > 0 {
					against[callee] = true
				} else if innermost && p.KindOf(s) == Crossing {
					sums[callee] += s.Values[0]
				}
				innermost = false
			case callee != "", strings.HasPrefix(f.Func, "runtime.cgocallback"), f.Kind == Go && !ofRuntime(f.Func):
				goInside = true
			}
		}
	}
	var list []Call
	for callee, v := range sums {
		if byCgo[callee] && !against[callee] {
			list = append(list, Call{Callee: callee, Own: v})
		}
	}
	slices.SortFunc(list, func(a, b Call) int { return cmp.Or(cmp.Compare(b.Own, a.Own), cmp.Compare(a.Callee, b.Callee)) })
	return list
}

// ends are those of the crossing in which a stack is.
func (p *Profile) ends(s *Stack) (caller, callee string) {
	back := false // from C to Go
	for _, n := range s.Frames {
		f := p.Frames[n]
		switch {
		case f.Kind == Crossing:
			to := calleeOf(f)
			if back && callee == "" && strings.HasPrefix(to, "C.") {
				return to, "" // the runtime did not know the callback yet, or no more
			}
			callee = cmp.Or(callee, to)
			back = back || strings.HasPrefix(f.Func, "runtime.cgocallback")
		case !ofRuntime(f.Func):
			return f.Func, callee
		}
	}
	return "", callee
}

// calleeOf reads from one of cgo's stubs what it calls.
func calleeOf(f Frame) string {
	stub := f.Func
	if path.Base(f.File) == "_cgo_export.c" {
		return stub
	}
	if _, name, ok := strings.Cut(stub, "._Cfunc_"); ok && kindOf(stub, "") == Crossing {
		return "C." + name
	}
	if rest := hashOfCgo.ReplaceAllString(stub, ""); strings.HasPrefix(stub, "_cgoexp_") && rest != stub {
		return rest
	}
	return ""
}

// ofRuntime recognises the runtime's own functions.
func ofRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
}
