package view

import (
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
func rings(sites []report.Site) map[string]*ring {
	var functions []report.Place
	var calls [][]int
	number, frames := map[string]int{}, map[int]int64{}
	index := func(p report.Place) int {
		i, ok := number[p.Func]
		if !ok {
			i = len(functions)
			number[p.Func] = i
			functions, calls = append(functions, p), append(calls, nil)
		}
		return i
	}
	for i := range sites {
		s := &sites[i]
		if !named(s.Callee) || !named(s.Caller) {
			continue
		}
		callee, caller := index(s.Callee), index(s.Caller)
		calls[caller] = append(calls[caller], callee)
		frames[callee] = s.Frame
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
			found[functions[i].Func] = r
		}
		if !known {
			r.frames = 0
		}
	})
	return found
}

// named tells whether a place is that of one function.
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
