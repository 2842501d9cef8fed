package callgraph

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// pointers says, for one unit, where values may get to: as much as is needed to tell which
// functions a call through a pointer may reach. It is made from what gcc writes of the
// program before it optimises (-fdump-tree-gimple-raw-lineno), and knows nothing of types,
// of conditions, or of which struct a member belongs to.
//
// Places have names:
//
//	v:f:x  variable or parameter x of function f     (f:2   f's third parameter
//	g:x    global variable x                         =f     what f returns
//	.x     a member x of any struct or union         &f     the address of f
//	*      any memory that is reached by a pointer   ...    arguments beyond the declared ones
//	(*)    arguments of calls through pointers       =*     their results
type pointers struct {
	Places []string           `json:"places"`
	Moves  []int32            `json:"moves"` // pairs of places: a value of the first may get to the second
	Calls  map[string][]int32 `json:"calls"` // by file:line:column, the places that are called there

	index map[string]int32
	seen  map[[2]int32]bool
}

const (
	memory     = "*"
	variadic   = "..."
	toPointers = "(*)"
	ofPointers = "=*"
)

func (p *pointers) place(name string) int32 {
	n, ok := p.index[name]
	if !ok {
		n = int32(len(p.Places))
		p.index[name] = n
		p.Places = append(p.Places, name)
	}
	return n
}

func (p *pointers) move(from, to string) {
	if from == "" || to == "" || from == to {
		return
	}
	e := [2]int32{p.place(from), p.place(to)}
	if !p.seen[e] {
		p.seen[e] = true
		p.Moves = append(p.Moves, e[0], e[1])
	}
}

// pointerReader reads the statements of one function after the other.
type pointerReader struct {
	*pointers
	function string
	locals   map[string]bool // whether one holds no address
	number   bool            // the function returns no address
}

