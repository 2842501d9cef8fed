package view

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/cycles"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// A ring is a set of functions that call each other: each reaches all others through calls
// that grew a stack.
type ring struct {
	members []report.Place // in the order in which the report's sites name them
	frames  int64          // of all; 0 if one is not known
	site    int            // the first of its sites, from 1
}

// rings finds rings by the functions' names. A function that only calls itself isn't one.
// Of a function that no stack grew for the frame isn't known.
func rings(sites []report.Site) map[string]*ring {
	var functions []report.Place
	var calls [][]int
	number, frames := map[string]int{}, map[int]int64{}
	index := func(p report.Place) int {
		i, ok := number[method(p.Func)]
		if !ok {
			i = len(functions)
			number[method(p.Func)] = i
			functions, calls = append(functions, p), append(calls, nil)
		}
		return i
	}
	for i := range sites {
		s := &sites[i]
		if !named(s.Callee) || !named(s.Caller) {
			continue
		}
		callee, caller := index(s.Callee), index(outer(s.Caller))
		calls[caller] = append(calls[caller], callee)
		frames[callee] = s.Frame
		for k := 1; k < len(s.Ring); k++ {
			from, to := index(s.Ring[k-1]), index(s.Ring[k])
			calls[from] = append(calls[from], to)
		}
		for k := range s.Below {
			from, to := index(s.Below[k]), index(s.Below[(k+1)%len(s.Below)])
			calls[from] = append(calls[from], to)
		}
	}
	found := map[string]*ring{}
	cycles.Groups(len(calls), cycles.Next(calls), func(group []int) {
		if len(group) < 2 {
			return
		}
		r := &ring{}
		known := true
		for _, i := range slices.Sorted(slices.Values(group)) {
			r.members = append(r.members, functions[i])
			r.frames += frames[i]
			known = known && frames[i] > 0
			found[method(functions[i].Func)] = r
		}
		if !known {
			r.frames = 0
		}
	})
	return found
}

// outer is the function that a call is made from: not one that was inlined into it, which
// has no frame of its own.
func outer(p report.Place) report.Place {
	if p.In != "" {
		p.Func = p.In
	}
	return p
}

// method is a function's name without the star of its receiver. A method of a value is called
// through an interface by a function with a star, which the compiler made; they are one.
func method(name string) string { return receiver.ReplaceAllString(name, "$1.") }

var receiver = regexp.MustCompile(`\(\*([^()]+)\)\.`)

// itself reports whether the function calls itself there.
func itself(s *report.Site) bool {
	return named(s.Callee) && method(s.Callee.Func) == method(outer(s.Caller).Func)
}

// named reports whether a place is that of one function.
func named(p report.Place) bool {
	return p.Func != "" && p.Func != report.Unknown && p.Func != report.Others
}

// words are "a.f, a.g and a.h".
func (r *ring) words(n names) string {
	const most = 4
	var list []string
	for _, p := range r.members {
		list = append(list, n.function(p))
	}
	if len(list) > most {
		list = append(list[:most-1:most-1], count(int64(len(list)-most+1))+" more")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
