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
	//go:embed page.js
	pageScript string
)

var page = htmlpage.NewWithScript(pageBody, pageStyle, pageScript, nil)

// A graph is what the page's script draws: a tree of frames, each node behind its parent.
type graph struct {
	Names  []string  `json:"names"`
	Places []string  `json:"places"` // file:line
	Kinds  []int     `json:"kinds"`
	Types  []string  `json:"types"`
	Parent []int     `json:"parent"`
	Frame  []int     `json:"frame"`
	Values [][]int64 `json:"values"` // a list a type, with what is below each node
}

type node struct {
	frame    int
	values   []int64
	children map[int]*node
}

// WriteHTML writes a page with a flame graph. It is one file, and asks no network.
func (p *Profile) WriteHTML(to io.Writer, command string) error {
	g := p.graph()
	var top [][]string
	total := p.Total(0)
	for i, t := range p.Top(0) {
		if i == shown {
			break
		}
		top = append(top, []string{t.Func, t.Kind.String(), quantity.Time(float64(t.Own)), share(t.Own, total), share(t.All, total)})
	}
	type side struct{ Class, Name, Share string }
	var sides []side
	for k, s := range p.Shares(0) {
		if s > 0 {
			sides = append(sides, side{fmt.Sprintf("k%d", k), Kind(k).String(), fmt.Sprintf("%.1f %%", 100*s)})
		}
	}
	return page.Write(to, struct {
		Command, Sentence string
		Gaps              []string
		Sides             []side
		Graph             graph
		Top               htmlpage.Figures
	}{command, p.Sentence(), p.Gaps, sides, g, htmlpage.Figures{Head: []string{"function", "side", "own", "own %", "all %"}, Rows: top}})
}

// graph joins the stacks from the outermost frames on. Lines of a function are one box.
func (p *Profile) graph() graph {
	g := graph{Names: []string{}, Places: []string{}, Kinds: []int{}, Parent: []int{}, Frame: []int{}}
	type name struct {
		function, file string
		kind           Kind
	}
	numbers := map[name]int{}
	number := make([]int, len(p.Frames))
	for i, f := range p.Frames {
		key := name{f.Func, f.File, f.Kind}
		n, known := numbers[key]
		if !known {
			n = len(g.Names)
			numbers[key] = n
			g.Names = append(g.Names, quantity.Printable(f.Func))
			g.Places = append(g.Places, quantity.Printable(f.File))
			g.Kinds = append(g.Kinds, int(f.Kind))
		}
		number[i] = n
	}
	root := &node{values: make([]int64, len(p.Types)), children: map[int]*node{}}
	add := func(n *node, values []int64) {
		for i, v := range values {
			n.values[i] += v
		}
	}
	for _, s := range p.Stacks {
		at := root
		add(at, s.Values)
		for _, f := range slices.Backward(s.Frames) {
			next := at.children[number[f]]
			if next == nil {
				next = &node{frame: number[f], values: make([]int64, len(p.Types)), children: map[int]*node{}}
				at.children[number[f]] = next
			}
			add(next, s.Values)
			at = next
		}
	}
	g.Values = make([][]int64, len(p.Types))
	for i, t := range p.Types {
		g.Types = append(g.Types, t.Name)
		g.Values[i] = []int64{}
	}
	g.put(root, -1)
	return g
}

// put appends the nodes below one, in the order of their names, so that two runs can be
// compared by eye.
func (g *graph) put(n *node, parent int) {
	children := make([]*node, 0, len(n.children))
	for _, c := range n.children {
		children = append(children, c)
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
		g.put(c, at)
	}
}
