package report

import (
	"cmp"
	"slices"
)

// tree makes the tree of doublings. Steps that have the same names are one.
func (n *names) tree(t *tables) []*Node {
	type key struct {
		parent   *Node
		site     int32
		from, to uint8
	}
	at := map[key]*Node{}
	of := make([]*Node, len(t.nodes))   // by the node's number
	root := make([]*Node, len(t.nodes)) // likewise
	roots := []*Node{}
	for i := range t.nodes {
		x := &t.nodes[i]
		if x.parent < 0 {
			if x.grown == 0 {
				continue
			}
			k := key{site: n.entryOf[x.site]}
			out := at[k]
			if out == nil {
				e := n.entries[k.site]
				out = &Node{Entry: &e}
				at[k] = out
				roots = append(roots, out)
			}
			out.Entry.Count += x.grown
			out.Sum(x.rest)
			out.Others += x.rest.Count
			of[i], root[i] = out, out
			continue
		}
		// A parent's number is less than its children's.
		parent := of[x.parent]
		k := key{parent, n.siteOf[x.site], x.from, x.to}
		out := at[k]
		if out == nil {
			s := &n.sites[k.site]
			out = &Node{Callee: &s.Callee, Caller: &s.Caller, Frame: s.Frame, From: 1 << x.from, To: 1 << x.to}
			at[k] = out
			parent.Children = append(parent.Children, out)
		}
		out.Sum(x.Totals)
		out.Others += x.rest.Count
		of[i], root[i] = out, root[x.parent]
		root[i].Sum(x.Totals)
		root[i].Sum(x.rest)
	}
	sortNodes(roots)
	return roots
}

// sortNodes puts nodes in order, and all below.
func sortNodes(nodes []*Node) {
	slices.SortFunc(nodes, func(x, y *Node) int {
		xFirst, xSecond := x.places()
		yFirst, ySecond := y.places()
		return cmp.Or(x.compare(&y.Totals), cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To), xFirst.compare(yFirst), xSecond.compare(ySecond))
	})
	for _, n := range nodes {
		sortNodes(n.Children)
	}
}

// places are what a node is called by.
func (n *Node) places() (first, second *Place) {
	if n.Entry != nil {
		return &n.Entry.Func, &n.Entry.Go
	}
	return n.Callee, n.Caller
}

// reportChains adds up goroutines by what they began with and the sizes they had.
func (n *names) reportChains(t *tables) []Chain {
	type key struct {
		entry int32
		sizes string
	}
	at := map[key]int32{}
	chains := []Chain{}
	for i := range t.nodes {
		x := &t.nodes[i]
		if x.ended == 0 {
			continue
		}
		entry, path := t.path(int32(i))
		k := intern(at, &chains, key{n.entryOf[entry], string(path)}, Chain{Entry: n.entries[n.entryOf[entry]], Sizes: sizesOf(path)})
		chain := &chains[k]
		chain.Goroutines += x.ended
		chain.Entry.Count += x.ended
		chain.Sum(x.chains)
	}
	slices.SortFunc(chains, func(x, y Chain) int {
		return cmp.Or(x.compare(&y.Totals), slices.Compare(x.Sizes, y.Sizes), x.Entry.Func.compare(&y.Entry.Func), x.Entry.Go.compare(&y.Entry.Go))
	})
	if len(chains) > mostChains {
		rest := Chain{Entry: Entry{Func: special(others), Go: special(others)}, Sizes: []int64{}}
		for _, c := range chains[mostChains:] {
			rest.Goroutines += c.Goroutines
			rest.Entry.Count += c.Goroutines
			rest.Sum(c.Totals)
		}
		chains = append(slices.Clone(chains[:mostChains]), rest)
	}
	return chains
}

// path returns the entry of a node and the sizes from there to it, as powers of two.
func (t *tables) path(i int32) (entry int32, path []uint8) {
	for ; t.nodes[i].parent >= 0; i = t.nodes[i].parent {
		path = append(path, t.nodes[i].to)
		if p := t.nodes[i].parent; t.nodes[p].parent < 0 || t.nodes[p].to != t.nodes[i].from {
			path = append(path, t.nodes[i].from)
		}
	}
	slices.Reverse(path)
	return t.nodes[i].site, path
}

func sizesOf(path []uint8) []int64 {
	out := make([]int64, len(path))
	for i, c := range path {
		out[i] = 1 << c
	}
	return out
}
