package frames

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/cycles"
)

// Chains of calls are measured by what makes a stack grow. A function's prologue
// compares the stack pointer with the guard, so a chain counts up to a function
// that checks: functions that don't (go:nosplit, and leaves with small frames) use
// the room below the guard, which the linker has proven to suffice for them.
type chains struct {
	g      *graph
	edges  [][]edge
	group  []int32 // of each function: those that call each other in a ring have one
	size   []int32 // of each group
	marks  []mark  // of each group: what can be reached from it
	memo   []depth
	onPath []bool // while a ring is walked
}

// A mark says why a chain can be longer than what was found.
type mark uint8

const (
	throughPointer mark = 1 << iota // a call of a function that only the running program knows
	recursive                       // a ring of calls, which is counted once
)

// A depth is the longest chain from a function on.
type depth struct {
	known bool
	any   bool  // some function of it checks the stack
	need  int64 // bytes from the stack pointer at the function's entry to the lowest one that is compared with the guard
	path  *step
}

// A step is a function of a chain, and the next one.
type step struct {
	fn   int32
	tail bool // it was jumped to: the frame before it is gone
	next *step
}

// small is abi.StackSmall: a prologue lets a frame reach this far below the guard.
const small = 128

func newChains(g *graph, rare bool) *chains {
	c := &chains{g: g, edges: g.connect(rare), memo: make([]depth, len(g.nodes)), onPath: make([]bool, len(g.nodes))}
	c.groups()
	return c
}

// compared is how far below its stack pointer a function's prologue looks: the
// part of the frame that is more than small. See stacksplit in
// cmd/internal/obj/x86/obj6.go and cmd/internal/obj/arm64/obj7.go.
func compared(frame int64) int64 { return max(0, frame-small) }

// longest finds the longest chain from a function on.
func (c *chains) longest(fn int32) depth {
	if d := &c.memo[fn]; d.known {
		return *d
	}
	var d depth
	if c.size[c.group[fn]] > 1 {
		d = c.ring(fn)
	} else {
		d = c.best(fn, func(e edge) (depth, bool) {
			if e.to == fn {
				return depth{}, false
			}
			return c.longest(e.to), true
		})
	}
	d.known = true
	c.memo[fn] = d
	return d
}

// best is the longest chain through a function, given those of what it calls.
func (c *chains) best(fn int32, of func(edge) (depth, bool)) depth {
	n := &c.g.nodes[fn]
	d := depth{}
	if n.flow.checks {
		d = depth{any: true, need: compared(n.Frame), path: &step{fn: fn}}
	}
	for _, e := range c.edges[fn] {
		next, ok := of(e)
		if !ok || !next.any {
			continue
		}
		need := next.need
		if !e.tail {
			need += n.Frame + c.g.dec.returnAddress()
		}
		if !d.any || need > d.need {
			p := *next.path
			p.tail = e.tail
			d = depth{any: true, need: need, path: &step{fn: fn, next: &p}}
		}
	}
	return d
}

// ring is the longest chain from a function of a ring on. The longest way that
// comes to no function twice is hard to find; this is the longest of those that
// are left when each call back to a function on the way from fn is taken out, in a
// walk in the order of addresses. It exists, so the need is no less.
func (c *chains) ring(fn int32) depth {
	local := map[int32]depth{}
	var walk func(int32) depth
	walk = func(fn int32) depth {
		c.onPath[fn] = true
		d := c.best(fn, func(e edge) (depth, bool) {
			switch d, ok := local[e.to]; {
			case c.group[e.to] != c.group[fn]:
				return c.longest(e.to), true
			case c.onPath[e.to]:
				return depth{}, false
			case ok:
				return d, true
			}
			return walk(e.to), true
		})
		c.onPath[fn] = false
		local[fn] = d
		return d
	}
	return walk(fn)
}

// groups finds the rings of calls and what can be reached from each.
func (c *chains) groups() {
	nodes := c.g.nodes
	c.group = make([]int32, len(nodes))
	callee := func(v, i int) int {
		if i < len(c.edges[v]) {
			return int(c.edges[v][i].to)
		}
		return -1
	}
	// What a group calls has been given its group before.
	cycles.Groups(len(nodes), callee, func(members []int) {
		id := int32(len(c.size))
		for _, m := range members {
			c.group[m] = id
		}
		c.size = append(c.size, int32(len(members)))
		c.marks = append(c.marks, 0)
		var all mark
		for _, m := range members {
			n := &nodes[m]
			if n.pointers {
				all |= throughPointer
			}
			for _, e := range c.edges[m] {
				all |= c.marks[c.group[e.to]]
				// The runtime's rings are guarded: malloc starts no collection
				// while it is in one.
				if c.group[e.to] == id && !n.own {
					all |= recursive
				}
			}
		}
		c.marks[id] = all
	})
}

// inRing reports whether a function can come to call itself.
func (c *chains) inRing(fn int32) bool {
	return c.size[c.group[fn]] > 1 || slices.ContainsFunc(c.edges[fn], func(e edge) bool { return e.to == fn })
}
