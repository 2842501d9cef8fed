package prof

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

var (
	//go:embed page.html
	pageBody string
	//go:embed page.css
	pageStyle string
	// FlameTemplate defines the template "flame", which shows a [Graph]: other pages than a
	// profile's have one too. It needs FlameStyle and FlameScript.
	//go:embed flame.html
	FlameTemplate string
	//go:embed flame.css
	FlameStyle string
	//go:embed flame.js
	FlameScript string
)

var page = htmlpage.NewWithScript(FlameTemplate+pageBody, FlameStyle+pageStyle, FlameScript, nil)

// A Graph is what the page's script draws: a tree of frames, each node behind its parent.
type Graph struct {
	Names  []string  `json:"names"`
	Places []string  `json:"places"` // file:line
	Kinds  []int     `json:"kinds"`
	Types  []string  `json:"types"`
	Units  []string  `json:"units"` // of the types: nanoseconds, bytes or count
	Parent []int     `json:"parent"`
	Frame  []int     `json:"frame"`
	Values [][]int64 `json:"values"` // a list a type, with what is below each node

	// Of a comparison: how much of the CPU time each node had before, of 1.
	Before  []float64 `json:"before,omitempty"`
	Samples []float64 `json:"samples,omitempty"` // how many there were, and are

	Moments *Moments `json:"moments,omitempty"` // of the last type
}

// Moments are what there was at some moments: the type that they belong to is what came between two of
// them, which the page's reader chooses.
type Moments struct {
	Names  []string  `json:"names"`
	Values [][]int64 `json:"values"` // a list a moment, with what is below each node
	From   int       `json:"from"`   // until the reader chooses
	To     int       `json:"to"`
}

// AtMoments makes the last types moments of the one before them.
func (g *Graph) AtMoments(names []string, from, to int) {
	n := len(g.Types) - len(names)
	g.Moments = &Moments{names, g.Values[n:], from, to}
	g.Types, g.Units, g.Values = g.Types[:n], g.Units[:n], g.Values[:n]
}

type node struct {
	frame    int
	values   []int64
	before   int64
	children map[int]*node
}

func (p *Profile) node(frame int) *node {
	return &node{frame: frame, values: make([]int64, len(p.Types)), children: map[int]*node{}}
}

// WriteHTML writes a page with a flame graph. It is one file, and asks no network. before is
// the profile to compare with; nil for none.
func (p *Profile) WriteHTML(to io.Writer, command string, before *Profile) error {
	var top htmlpage.Figures
	if before != nil {
		top.Head = []string{"function", "side", "before %", "now %", "points", "noise"}
		list := Diff(before, p)
		for _, c := range list[:min(shown, len(list))] {
			top.Rows = append(top.Rows, []string{c.Func, c.Kind.String(), percent(c.Before), percent(c.Now), points(c), within(c)})
		}
	} else {
		top.Head = []string{"function", "side", "own", "own %", "all %"}
		total, list := p.Total(0), p.Top(0)
		for _, t := range list[:min(shown, len(list))] {
			top.Rows = append(top.Rows, []string{t.Func, t.Kind.String(), quantity.Time(float64(t.Own)), share(t.Own, total), share(t.All, total)})
		}
	}
	return page.Write(to, struct {
		Command, Sentence string
		Gaps, Notes       []string
		Sides             []Side
		Graph             Graph
		Top               htmlpage.Figures
		Diff              bool
	}{command, p.Sentence(), p.Gaps, p.Notes, p.SidesOf(), p.Graph(before), top, before != nil})
}

// A Side is how much of a profile is Go, C and so on, for a page's legend.
type Side struct{ Class, Name, Share string }

// SidesOf are those that the graph has colours of, with their shares of the first type.
func (p *Profile) SidesOf() (sides []Side) {
	for k, s := range p.Shares(0) {
		if s > 0 || slices.ContainsFunc(p.Frames, func(f Frame) bool { return f.Kind == Kind(k) }) { // its colour is in the graph
			sides = append(sides, Side{fmt.Sprintf("k%d", k), Kind(k).String(), fmt.Sprintf("%.1f %%", 100*s)})
		}
	}
	return sides
}

// Graph joins the stacks from the outermost frames on. Lines of a function are one box.
func (p *Profile) Graph(before *Profile) Graph {
	g := Graph{Names: []string{}, Places: []string{}, Kinds: []int{}, Parent: []int{}, Frame: []int{}}
	numbers := map[subject]int{}
	number := func(f Frame) int {
		key := subjectOf(f.Func, f.Kind)
		n, known := numbers[key]
		if !known {
			n = len(g.Names)
			numbers[key] = n
			g.Names = append(g.Names, quantity.Printable(f.Func))
			g.Places = append(g.Places, quantity.Printable(f.File))
			g.Kinds = append(g.Kinds, int(f.Kind))
		}
		return n
	}
	root := p.node(0)
	walk := func(of *Profile, add func(n *node, s *Stack)) {
		for _, s := range of.Stacks {
			at := root
			add(at, s)
			for _, f := range slices.Backward(s.Frames) {
				n := number(of.Frames[f])
				if at.children[n] == nil {
					at.children[n] = p.node(n)
				}
				at = at.children[n]
				add(at, s)
			}
		}
	}
	walk(p, func(n *node, s *Stack) {
		for i, v := range s.Values {
			n.values[i] += v
		}
	})
	if before != nil {
		walk(before, func(n *node, s *Stack) { n.before += s.Values[0] })
	}
	g.Values = make([][]int64, len(p.Types))
	for i, t := range p.Types {
		g.Types = append(g.Types, t.Name)
		g.Units = append(g.Units, t.Unit)
		g.Values[i] = []int64{}
	}
	if before != nil {
		g.Samples = []float64{before.samples(), p.samples()}
	}
	g.put(root, -1, root.before)
	return g
}

// put appends the nodes below one, in the order of their names, so that two runs can be
// compared by eye.
func (g *Graph) put(n *node, parent int, before int64) {
	children := make([]*node, 0, len(n.children))
	for _, c := range n.children {
		if slices.ContainsFunc(c.values, func(v int64) bool { return v > 0 }) {
			children = append(children, c)
		}
	}
	slices.SortFunc(children, func(a, b *node) int {
		return cmp.Or(cmp.Compare(g.Names[a.frame], g.Names[b.frame]), cmp.Compare(a.frame, b.frame))
	})
	for _, c := range children {
		at := len(g.Parent)
		g.Parent = append(g.Parent, parent)
		g.Frame = append(g.Frame, c.frame)
		for i, v := range c.values {
			g.Values[i] = append(g.Values[i], v)
		}
		if before > 0 {
			g.Before = append(g.Before, float64(c.before)/float64(before))
		}
		g.put(c, at, before)
	}
}
