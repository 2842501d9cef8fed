package frames

import (
	"sort"
	"strings"
)

// A spot is where a value is: a register, or a word of the frame.
type spot struct {
	reg  int8  // noReg: in the frame
	slot int64 // from the stack pointer, which stands still behind the prologue
}

// valueAt follows the value that a register holds before a call back to where it was
// made: through copies, through the frame, along all ways that lead there. It is the
// function that is the value on all of them, or none: a parameter, a field, a call's
// result, one of several.
//
// A literal that captures something, and a method with its receiver, are made by an
// allocation, into which the address of code is put next. Nothing else needs such an
// address.
func (g *graph) valueAt(f *flow, before [][]int32, c callSite, reg int8, list []inst) int32 {
	type place struct {
		block int32
		at    spot
	}
	type way struct {
		place
		from int   // the instruction behind the last that is left to look at
		code int32 // whose address was passed last
	}
	at := sort.Search(len(list), func(i int) bool { return list[i].pc >= c.pc })
	todo := []way{{place{c.block, spot{reg: reg}}, at, none}}
	seen := map[place]bool{}
	result := int32(none)
	for ; len(todo) > 0; todo = todo[1:] {
		w := todo[0]
		value, made := int32(none), false
		for i := w.from - 1; i >= int(f.from[w.block]) && !made; i-- {
			in := &list[i]
			if in.kind == address {
				if code := g.find(in.to); code != none {
					w.code = code
				}
			}
			switch {
			case in.kind == call || in.kind == callPointer:
				if w.at.reg == noReg || in.kind == call && g.keepsRegisters(in.to) {
					break
				}
				made = true
				if in.kind == call && w.at.reg == g.dec.argument(0) && g.allocates(in.to) { // results are where arguments are
					value = w.code
				}
			case in.kind == store:
				if w.at == (spot{noReg, in.slot}) {
					made = in.src == noReg
					w.at = spot{reg: in.src}
				}
			case w.at.reg == noReg || in.dst != w.at.reg:
			case in.kind == move:
				w.at = spot{reg: in.src}
			case in.kind == load:
				w.at = spot{noReg, in.slot}
			case in.kind == address:
				made, value = true, g.function(in.to)
			default:
				made = true
			}
		}
		switch {
		case made && (value == none || result != none && result != value), !made && w.block == 0:
			return none // not known on one way, or not the same on two
		case made:
			result = value
			continue
		}
		for _, b := range before[w.block] {
			p := place{b, w.at}
			if !seen[p] {
				seen[p] = true
				end := len(list)
				if int(b)+1 < len(f.from) {
					end = int(f.from[b+1])
				}
				todo = append(todo, way{p, end, w.code})
			}
		}
	}
	return result
}

// allocates reports whether an address is of a function that the compiler calls for
// memory.
func (g *graph) allocates(pc uint64) bool {
	i := g.find(pc)
	return i != none && (g.nodes[i].Name == "runtime.newobject" || strings.HasPrefix(g.nodes[i].Name, "runtime.malloc"))
}

// keepsRegisters reports whether it is of one that is called amid other code, and
// changes no register that this has: the write barrier.
func (g *graph) keepsRegisters(pc uint64) bool {
	i := g.find(pc)
	return i != none && strings.HasPrefix(g.nodes[i].Name, "runtime.gcWriteBarrier")
}
