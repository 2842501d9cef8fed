package view

import (
	"cmp"
	"slices"
	"strings"

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
	calls := map[string][]string{}
	order := map[string]int{}
	frames := map[string]int64{}
	places := map[string]report.Place{}
	for i := range sites {
		s := &sites[i]
		if !named(s.Callee) || !named(s.Caller) {
			continue
		}
		for _, p := range []report.Place{s.Callee, s.Caller} {
			if _, ok := order[p.Func]; !ok {
				order[p.Func] = len(order)
				places[p.Func] = p
			}
		}
		calls[s.Caller.Func] = append(calls[s.Caller.Func], s.Callee.Func)
		frames[s.Callee.Func] = s.Frame
	}
	found := map[string]*ring{}
	for _, group := range together(calls, order) {
		if len(group) < 2 {
			continue
		}
		slices.SortFunc(group, func(a, b string) int { return cmp.Compare(order[a], order[b]) })
		r := &ring{}
		known := true
		for _, name := range group {
			r.members = append(r.members, places[name])
			r.frames += frames[name]
			known = known && frames[name] > 0
			found[name] = r
		}
		if !known {
			r.frames = 0
		}
	}
	return found
}

// together puts functions into groups of which each leads to all others (Tarjan's
// strongly connected components). The stack of calls is a slice: a trace may have
// thousands of functions in a row.
func together(calls map[string][]string, order map[string]int) [][]string {
	type visit struct {
		name string
		next int
	}
	var groups [][]string
	var open []string // visited, and in no group yet
	number, low, isOpen := map[string]int{}, map[string]int{}, map[string]bool{}
	begin := func(name string) visit {
		number[name] = len(number) + 1
		low[name] = number[name]
		open = append(open, name)
		isOpen[name] = true
		return visit{name: name}
	}
	names := make([]string, len(order))
	for name, i := range order {
		names[i] = name
	}
	for _, name := range names {
		if number[name] > 0 {
			continue
		}
		path := []visit{begin(name)}
		for len(path) > 0 {
			at := &path[len(path)-1]
			if at.next < len(calls[at.name]) {
				callee := calls[at.name][at.next]
				at.next++
				switch {
				case number[callee] == 0:
					path = append(path, begin(callee))
				case isOpen[callee]:
					low[at.name] = min(low[at.name], number[callee])
				}
				continue
			}
			done := at.name
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1].name
				low[up] = min(low[up], low[done])
			}
			if low[done] == number[done] {
				i := slices.Index(open, done)
				groups = append(groups, slices.Clone(open[i:]))
				for _, member := range open[i:] {
					isOpen[member] = false
				}
				open = open[:i]
			}
		}
	}
	return groups
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
