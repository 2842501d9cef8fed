package view

import (
	"cmp"
	"container/heap"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// maxNodes bounds the branches that are shown at all.
const maxNodes = 2000

// A branch is a node that is shown, with those of its children that are. One without a
// node stands for growths that are not shown.
type branch struct {
	node     *report.Node
	weight   int64 // of it and all below
	children []*branch
	hidden   int64 // growths
}

// weight is the total of a node and all below it. A root's totals include those below.
func weight(n *report.Node, of func(report.Totals) int64, memo map[*report.Node]int64) int64 {
	w := int64(0)
	for _, c := range n.Children {
		if c != nil {
			w += weight(c, of, memo)
		}
	}
	if n.Entry != nil {
		w = max(w, of(n.Totals))
	} else {
		w += max(0, of(n.Totals))
	}
	memo[n] = w
	return w
}

// growths is how many there are in a node and below it.
func growths(n *report.Node) int64 {
	if n.Entry != nil {
		return n.Count
	}
	sum := n.Count + n.Others
	for _, c := range n.Children {
		if c != nil {
			sum += growths(c)
		}
	}
	return sum
}

type candidate struct {
	node   *report.Node
	parent *branch
	weight int64
	order  int
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return cmp.Or(-cmp.Compare(c[i].weight, c[j].weight), cmp.Compare(c[i].order, c[j].order)) < 0
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// largest is the tree cut down to its n heaviest nodes; a node is never shown without
// its parent. The result has no node.
func largest(f *report.File, n int) *branch {
	of, memo := weigh(f), map[*report.Node]int64{}
	root := &branch{}
	var queue candidates
	order := 0
	push := func(list []*report.Node, parent *branch) {
		for _, c := range list {
			if c != nil {
				heap.Push(&queue, candidate{c, parent, memo[c], order})
				order++
			}
		}
	}
	for _, r := range f.Tree {
		if r != nil {
			root.weight += weight(r, of, memo)
		}
	}
	push(f.Tree, root)
	for ; n > 0 && len(queue) > 0; n-- {
		c := heap.Pop(&queue).(candidate)
		b := &branch{node: c.node, weight: c.weight, hidden: c.node.Others}
		c.parent.children = append(c.parent.children, b)
		push(c.node.Children, b)
	}
	for _, c := range queue {
		c.parent.hidden += growths(c.node)
	}
	return root
}

// walk visits the branches below b, each before its children, and after them what is
// hidden there.
func walk(b *branch, depth int, visit func(b, parent *branch, depth int)) {
	for _, c := range b.children {
		visit(c, b, depth)
		walk(c, depth+1, visit)
	}
	if b.hidden > 0 {
		visit(&branch{hidden: b.hidden}, b, depth)
	}
}
