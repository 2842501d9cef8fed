package frames

import (
	"cmp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// A graph is the functions of a program and who calls whom.
type graph struct {
	bin   *symbols.Binary
	img   *symbols.Image
	dec   decoder
	nodes []node
	goes  []goStatement

	panics bool // what leads to a panic counts
}

// A node is a function.
type node struct {
	*symbols.Func
	flow *flow

	never    bool // doesn't return
	apart    bool // runs on another stack, or changes it: what it calls isn't ours
	own      bool // of the runtime
	pointers bool // calls something that isn't known before the program runs
	closures []int32
}

// An edge is a call that can happen on the stack of the caller.
type edge struct {
	to   int32
	tail bool // a jump: the caller's frame is gone
}

// none is no function.
const none = -1

func newGraph(bin *symbols.Binary, img *symbols.Image, panics bool) *graph {
	g := &graph{bin: bin, img: img, dec: decoders[bin.Arch], panics: panics, nodes: make([]node, len(bin.Funcs))}
	for i := range g.nodes {
		n := &g.nodes[i]
		n.Func = &bin.Funcs[i]
		n.own = isRuntime(n.Func)
		n.apart = apart[n.Name]
	}
	g.scan()
	g.dieOut()
	return g
}

// apart are functions that go on with another stack: what they call through
// pointers runs there, on the system stack of a thread (g0). The runtime's own
// tracebacks know the same names, as abi.FuncID.
var apart = map[string]bool{
	"runtime.systemstack": true, "runtime.mcall": true, "runtime.gogo": true, "runtime.asmcgocall": true,
	"runtime.asmcgocall_no_g": true, "runtime.morestack": true, "runtime.morestack_noctxt": true,
	"runtime.morestackc": true, "runtime.rt0_go": true, "runtime.mstart": true, "runtime.cgocallback": true,
	"runtime.systemstack_switch": true, "runtime.sigtramp": true, "runtime.sigreturn__sigaction": true,
	"runtime.racecall": true, "racecall": true, "runtime.vdsoCall": true, "runtime.libcCall": true,
}

// isRuntime reports whether a function is the runtime's, whatever its name: some are
// named after the package that uses them by linkname.
func isRuntime(f *symbols.Func) bool {
	if strings.HasPrefix(f.Name, "runtime.") || strings.HasPrefix(f.Name, "internal/runtime/") {
		return true
	}
	dir := f.File[:max(0, strings.LastIndexByte(f.File, '/'))]
	return dir == "runtime" || strings.HasSuffix(dir, "/src/runtime") || strings.Contains(dir, "/src/internal/runtime/")
}

// find is the function that begins at an address, or none.
func (g *graph) find(pc uint64) int32 {
	f := g.bin.Funcs
	i := sort.Search(len(f), func(i int) bool { return f[i].Entry >= pc })
	if i == len(f) || f[i].Entry != pc {
		return none
	}
	return int32(i)
}

// callee is the function that a call of an address calls. The compiler calls the
// middle of duffzero and duffcopy; other addresses in the middle of functions are
// no calls but data, or instructions that were read wrongly.
func (g *graph) callee(pc uint64) int32 {
	if i := g.find(pc); i != none {
		return i
	}
	if f := g.bin.Lookup(pc); f != nil && strings.HasPrefix(f.Name, "runtime.duff") {
		return g.find(f.Entry)
	}
	return none
}

// scan reads the code of all functions.
func (g *graph) scan() {
	grow := map[uint64]int{}
	var starters []starter
	var deferring []int32
	for i := range g.nodes {
		n := &g.nodes[i]
		if arg, ok := starterNames[n.Name]; ok {
			starters = append(starters, starter{int32(i), arg})
		}
		switch n.Name {
		case "runtime.morestack", "runtime.morestack_noctxt":
			grow[n.Entry] = 1
		case "runtime.morestackc":
			grow[n.Entry] = 2
		case "runtime.deferreturn":
			deferring = append(deferring, int32(i))
		}
	}
	isMorestack := func(pc uint64) int { return grow[pc] }
	workers := runtime.GOMAXPROCS(0)
	found := make([][]goStatement, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			var list []inst
			// Neighbours are of one package and of one kind: turns share them out.
			for i := w; i < len(g.nodes); i += workers {
				n := &g.nodes[i]
				code := g.img.Bytes(n.Entry)
				code = code[:min(uint64(len(code)), n.End-n.Entry)]
				list = g.dec.decode(code, n.Entry, list[:0])
				if len(list) == 0 {
					n.flow = &flow{blocks: make([]block, 1)}
					continue
				}
				f := newFlow(list, n.Entry, n.End, isMorestack)
				for k := range f.calls {
					c := &f.calls[k]
					c.callee = none
					if c.known {
						c.callee = g.callee(c.to)
					}
					f.defers = f.defers || slices.Contains(deferring, c.callee)
				}
				n.flow = f
				found[w] = append(found[w], g.goStatements(int32(i), list, starters)...)
				if f.defers {
					n.closures = g.closures(int32(i), list)
				}
				f.from = nil
			}
		})
	}
	wait.Wait()
	g.goes = slices.Concat(found...)
	for _, s := range g.goes { // what runs in another goroutine isn't deferred
		n := &g.nodes[s.fn]
		n.closures = slices.DeleteFunc(n.closures, func(c int32) bool { return c == s.entry })
	}
	g.throughLibraries(starters)
	slices.SortFunc(g.goes, func(a, b goStatement) int { return cmp.Compare(a.pc, b.pc) })
}

