package frames

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// Calls answers how functions of a program may call each other by name. Code is read as it
// is asked for: a report is of few functions, and a program may have a hundred thousand.
type Calls struct {
	g     *graph
	known map[int32][]int32
}

// OpenCalls reads a program. Nil answers nothing: the report is made in any case, and says
// elsewhere what is wrong with the file.
func OpenCalls(path string) *Calls {
	bin, img, err := symbols.Load(path)
	if err != nil {
		return nil
	}
	g := &graph{bin: bin, img: img, dec: decoders[bin.Arch], nodes: make([]node, len(bin.Funcs))}
	for i := range g.nodes {
		g.nodes[i].Func = &bin.Funcs[i]
	}
	return &Calls{g, map[int32][]int32{}}
}

// How far is searched: people's rings are short, and what is reached by twenty calls is
// most of a program.
const (
	mostHops    = 6
	mostVisited = 5000
)

// Way is the shortest way from one function to another by calls of functions that are known
// before the program runs, both included; nil if there is none that is short, or if one of
// both is the runtime's. The functions are told by addresses within them.
func (c *Calls) Way(from, to uint64) []*symbols.Func {
	if c == nil {
		return nil
	}
	a, b := c.at(from), c.at(to)
	if a == none || b == none || a == b {
		return nil
	}
	type hop struct {
		fn         int32
		back, deep int // back is an index of hops
	}
	hops := []hop{{a, -1, 0}}
	seen := map[int32]bool{a: true}
	for i := 0; i < len(hops) && len(hops) < mostVisited; i++ {
		if hops[i].deep == mostHops {
			break
		}
		for _, next := range c.of(hops[i].fn) {
			if next == b {
				way := []*symbols.Func{c.g.nodes[b].Func}
				for k := i; k >= 0; k = hops[k].back {
					way = append(way, c.g.nodes[hops[k].fn].Func)
				}
				slices.Reverse(way)
				return way
			}
			if !seen[next] {
				seen[next] = true
				hops = append(hops, hop{next, i, hops[i].deep + 1})
			}
		}
	}
	return nil
}

// at is the function that an address is in, unless it is the runtime's.
func (c *Calls) at(pc uint64) int32 {
	f := c.g.bin.Lookup(pc)
	if f == nil || isRuntime(f) {
		return none
	}
	return c.g.find(f.Entry)
}

// of are the functions that one calls by name, but for the runtime's.
func (c *Calls) of(fn int32) []int32 {
	if list, ok := c.known[fn]; ok {
		return list
	}
	n := &c.g.nodes[fn]
	code := c.g.img.Bytes(n.Entry)
	code = code[:min(uint64(len(code)), n.End-n.Entry)]
	list := []int32{}
	for _, in := range c.g.dec.decode(code, n.Entry, nil) {
		if in.kind != call && in.kind != jump {
			continue
		}
		if to := c.g.find(in.to); to != none && to != fn && !isRuntime(c.g.nodes[to].Func) && !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	c.known[fn] = list
	return list
}
