package csource

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/cycles"
)

// cxxDump is the dump of gcc that C++ is read from. It is the first in which every function
// has the name that the linker knows, as gcc gives them when it writes down a program for the
// linker (-flto): before, a method free looks like the function of the C library. It consists
// of basic blocks.
const cxxDump = "-fdump-tree-fixup_cfg1-raw-asmname="

var (
	function = regexp.MustCompile(`^;; Function .*\(([\w$.]+), funcdef_no=`)
	blockAt  = regexp.MustCompile(`^\s*<bb ([0-9]+)> :`)
	gotoAt   = regexp.MustCompile(`^\s*goto <bb ([0-9]+)>;`)
	labelled = regexp.MustCompile(`<(\w[\w.]*)>`)
	cxxLocal = regexp.MustCompile(`^\s+\S.*?([A-Za-z_$][\w$.]*)(?:\[[^\]]*\])*(?: \[value-expr: .*\])?;$`) // its type may be <anon>
)

// block is a basic block of a C++ function.
type block struct {
	next   []int    // numbers of the blocks that it jumps to
	labels []string // of a switch
	calls  [2]int   // which of body.loops are in it
	ends   bool     // what stands behind it isn't reached from here
}

// readCxxBodies reads a dump of g++ (cxxDump).
func readCxxBodies(r io.Reader) ([]*body, error) {
	var all []*body
	var b *body
	var at *block
	blocks, labels := map[int]*block{}, map[string]int{}
	number, name, head := 0, "", ""
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 64<<20)
	for lines.Scan() {
		line := plain(lines.Text())
		if m := function.FindStringSubmatch(line); m != nil {
			name, head = m[1], ""
			continue
		}
		switch {
		case name != "" && line == "{":
			b = newBody(name, parameters(head))
			b.cxx = true
			all = append(all, b)
			name, at = "", nil
			clear(blocks)
			clear(labels)
		case name != "":
			if line != "" {
				head = line
			}
		case b == nil:
		case line == "}":
			b.findLoops(blocks, labels)
			b = nil
		default:
			if m := blockAt.FindStringSubmatch(line); m != nil {
				number, _ = strconv.Atoi(m[1])
				at = &block{calls: [2]int{len(b.loops), len(b.loops)}}
				blocks[number] = at
			} else if at == nil {
				if m := cxxLocal.FindStringSubmatch(line); m != nil && !strings.Contains(line, " static ") {
					b.locals[m[1]] = true
				}
			} else if label := at.read(b, line); label != "" {
				labels[label] = number
			}
		}
	}
	return all, lines.Err()
}

// read reads a line of a block, and returns the label that it sets, if it does.
func (x *block) read(b *body, line string) (label string) {
	if m := gotoAt.FindStringSubmatch(line); m != nil {
		to, _ := strconv.Atoi(m[1])
		x.next, x.ends = append(x.next, to), true
		return ""
	}
	kind, args, ok := statement(line)
	if !ok {
		b.asm = b.asm || strings.HasPrefix(strings.TrimSpace(line), "gimple_asm ")
		return ""
	}
	switch kind {
	case "label":
		return strings.Trim(args, "<>")
	case "switch":
		for _, l := range labelled.FindAllStringSubmatch(args, -1) {
			x.labels = append(x.labels, l[1])
		}
		x.ends = true
	case "return", "resx", "eh_dispatch":
		x.ends = true
		b.catches = b.catches || kind == "eh_dispatch"
	}
	b.statement(kind, split(args))
	x.calls[1] = len(b.loops)
	return ""
}

// parameters are the names in the last parentheses of a function's declaration.
func parameters(declaration string) (names []string) {
	depth := 0
	for i := len(declaration) - 1; i >= 0; i-- {
		switch declaration[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return parameterNames(strings.TrimSuffix(declaration[i+1:], ")"))
			}
		}
	}
	return nil
}

// findLoops notes the calls in blocks that lead to themselves.
func (b *body) findLoops(blocks map[int]*block, labels map[string]int) {
	last := -1
	for n := range blocks {
		last = max(last, n)
	}
	edges := make([][]int, last+1)
	for n, x := range blocks {
		for _, l := range x.labels {
			if to, ok := labels[l]; ok {
				x.next = append(x.next, to)
			}
		}
		if !x.ends {
			x.next = append(x.next, n+1)
		}
		for _, to := range x.next {
			if to <= last {
				edges[n] = append(edges[n], to)
			}
		}
	}
	cycles.Groups(len(edges), cycles.Next(edges), func(group []int) {
		if len(group) == 1 && !slices.Contains(edges[group[0]], group[0]) {
			return
		}
		b.back = true
		for _, n := range group {
			if x := blocks[n]; x != nil {
				for i := x.calls[0]; i < x.calls[1]; i++ {
					b.loops[i] = strings.TrimPrefix(b.loops[i], "?")
				}
			}
		}
	})
}

// complete makes calls of a constructor or destructor of whole objects (C1, D1) those of the
// one for parts (C2, D2), where the compiler wrote one body for both.
func complete(bodies []*body) {
	defined := map[string]bool{}
	for _, b := range bodies {
		defined[b.name] = true
	}
	other := func(name string) string {
		if !strings.HasPrefix(name, "_Z") || defined[name] {
			return name
		}
		if whole := structor.ReplaceAllString(name, "${1}2$2"); defined[whole] {
			return whole
		}
		return name
	}
	for _, b := range bodies {
		for i, c := range b.calls {
			b.calls[i] = other(c)
		}
		for i, c := range b.loops {
			mark := ""
			if c != "" && c[0] == '?' {
				mark, c = "?", c[1:]
			}
			b.loops[i] = mark + other(c)
		}
		times := map[string]int{}
		for c, n := range b.times {
			times[other(c)] += n
		}
		b.times = times
		for _, list := range b.given {
			for i := range list {
				list[i].callee = other(list[i].callee)
			}
		}
		for _, list := range b.reads {
			for _, r := range list {
				if r.handed != nil {
					r.handed.callee = other(r.handed.callee)
				}
			}
		}
	}
}

var structor = regexp.MustCompile(`([CD])1([EI])`)

// throwers are functions of the C++ library that throw what the caller could have known: std::vector's
// at, std::stoi. That memory, a thread or a lock can't be had is left out, as is what only a mistake in the
// library makes.
var throwers = regexp.MustCompile(`^_ZSt\d+__throw_(?:out_of_range|invalid_argument|bad_optional_access|bad_variant_access|bad_function_call|regex_error|ios_failure)`)

// throwing is by what an exception may leave a function, as far as what it calls is seen; "" if by
// nothing.
func (b *body) throwing(known *Facts) string {
	if !b.cxx || slices.Contains(known.noexcept, b.name) {
		return ""
	}
	// What throws again lets out what the other calls have thrown; containers do so where memory is lacking.
	if b.catches && !slices.Contains(b.calls, "__cxa_rethrow") {
		return ""
	}
	for _, c := range b.calls {
		switch f := known.Func(c); {
		case c == "__cxa_throw":
			return "throw"
		case throwers.MatchString(c):
			return "the C++ library"
		case f != nil && f.Throws != "":
			return c
		}
	}
	return ""
}

// noThrow finds the functions that are declared to let no exception out: of those the program ends by
// the author's own wish.
var noThrow = regexp.MustCompile(`([A-Za-z_]\w*)\s*\([^(){};]*\)\s*(?:const\s*)?noexcept\b\s*(\(\s*false)?`)