// closures are the function literals of a function whose addresses it takes, and
// what stands for its deferred calls that have arguments.
func (g *graph) closures(fn int32, list []inst) []int32 {
	var found []int32
	for _, in := range list {
		if in.kind != address {
			continue
		}
		c := g.function(in.to)
		if c != none && strings.HasPrefix(g.nodes[c].Name, g.nodes[fn].Name+".") && !strings.Contains(g.nodes[c].Name, ".gowrap") {
			found = append(found, c)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// function is the function that an address stands for: its code's, or that of the
// word with its code's address, as in the values of functions that capture nothing.
func (g *graph) function(addr uint64) int32 {
	if i := g.find(addr); i != none {
		return i
	}
	if g.bin.Lookup(addr) != nil {
		return none
	}
	if pc, ok := g.img.Pointer(addr); ok {
		return g.find(pc)
	}
	return none
}

// dieOut finds the functions of the runtime that don't return: those that are
// known for it, and those that can only end in one of them. Elsewhere a function
// may well do all its work first: there the calls alone are looked at.
func (g *graph) dieOut() {
	for i := range g.nodes {
		g.nodes[i].never = g.nodes[i].own && endsProgram(g.nodes[i].Name)
	}
	never := func(i int32) bool { return g.nodes[i].never }
	for changed := true; changed; {
		changed = false
		for i := range g.nodes {
			n := &g.nodes[i]
			if n.own && !n.never && !n.flow.defers && !n.Asm && n.flow.doomed(never)[0] {
				n.never, changed = true, true
			}
		}
	}
}

// endsProgram tells functions of the runtime that end the program or panic. The
// compiler calls panic… itself where an index is out of range and the like.
func endsProgram(name string) bool {
	_, name, ok := strings.Cut(name, ".")
	if !ok {
		return false
	}
	switch name {
	case "throw", "fatal", "fatalthrow", "fatalpanic", "gopanic", "sigpanic", "sigpanic0", "abort", "dieFromSignal", "crash":
		return true
	case "panicCheck1", "panicCheck2": // look whether a panic is allowed
		return false
	}
	return strings.HasPrefix(name, "panic") || strings.HasPrefix(name, "goPanic")
}

// connect lists the edges of each function. With rare, what the runtime seldom does
// on a goroutine's stack counts.
func (g *graph) connect(rare bool) [][]edge {
	edges := make([][]edge, len(g.nodes))
	never := func(i int32) bool { return g.nodes[i].never }
	var mainMain, mainOfRuntime, doInit int32 = none, none, none
	var inits []int32
	for i := range g.nodes {
		n := &g.nodes[i]
		switch {
		case n.Name == "main.main":
			mainMain = int32(i)
		case n.Name == "runtime.main":
			mainOfRuntime = int32(i)
		case n.Name == "runtime.doInit1":
			doInit = int32(i)
		case isInit(n.Name):
			inits = append(inits, int32(i))
		}
		if n.apart {
			continue
		}
		doomed := n.flow.doomed(never)
		// A function that always ends in a panic has been called for what it does
		// before.
		allCount := g.panics || doomed[0]
		unknown := 0
		for _, c := range n.flow.calls {
			if doomed[c.block] && !allCount {
				continue
			}
			if !c.known {
				unknown++
				continue
			}
			if c.callee == none || g.nodes[c.callee].flow.system || g.nodes[c.callee].never && !g.panics {
				continue
			}
			if n.own && !rare && (isRare(g.nodes[c.callee].Name) || g.inRare(c.pc)) {
				continue
			}
			edges[i] = append(edges[i], edge{c.callee, c.tail})
		}
		for _, c := range n.closures {
			edges[i] = append(edges[i], edge{c, false})
		}
		// Deferred calls are made through pointers, to closures that we know.
		n.pointers = unknown > len(n.closures) && !n.own
	}
	add := func(from int32, to ...int32) {
		if from == none {
			return
		}
		for _, t := range to {
			if t != none {
				edges[from] = append(edges[from], edge{t, false})
			}
		}
	}
	// The runtime finds these through variables that the linker fills in.
	add(mainOfRuntime, mainMain)
	add(doInit, inits...)
	for i, e := range edges {
		slices.SortFunc(e, func(a, b edge) int {
			switch {
			case a.to != b.to || a.tail == b.tail:
				return cmp.Compare(a.to, b.to)
			case b.tail:
				return -1
			}
			return 1
		})
		edges[i] = slices.CompactFunc(e, func(a, b edge) bool { return a.to == b.to })
	}
	return edges
}

// isInit tells the functions that initialise packages: m.init, m.init.0 and, for
// large maps, m.map.init.0.
func isInit(name string) bool {
	i := strings.LastIndexByte(name, '/') + 1
	_, name, ok := strings.Cut(name[i:], ".")
	if !ok {
		return false
	}
	if name == "init" {
		return true
	}
	number, ok := strings.CutPrefix(name, "init.")
	return ok && strings.Trim(number, "0123456789") == ""
}
