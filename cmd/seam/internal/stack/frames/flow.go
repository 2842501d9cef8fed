package frames

import (
	"slices"
	"sort"
)

// A function's flow: what it calls, and from which of its blocks.
type flow struct {
	blocks []block
	calls  []callSite // by address

	checks bool    // begins with a check of the stack, which can let it grow
	system bool    // checks the system stack: runs on no goroutine's own (go:systemstack)
	defers bool    // has deferred calls
	from   []int32 // of each block: its first instruction, while they are at hand
}

// A block is instructions that run one after the other.
type block struct {
	first, end int32 // of its calls
	next       []int32
	ends       bool // in a trap: what stands here doesn't go on
}

// A callSite is a call, or a jump that leaves the function.
type callSite struct {
	pc     uint64
	to     uint64
	block  int32
	tail   bool // a jump
	known  bool // to is an address
	callee int32
}

// newFlow cuts a function's instructions into blocks. isMorestack tells the
// functions that a prologue calls for a larger stack: 1 for a goroutine's, 2 for
// the system's.
//
// A jump through a table may lead to every block that nothing else leads to: the
// compiler makes a block for each case, reached by the table alone.
func newFlow(list []inst, entry, end uint64, isMorestack func(uint64) int) *flow {
	f := &flow{}
	inside := func(to uint64) bool { return to >= entry && to < end }
	starts := []uint64{entry}
	for i, in := range list {
		switch in.kind {
		case jump, branch:
			if inside(in.to) {
				starts = append(starts, in.to)
			}
			fallthrough
		case back, stop, jumpTable, jumpPointer:
			if i+1 < len(list) {
				starts = append(starts, list[i+1].pc)
			}
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	f.blocks, f.from = make([]block, len(starts)), make([]int32, len(starts))
	at := func(pc uint64) int32 {
		return int32(sort.Search(len(starts), func(i int) bool { return starts[i] > pc }) - 1)
	}
	reached := make([]bool, len(starts))
	reached[0] = true
	var tables []int32
	b, grows := int32(-1), false
	link := func(to int32) {
		f.blocks[b].next = append(f.blocks[b].next, to)
		reached[to] = true
	}
	for i, in := range list {
		if int(b+1) < len(starts) && in.pc >= starts[b+1] {
			b++
			f.from[b] = int32(i)
			f.blocks[b].first, f.blocks[b].end = int32(len(f.calls)), int32(len(f.calls))
			grows = false
		}
		site := callSite{pc: in.pc, to: in.to, block: b}
		isLast := i+1 == len(list) || int(b+1) < len(starts) && list[i+1].pc >= starts[b+1]
		leaves := false
		switch in.kind {
		case call:
			if m := isMorestack(in.to); m != 0 {
				grows = true
				f.checks = f.checks || m == 1
				f.system = f.system || m == 2
				break
			}
			site.known = true
			f.calls = append(f.calls, site)
		case callPointer:
			f.calls = append(f.calls, site)
		case jump:
			leaves = true
			switch {
			case grows: // back to the check, which then holds
			case inside(in.to):
				link(at(in.to))
			default:
				site.tail, site.known = true, true
				f.calls = append(f.calls, site)
			}
		case jumpPointer:
			leaves = true
			site.tail = true
			f.calls = append(f.calls, site)
		case jumpTable:
			leaves = true
			tables = append(tables, b)
		case branch:
			if inside(in.to) {
				link(at(in.to))
			}
		case back:
			leaves = true
		case stop:
			leaves = true
			f.blocks[b].ends = true
		}
		f.blocks[b].end = int32(len(f.calls))
		if isLast && !leaves && int(b+1) < len(starts) {
			link(b + 1)
		}
	}
	for _, from := range tables {
		for to := range f.blocks {
			if !reached[to] {
				f.blocks[from].next = append(f.blocks[from].next, int32(to))
			}
		}
	}
	return f
}

// loops reports whether a block can follow itself: whether it stands in a loop. The
// jump from the call of morestack to the prologue is no link. What is right by
// this: every loop that the compiler left a loop, also of goto, also around code
// that was inlined. What isn't seen: a loop in a caller.
func (f *flow) loops(b int32) bool {
	seen := make([]bool, len(f.blocks))
	todo := slices.Clone(f.blocks[b].next)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == b {
			return true
		}
		if !seen[n] {
			seen[n] = true
			todo = append(todo, f.blocks[n].next...)
		}
	}
	return false
}

// doomed tells which blocks can only end in a call that doesn't return (or a trap).
func (f *flow) doomed(never func(callee int32) bool) []bool {
	d := make([]bool, len(f.blocks))
	some := false
	for i, b := range f.blocks {
		if b.ends {
			d[i], some = true, true
		}
		for _, c := range f.calls[b.first:b.end] {
			if c.callee >= 0 && never(c.callee) {
				d[i], some = true, true
			}
		}
	}
	for changed := some; changed; {
		changed = false
		for i := len(f.blocks) - 1; i >= 0; i-- {
			b := &f.blocks[i]
			if d[i] || len(b.next) == 0 {
				continue
			}
			// A block that a table or a return ends has no next or other ones too.
			if !slices.ContainsFunc(b.next, func(n int32) bool { return !d[n] }) && !f.leaves(i) {
				d[i], changed = true, true
			}
		}
	}
	return d
}

// leaves reports whether a block ends in a jump out of the function.
func (f *flow) leaves(i int) bool {
	b := &f.blocks[i]
	return b.end > b.first && f.calls[b.end-1].tail
}
