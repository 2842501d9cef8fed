package callgraph

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/cycles"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// program is the graph of a package: its units, linked.
type program struct {
	nodes []node
	roots map[string][]int // the wrappers by which Go calls a C function

	blind   bool   // a call through a pointer may be one of any function, and Go functions are among them
	renames string // why names don't tell functions; "" if they do
}

type node struct {
	*function
	internal []int    // calls to functions of the package
	external []string // calls to others
	doomed   []int    // those of internal after which the program ends: nobody waits for them

	last []string // others after which the program ends
	weak string   // a function that it calls by a name that is weak; "" without one

	hook string // a pointer through which it may call Go; "" without one

	cyclic bool  // it can reach itself
	depth  int64 // stack of the node and what it calls in the program
	open   bool  // and more: there is recursion, or an object of unknown size
}

// link resolves calls between units. A name that several units define stands for all of
// them: which one the linker takes is not known here.
func link(units []*unit) *program {
	p := &program{roots: map[string][]int{}}
	global := map[string][]int{}
	local := make([]map[string]int, len(units)) // by title, and by symbol
	for i, u := range units {
		local[i] = map[string]int{}
		for _, f := range u.Funcs {
			n := len(p.nodes)
			p.nodes = append(p.nodes, node{function: f})
			local[i][f.Name] = n
			if plain := symbolOf(f.Name); plain == f.Name {
				global[plain] = append(global[plain], n)
				if name, ok := callee(plain); ok {
					p.roots[name] = append(p.roots[name], n)
				}
			} else if _, taken := local[i][plain]; !taken {
				local[i][plain] = n
			}
		}
	}
	indirect, weak := map[string]bool{}, map[string]bool{}
	for i, u := range units {
		for _, name := range u.Weak {
			weak[name] = true
		}
		if u.Names {
			p.renames = "inline assembly gives names to functions"
		}
		for name, of := range u.Aliases {
			if of == indirectCall {
				indirect[name] = true
			} else if n, ok := local[i][of]; ok {
				global[name] = append(global[name], n)
			}
		}
	}
	next := 0
	for i, u := range units {
		for _, f := range u.Funcs {
			n := &p.nodes[next]
			next++
			for _, name := range f.Calls {
				plain := symbolOf(name)
				doomed := slices.Contains(f.Doomed, plain)
				before := len(n.internal)
				if weak[plain] {
					n.weak = plain
				}
				if k, ok := local[i][name]; ok {
					n.internal = append(n.internal, k)
				} else if k, ok := local[i][u.Aliases[plain]]; ok {
					n.internal = append(n.internal, k)
				} else if indirect[plain] {
					n.external = append(n.external, indirectCall)
				} else if all := global[plain]; len(all) > 0 {
					n.internal = append(n.internal, all...)
				} else if doomed {
					n.last = append(n.last, plain)
				} else {
					n.external = append(n.external, plain)
				}
				for _, k := range n.internal[before:] {
					if doomed || p.nodes[k].Ends {
						n.doomed = append(n.doomed, k)
					}
				}
			}
			slices.Sort(n.internal)
			n.internal = slices.Compact(n.internal)
		}
	}
	p.findCycles()
	return p
}

// callee returns the C function that one of cgo's wrappers calls.
func callee(symbol string) (string, bool) {
	rest, ok := strings.CutPrefix(symbol, "_cgo_")
	if !ok {
		return "", false
	}
	_, rest, ok = strings.Cut(rest, "_")
	if !ok {
		return "", false
	}
	for _, prefix := range []string{"Cfunc_", "C2func_"} {
		if name, ok := strings.CutPrefix(rest, prefix); ok && name != "" {
			if name == "_Cmalloc" {
				name = cgofile.Malloc
			}
			return name, true
		}
	}
	return "", false
}

// findCycles finds the functions that can reach themselves.
func (p *program) findCycles() {
	callee := func(n, i int) int {
		if internal := p.nodes[n].internal; i < len(internal) {
			return internal[i]
		}
		return -1
	}
	cycles.Groups(len(p.nodes), callee, func(group []int) {
		for _, m := range group {
			n := &p.nodes[m]
			n.cyclic = n.cyclic || slices.Contains(n.internal, m)
		}
		p.sumStack(group)
	})
}

// sumStack works out the stack use of one strongly connected component, as a rule a
// single function. The other functions that it calls have been summed before.
func (p *program) sumStack(group []int) {
	depth, open := int64(0), len(group) > 1
	for _, m := range group {
		n := &p.nodes[m]
		below := int64(0)
		for _, to := range n.internal {
			below = max(below, p.nodes[to].depth) // 0 in the component itself
			open = open || p.nodes[to].open
		}
		for _, name := range n.external {
			open = open || name == indirectCall
		}
		open = open || n.cyclic || n.Dynamic
		depth = max(depth, min(n.Stack, maxStack)+below)
	}
	depth = min(depth, maxStack)
	for _, m := range group {
		n := &p.nodes[m]
		n.depth, n.open, n.cyclic = depth, open, n.cyclic || len(group) > 1
	}
}

// maxStack keeps sums of what a file claims from overflowing.
const maxStack = 1 << 50
