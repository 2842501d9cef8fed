package callgraph

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A flow is the ways through a function: its blocks, of which the first is entered.
type flow struct {
	blocks []block
	at     map[string]int // blocks by label
	opaque bool           // there is inline assembly that may jump
}

// A block is instructions that run one after the other.
type block struct {
	calls  []string // symbols; "" for what a pointer points to
	to     []string // labels of the blocks that may follow
	leaves bool     // or the function is left: it returns, or jumps where nobody knows
}

// flowReader reads the assembly that gcc and clang write for amd64 and arm64.
type flowReader struct {
	flows   map[string]*flow
	known   map[string]*flow // functions of the unit
	current *flow
	open    bool // the last block goes on
	inline  bool
	labels  int // made up, for blocks without one
}

// readFlow reads the ways through the functions of a unit.
func readFlow(u *unit, r io.Reader) (map[string]*flow, error) {
	x := &flowReader{flows: map[string]*flow{}, known: map[string]*flow{}}
	for _, f := range u.Funcs {
		symbol := symbolOf(f.Name)
		if x.known[symbol] != nil {
			x.known[symbol].opaque = true // two of one name
			continue
		}
		x.known[symbol] = &flow{at: map[string]int{}}
	}
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := shortLine(lines)
		if errors.Is(err, io.EOF) {
			x.end()
			return x.flows, nil
		}
		if err != nil {
			return nil, err
		}
		x.line(line)
	}
}

func (x *flowReader) line(line string) {
	switch trimmed := strings.TrimSpace(line); {
	case inlineStarts(trimmed):
		x.inline = true
	case inlineEnds(trimmed):
		x.inline = false
	case line == "":
	case x.inline:
		if x.current != nil && (strings.Contains(line, ".L") || transferIn(trimmed) != "") {
			x.current.opaque = true
		}
	case line[0] == '\t':
		if x.current != nil && len(line) > 1 && line[1] != '.' {
			x.instruction(remark.ReplaceAllString(line[1:], ""))
		}
	default:
		name, rest, isLabel := strings.Cut(remark.ReplaceAllString(line, ""), ":")
		if !isLabel || strings.ContainsAny(name, " \t") || strings.TrimSpace(rest) != "" {
			return
		}
		if strings.HasPrefix(name, ".L") {
			if x.current != nil {
				x.begin(name)
			}
			return
		}
		x.end()
		symbol, _, cold := strings.Cut(name, ".cold")
		if x.known[name] != nil {
			symbol, cold = name, false
		}
		if x.current = x.known[symbol]; x.current != nil {
			x.flows[symbol] = x.current
			// A part for what hardly ever happens is placed apart, behind the other.
			if cold != (len(x.current.blocks) > 0) {
				x.current.opaque = true
			}
			x.begin(name)
		}
	}
}

// begin starts a block, which the last one runs into if it is open.
func (x *flowReader) begin(label string) {
	f := x.current
	if x.open {
		last := &f.blocks[len(f.blocks)-1]
		last.to = append(last.to, label)
	}
	f.at[label] = len(f.blocks)
	f.blocks = append(f.blocks, block{})
	x.open = true
}

// end ends a function, or a part of one. What runs on from there isn't known.
func (x *flowReader) end() {
	if x.current != nil && x.open {
		x.current.blocks[len(x.current.blocks)-1].leaves = true
	}
	x.current, x.open = nil, false
}

// instruction reads one: "call\tf@PLT", "jne\t.L5".
func (x *flowReader) instruction(text string) {
	op, operands := text, ""
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		op, operands = text[:i], strings.TrimSpace(text[i:])
	}
	switch op = strings.TrimSuffix(op, ";"); op {
	case "notrack", "bnd", "rep", "repz", "lock", "data16", "rex64":
		x.instruction(operands)
		return
	}
	switch op {
	case "call", "callq", "bl":
		x.block().calls = append(x.block().calls, target(operands))
	case "ud2", "brk":
		x.block().calls = append(x.block().calls, trap)
		x.open = false
	case "jmp", "jmpq", "b", "br":
		x.jump(operands, false)
	default:
		switch {
		case strings.HasPrefix(op, "blr"):
			x.block().calls = append(x.block().calls, "")
		case strings.HasPrefix(op, "ret") || strings.HasPrefix(op, "bra"):
			x.block().leaves = true
			x.open = false
		case strings.HasPrefix(op, "j") || strings.HasPrefix(op, "b.") || strings.HasPrefix(op, "loop") || strings.HasPrefix(op, "xbegin"),
			op == "cbz" || op == "cbnz" || op == "tbz" || op == "tbnz":
			x.jump(operands[strings.LastIndexByte(operands, ' ')+1:], true)
		}
	}
}

// block is the one that the next instruction belongs to.
func (x *flowReader) block() *block {
	if !x.open {
		x.begin(x.label())
	}
	return &x.current.blocks[len(x.current.blocks)-1]
}

// label makes one up.
func (x *flowReader) label() string {
	x.labels++
	return "#" + strconv.Itoa(x.labels)
}

// jump ends a block. On a condition the next block may follow too.
func (x *flowReader) jump(to string, condition bool) {
	b := x.block()
	to = strings.TrimSpace(to)
	switch inside := strings.HasPrefix(to, ".L") && !strings.HasSuffix(to, "$local"); {
	case inside:
		b.to = append(b.to, to)
	case condition: // a call in the last place, of which clang makes one block
		call, next := x.label(), x.label()
		b.to = append(b.to, call, next)
		x.open = false
		x.begin(call)
		x.jump(to, false)
		x.begin(next)
		return
	default:
		b.calls = append(b.calls, target(to))
		b.leaves = true
	}
	x.open = condition
	if condition {
		x.begin(x.label())
	}
}

// remark is what clang adds to a line.
var remark = regexp.MustCompile(`\s+(?:#|//|##) .*$`)

// target is the symbol that a call goes to; "" for whatever a pointer points to.
func target(operand string) string {
	operand = strings.TrimSpace(operand)
	if name, ok := strings.CutSuffix(operand, "$local"); ok { // clang's other name for a function of the file
		return strings.TrimPrefix(name, ".L")
	}
	if rest, ok := strings.CutPrefix(operand, "*"); ok { // without a PLT
		name, global := strings.CutSuffix(rest, "@GOTPCREL(%rip)")
		if !global {
			return ""
		}
		return name
	}
	if name, _, ok := strings.Cut(operand, "@"); ok {
		return name
	}
	if strings.HasPrefix(operand, "%") {
		return ""
	}
	return operand
}