var (
	location    = regexp.MustCompile(`\[([^\[\]\s]+:[0-9]+:[0-9]+)(?: discrim [0-9]+)?\] `)
	temporary   = regexp.MustCompile(`^(?:_[0-9]+|[\w$.]*[._][0-9]+)$`)
	identifier  = regexp.MustCompile(`^[A-Za-z_$][\w$.]*$`)
	initialiser = regexp.MustCompile(`(?:\.([A-Za-z_]\w*)=)?&?([A-Za-z_]\w*)`)
	quoted      = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// readPointers reads a dump.
func readPointers(r io.Reader) (*pointers, error) {
	p := pointerReader{pointers: &pointers{Calls: map[string][]int32{}, index: map[string]int32{}, seen: map[[2]int32]bool{}}}
	lines := bufio.NewReaderSize(r, 64<<10)
	header := ""
	for {
		line, err := lines.ReadString('\n')
		if text := strings.TrimRight(line, "\n"); text != "" {
			if begins := location.ReplaceAllString(text, ""); begins == "gimple_bind <" && header != "" {
				p.begin(location.ReplaceAllString(header, ""))
				header = ""
			} else if text[0] != ' ' {
				header = text
			} else {
				p.statement(strings.TrimSpace(text))
			}
		}
		if errors.Is(err, io.EOF) {
			return p.pointers, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// begin reads "int f (struct db * d, int (*<T1>) (int) g)".
func (p *pointerReader) begin(header string) {
	p.function, p.locals = "", map[string]bool{}
	open := lastGroup(header)
	if open < 0 {
		return
	}
	before := strings.Fields(header[:open])
	if len(before) == 0 {
		return
	}
	p.function = before[len(before)-1]
	p.number = isNumber(strings.Join(before[:len(before)-1], " "))
	for i, param := range splitList(strings.TrimSuffix(header[open+1:], ")")) {
		words := strings.FieldsFunc(param, func(r rune) bool { return strings.ContainsRune(" *()[]", r) })
		if param == "..." || len(words) == 0 {
			continue
		}
		name := words[len(words)-1]
		p.locals[name] = isNumber(strings.TrimSuffix(param, name))
		p.move(parameter(p.function, i), p.storage(name))
	}
}

// parameter names the place of a function's parameter.
func parameter(function string, i int) string { return "(" + function + ":" + strconv.Itoa(i) }

func (p *pointerReader) variable(name string) string { return "v:" + p.function + ":" + name }

// statement reads one statement, or the declaration of a variable.
func (p *pointerReader) statement(text string) {
	at := ""
	if m := location.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, m[0]) {
		at = m[1]
	}
	text = location.ReplaceAllString(text, "")
	kind, rest, ok := strings.Cut(text, " <")
	if !ok || !strings.HasPrefix(kind, "gimple_") {
		if strings.HasSuffix(text, ";") && !strings.HasPrefix(text, "gimple_") {
			p.declare(strings.TrimSuffix(text, ";"))
		}
		return
	}
	end := strings.LastIndexByte(rest, '>')
	if end < 0 {
		return
	}
	args := splitList(rest[:end])
	switch kind {
	case "gimple_assign":
		if len(args) >= 3 && !number[args[0]] {
			to := p.storage(args[1])
			if args[0] == "var_decl" {
				p.move(p.storage(args[2]), to)
				break
			}
			for _, a := range args[2:] {
				p.moveValue(a, to)
			}
		}
	case "gimple_return":
		if len(args) > 0 && !p.number {
			p.moveValue(args[0], "="+p.function)
		}
	case "gimple_call":
		if len(args) >= 2 {
			p.call(at, args[0], args[1], args[2:])
		}
	}
}

// number are operations whose result is no address.
var number = map[string]bool{
	"eq_expr": true, "ne_expr": true, "lt_expr": true, "le_expr": true, "gt_expr": true, "ge_expr": true,
	"mult_expr": true, "trunc_div_expr": true, "exact_div_expr": true, "trunc_mod_expr": true, "rdiv_expr": true,
	"pointer_diff_expr": true, "float_expr": true, "fix_trunc_expr": true, "integer_cst": true, "real_cst": true,
	"string_cst": true, "negate_expr": true, "abs_expr": true, "lshift_expr": true, "rshift_expr": true,
}

func (p *pointerReader) call(at, function, result string, args []string) {
	to := p.storage(result)
	switch {
	case strings.HasPrefix(function, "."):
		p.move(variadic, to) // .VA_ARG
	case identifier.MatchString(function) && !p.local(function):
		for i, a := range args {
			p.moveValue(a, parameter(function, i))
		}
		p.move("="+function, to)
	default:
		p.Calls[at] = append(p.Calls[at], p.place(p.storage(function)))
		for _, a := range args {
			p.moveValue(a, toPointers)
		}
		p.move(ofPointers, to)
	}
}

// declare reads "void (*<T1>) (int) f", "int a[2]", and of static variables what they are set to.
func (p *pointerReader) declare(text string) {
	left, right, set := strings.Cut(text, " = ")
	for strings.HasSuffix(left, "]") {
		left = left[:strings.LastIndexByte(left, '[')]
	}
	words := strings.FieldsFunc(left, func(r rune) bool { return strings.ContainsRune(" *()", r) })
	if len(words) < 2 {
		return
	}
	name := words[len(words)-1]
	p.locals[name] = isNumber(strings.TrimSuffix(left, name))
	if !set {
		return
	}
	for _, m := range initialiser.FindAllStringSubmatch(quoted.ReplaceAllString(right, ""), -1) {
		to := p.variable(name)
		if m[1] != "" {
			to = "." + m[1]
		}
		p.move("&"+m[2], to)
	}
}

func (p *pointerReader) local(name string) bool {
	_, ok := p.locals[name]
	return ok || temporary.MatchString(name)
}

// isNumber reports whether a type is too small for an address, or none for one.
func isNumber(typ string) bool {
	switch strings.TrimSpace(strings.ReplaceAll(typ, "const ", "")) {
	case "int", "unsigned int", "short int", "short unsigned int", "char", "signed char", "unsigned char", "_Bool", "float", "double",
		"uint32_t", "int32_t", "uint16_t", "int16_t", "uint8_t", "int8_t", "void":
		return true
	}
	return false
}

// storage names the place of an operand; "" if it is none.
func (p *pointerReader) storage(op string) string {
	for strings.HasPrefix(op, "(") { // a cast
		_, after, ok := strings.Cut(op, ") ")
		if !ok {
			break
		}
		op = after
	}
	for strings.HasSuffix(op, "]") && !strings.HasPrefix(op, "MEM") {
		op = op[:openingOf(op)]
	}
	switch {
	case op == "" || op == "NULL" || strings.IndexByte(`"-0123456789{&`, op[0]) >= 0:
		return ""
	case op[0] == '*':
		return memory
	}
	if i := lastMember(op); i >= 0 {
		return "." + op[i:]
	}
	switch {
	case !identifier.MatchString(op):
		return memory // MEM[…], a part of something
	case p.locals[op]:
		return "" // a number
	case p.local(op):
		return p.variable(op)
	}
	return "g:" + op
}

// moveValue notes that the value of an operand gets to a place.
func (p *pointerReader) moveValue(op, to string) {
	if inner, ok := strings.CutPrefix(op, "&"); ok {
		if identifier.MatchString(inner) && !p.local(inner) {
			p.move("&"+inner, to)
		}
		// What is there can be read and written through the address.
		p.move(p.storage(inner), memory)
		p.move(memory, p.storage(inner))
		return
	}
	if identifier.MatchString(op) && !p.local(op) && op != "NULL" {
		p.move("&"+op, to) // a function: a global variable is read by a statement of its own
		return
	}
	p.move(p.storage(op), to)
}

// lastMember is where the name of the last member begins in "p->a.b"; -1 if there is none.
func lastMember(op string) int {
	depth := 0
	for i := len(op) - 1; i > 0; i-- {
		switch op[i] {
		case ')', ']':
			depth++
		case '(', '[':
			depth--
		case '.', '>':
			if depth != 0 || op[i] == '>' && op[i-1] != '-' {
				continue
			}
			if i+1 < len(op) && identifier.MatchString(op[i+1:]) {
				return i + 1
			}
			return -1 // "iftmp.0"
		}
	}
	return -1
}

// openingOf is where the bracket stands that the last byte closes.
func openingOf(op string) int {
	depth := 0
	for i := len(op) - 1; i >= 0; i-- {
		switch op[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// lastGroup is where the last parenthesis opens that isn't in another; -1 if the text does not end with one.
func lastGroup(s string) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		default:
			if depth == 0 {
				return -1
			}
		}
	}
	return -1
}

// splitList splits at the commas that are in no brackets or quotes.
func splitList(s string) []string {
	var list []string
	depth, start := 0, 0
	inString := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			list = append(list, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		list = append(list, last)
	}
	return list
}
