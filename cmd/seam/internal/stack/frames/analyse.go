package frames

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// Options say what counts and how much is listed.
type Options struct {
	Top    int  // entries of the lists of frames and of chains; all go statements are listed
	Panics bool // calls that can only end in a panic count
}

// Analyse reads one binary.
func Analyse(file string, o Options) (*Binary, error) {
	bin, img, err := symbols.Load(file)
	if err != nil {
		return nil, err
	}
	a := &analysis{model: newModel(bin)}
	a.g = newGraph(bin, img, o.Panics)
	a.c, a.worst = newChains(a.g, false), newChains(a.g, true)
	a.outside = outsideLibrary(file, a.g.nodes)
	a.rings = newRings(a.c, a.outside)
	b := &Binary{
		Go: bin.GoVersion, Arch: bin.Arch, Functions: len(bin.Funcs),
		Start: a.model.start, Guard: a.model.guard, Taken: a.model.taken,
		Largest: a.largest(o.Top), Goroutines: a.goroutines(),
		Rings: a.rings.list, MainRings: []int{},
	}
	for i := range a.g.nodes {
		if a.g.nodes[i].Name == "runtime.main" {
			b.MainRings = append(b.MainRings, a.rings.reached(int32(i))...)
		}
	}
	b.Chains = a.chains(b.Goroutines, o.Top)
	addLocals(file, bin, b.Largest)
	return b, nil
}

type analysis struct {
	g     *graph
	c     *chains
	worst *chains // with what the runtime seldom does
	rings *rings
	model model

	outside func(*node) bool // of the standard library
}

// largest lists the largest frames, of functions that aren't the runtime's. Its own
// largest are those by which reflection makes a call, one for each power of two.
func (a *analysis) largest(top int) []Frame {
	list := make([]*node, 0, len(a.g.nodes))
	for i := range a.g.nodes {
		if a.g.nodes[i].Frame > 0 && !a.g.nodes[i].own {
			list = append(list, &a.g.nodes[i])
		}
	}
	slices.SortStableFunc(list, func(x, y *node) int { return cmp.Compare(y.Frame, x.Frame) })
	frames := []Frame{}
	for _, n := range list[:min(top, len(list))] {
		frames = append(frames, Frame{Function: n.Name, Place: Place{n.File, n.Line}, Bytes: n.Frame})
	}
	return frames
}

// chain describes the longest chain that starts at a function. If via is not none,
// the goroutine starts with that, and it calls the function.
func (a *analysis) chain(kind string, fn, via int32) *Chain {
	n := &a.g.nodes[fn]
	c := &Chain{Kind: kind, Function: n.Name, Place: Place{n.File, n.Line}, Steps: []Step{}}
	why := a.c.marks[a.c.group[fn]]
	c.Pointers, c.Recursive = why&throughPointer != 0, why&recursive != 0
	c.Rings = a.rings.reached(via, fn)
	c.AtLeast = why != 0
	path, worst := a.c.longest(fn).path, a.worst.longest(fn).path
	if path == nil { // nothing in it looks at the stack
		path = &step{fn: fn}
	}
	if via != none {
		path, worst = &step{fn: via, next: path}, &step{fn: via, next: worst}
	}
	before, push := int64(0), a.g.dec.returnAddress()
	for s := path; s != nil; s = s.next {
		bytes := a.g.nodes[s.fn].Frame
		switch {
		case s.tail:
			c.Bytes -= before
			before = bytes
		case s != path:
			bytes += push
			before = bytes
		default:
			before = bytes
		}
		c.Bytes += bytes
		c.Steps = append(c.Steps, Step{Function: a.g.nodes[s.fn].Name, Bytes: bytes, Sum: c.Bytes, Recursive: a.c.inRing(s.fn), Tail: s.tail})
	}
	c.Stack, c.Copies = a.model.grow(a.checks(path))
	c.Worst, _ = a.model.grow(a.checks(worst))
	c.Worst = max(c.Worst, c.Stack)
	return c
}

// checks are the looks at the stack on a path.
func (a *analysis) checks(path *step) (list []check) {
	used, before := a.model.taken, int64(0)
	for s := path; s != nil; s = s.next {
		n := &a.g.nodes[s.fn]
		if s.tail {
			used -= before // where the function before was entered
		} else if s != path {
			used += a.g.dec.returnAddress()
		}
		if n.flow.checks {
			list = append(list, check{used, n.Frame})
		}
		used += n.Frame
		before = n.Frame
	}
	return list
}

// goroutines lists the go statements: first those whose stacks grow, then those whose
// stacks may, then others. Of each the program's own come before those of the standard
// library, and of these those in loops first, with the largest first.
func (a *analysis) goroutines() []Goroutine {
	list := []Goroutine{}
	type begin struct{ entry, via int32 }
	chains := map[begin]*Chain{}
	own := map[string]bool{} // functions that aren't the standard library's
	for _, s := range a.g.goes {
		fn, file, line := a.g.bin.Position(s.pc)
		own[fn] = a.outside(&a.g.nodes[s.fn])
		g := Goroutine{Function: fn, Place: Place{file, line}, Loop: s.loop, Runtime: a.g.nodes[s.fn].own}
		if s.entry != none {
			g.Entry = a.g.nodes[s.entry].Name
			key := begin{s.entry, s.via}
			if chains[key] == nil {
				chains[key] = a.chain("goroutine", s.entry, s.via)
			}
			g.Chain = chains[key]
			g.Outgrows = g.Chain.Copies > 0
		}
		list = append(list, g)
	}
	rank := func(g *Goroutine) int64 {
		r := int64(0)
		if g.Chain != nil {
			r = g.Chain.Bytes
		}
		for bit, is := range []bool{g.Outgrows && g.Loop, own[g.Function], g.may(), g.Outgrows} {
			if is {
				r += 1 << (40 + bit)
			}
		}
		return r
	}
	slices.SortStableFunc(list, func(x, y Goroutine) int { return cmp.Compare(rank(&y), rank(&x)) })
	return list
}

// chains lists the deepest chains: of main, of tests, and of each function that a
// go statement starts.
func (a *analysis) chains(goroutines []Goroutine, top int) []Chain {
	var list []Chain
	seen := map[string]bool{}
	for i := range a.g.nodes {
		n := &a.g.nodes[i]
		switch {
		case n.Name == "runtime.main":
			list = append(list, *a.chain("main", int32(i), none))
			seen[n.Name] = true // a goroutine of the runtime's
		case isTest(n):
			list = append(list, *a.chain("test", int32(i), none))
		}
	}
	for _, g := range goroutines {
		if g.Chain != nil && !g.Runtime && !seen[g.Entry] {
			seen[g.Entry] = true
			list = append(list, *g.Chain)
		}
	}
	slices.SortStableFunc(list, func(x, y Chain) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return list[:min(top, len(list))]
}

// isTest tells the functions that package testing runs, each in a goroutine.
func isTest(n *node) bool {
	if !strings.HasSuffix(n.File, "_test.go") {
		return false
	}
	_, name, ok := strings.Cut(path.Base(n.Name), ".")
	if !ok {
		return false
	}
	for _, kind := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if rest, ok := strings.CutPrefix(name, kind); ok && !strings.Contains(rest, ".") {
			r, _ := utf8.DecodeRuneInString(rest)
			return rest == "" || !unicode.IsLower(r)
		}
	}
	return false
}
