package frames

import (
	"slices"
	"sort"
	"strings"
)

// A goStatement is a place that starts a goroutine.
type goStatement struct {
	fn    int32 // in whose code it is
	pc    uint64
	entry int32 // what the goroutine runs, none if that is a value
	via   int32 // the function of a library that calls entry, with which the goroutine begins; none for a go statement
	loop  bool
}

// A starter is a function that starts a goroutine for a function value that it
// is given.
type starter struct {
	fn  int32
	arg int // which of its arguments the value is
}

// starterNames are the starters: what a go statement calls, and functions that are
// used in place of go statements. (A function with a go statement in it is never
// inlined.)
var starterNames = map[string]int{
	"runtime.newproc":                           0,
	"sync.(*WaitGroup).Go":                      1,
	"golang.org/x/sync/errgroup.(*Group).Go":    1,
	"golang.org/x/sync/errgroup.(*Group).TryGo": 1,
}

// goStatements finds the go statements of a function: its calls of runtime.newproc
// and of what stands for it, which take the value of a function.
func (g *graph) goStatements(fn int32, list []inst, starters []starter) []goStatement {
	f := g.nodes[fn].flow
	var found []goStatement
	for _, c := range f.calls {
		k := slices.IndexFunc(starters, func(s starter) bool { return s.fn == c.callee })
		if k < 0 || slices.ContainsFunc(starters, func(s starter) bool { return s.fn == fn && s.arg == 0 }) {
			continue // newproc has a wrapper of the same name, for assembly
		}
		name, _, _ := g.bin.Position(c.pc)
		found = append(found, goStatement{
			fn: fn, pc: c.pc,
			entry: g.started(fn, c, list, starters[k].arg, starters), via: none,
			// The body of a loop over a function is a function itself.
			loop: f.loops(c.block) || isLoopBody(name),
		})
	}
	return found
}

// isLoopBody tells the functions that the compiler makes of the bodies of loops
// over functions: m.f-range1.
func isLoopBody(name string) bool {
	i := strings.LastIndex(name, "-range")
	return i >= 0 && strings.Trim(name[i+len("-range"):], "0123456789") == ""
}

// started finds the function that a call of newproc is given.
//
// Mostly its value can be followed to where it was made. Else the way back from the
// call is searched, along the blocks that lead to it, for the nearest address of
// code that nothing but this go statement can use: what the compiler makes for one
// with arguments (gowrap), or a literal that stands in it, as its line tells.
func (g *graph) started(fn int32, c callSite, list []inst, arg int, starters []starter) int32 {
	f := g.nodes[fn].flow
	before := make([][]int32, len(f.blocks))
	for b := range f.blocks {
		for _, next := range f.blocks[b].next {
			before[next] = append(before[next], int32(b))
		}
	}
	if value := g.valueAt(f, before, c, g.dec.argument(arg), list); value != none {
		return value
	}
	inner, file, line := g.bin.Position(c.pc)
	fits := func(i int32) bool {
		name := g.nodes[i].Name
		return strings.Contains(name, ".gowrap") || strings.HasPrefix(name, g.nodes[fn].Name+".") || strings.HasPrefix(name, inner+".")
	}
	last := line + arg // a literal may stand in the line behind that of the call: g.Go(
	within := func(i int32) bool {
		n := &g.nodes[i]
		return strings.Contains(n.Name, ".gowrap") || line > 0 && n.File == file && line <= n.Line && n.Line <= last
	}
	// A way back: from an instruction of a block.
	type way struct {
		block int32
		from  int
	}
	at := sort.Search(len(list), func(i int) bool { return list[i].pc >= c.pc })
	todo := []way{{c.block, at}}
	seen := make([]bool, len(f.blocks))
	for ; len(todo) > 0; todo = todo[1:] {
		w := todo[0]
		ended := false
		for i := w.from - 1; i >= int(f.from[w.block]) && !ended; i-- {
			in := &list[i]
			switch {
			case in.kind == call && slices.ContainsFunc(starters, func(s starter) bool { return s.fn == g.callee(in.to) }):
				ended = true // another go statement
			case in.kind == address:
				if code := g.find(in.to); code != none && fits(code) && within(code) {
					return code
				}
			}
		}
		if ended {
			continue
		}
		for _, b := range before[w.block] {
			if !seen[b] {
				seen[b] = true
				end := len(list)
				if int(b)+1 < len(f.from) {
					end = int(f.from[b+1])
				}
				todo = append(todo, way{b, end})
			}
		}
	}
	return none
}

// throughLibraries puts in front of what a starter of a library is given what the
// library's own go statement runs, and drops that statement: it starts nothing that
// isn't known from the calls.
func (g *graph) throughLibraries(starters []starter) {
	begins := map[int32]int32{} // by the starter
	for _, s := range g.goes {
		if slices.ContainsFunc(starters, func(st starter) bool { return st.fn == s.fn }) {
			begins[s.fn] = s.entry
		}
	}
	g.goes = slices.DeleteFunc(g.goes, func(s goStatement) bool { _, own := begins[s.fn]; return own })
	for i := range g.goes {
		s := &g.goes[i]
		for _, c := range g.nodes[s.fn].flow.calls {
			if c.pc != s.pc {
				continue
			}
			if begin, ok := begins[c.callee]; ok && s.entry != none {
				s.via = begin
			}
		}
	}
}
