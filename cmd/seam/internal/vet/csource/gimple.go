package csource

import (
	"bufio"
	"io"
	"regexp"
	"slices"
	"strings"
)

// body is what one function does, as far as pointers go.
type body struct {
	name   string
	params []string
	locals map[string]bool
	moves  map[string][]string   // from a variable, or "=f" for what f returned, to others
	stored map[string]bool       // variables whose value is stored in memory
	static map[string]bool       // those of stored that get to a static variable
	member map[string]bool       // and to a member of a parameter
	given  map[string][]handover // by the variable
	result map[string]bool       // what is returned
	writes map[string]bool       // variables through which memory is changed
	calls  []string
	loops  []string            // calls, in order: those in no loop begin with ?, then those through a pointer with *
	labels map[string]int      // by label, how many calls came before it
	times  map[string]int      // how many calls of a function there are
	back   bool                // there is a jump back
	asm    bool                // there is inline assembly
	outer  bool                // memory that isn't a local variable is changed
	names  []string            // what isn't local and is used as a value: functions, and variables of the file
	uses   []string            // variables that aren't local and are read
	sets   []string            // and those that are changed
	loaded map[string][]string // by the variable, those that get what it leads to: v of v = *p
	stores map[string][]string // by the variable, those that are stored where it leads to: v of *p = v

	actions  map[string]*action  // by the local struct sigaction
	constant map[string]int64    // what temporary variables are made of: flags that are or-ed
	offStack string              // by what a handler is installed without SA_ONSTACK
	cxx      bool                // it is C++; for others the following isn't noted
	catches  bool                // it has a handler of exceptions
	refs     map[string][]string // from a variable to those that have its address, or a member's
	reads    map[string][]read   // by the variable
}

// handover is a variable that is an argument of a call.
type handover struct {
	callee    string
	arg       int
	result    string // the variable that takes the result
	frees     bool   // with a function that frees beside it: bind(p, free)
	reference bool   // its address is
}

var (
	memory = regexp.MustCompile(`MEM(?: <[^<>]*>)? ?\[\([^()]*\)([A-Za-z_$][\w$.]*)(?: \+ [0-9]+B)?\]`)
	local  = regexp.MustCompile(`^\s+[^<>()]*?([A-Za-z_$][\w$.]*)(?:\[[^\]]*\])*;$`)
	header = regexp.MustCompile(`^\S.*?([A-Za-z_$][\w$]*) \((.*)\)$`)
)

// cDump is the dump of gcc that C is read from, without the lines' numbers, which nobody needs.
const cDump = "-fdump-tree-gimple-raw="

// readBodies reads a dump of gcc ([cDump]). Dumps have millions of lines, so a regular expression
// is asked only about those that it may fit.
func readBodies(r io.Reader) ([]*body, error) {
	var all []*body
	var b *body
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 64<<20)
	for lines.Scan() {
		line := plain(lines.Text())
		if strings.HasSuffix(line, ")") && !strings.HasPrefix(line, "gimple_") {
			if m := header.FindStringSubmatch(line); m != nil {
				b = newBody(m[1], parameterNames(m[2]))
				all = append(all, b)
				continue
			}
		}
		if b == nil {
			continue
		}
		if kind, args, ok := statement(line); ok {
			b.statement(kind, split(args))
		} else if strings.HasPrefix(strings.TrimSpace(line), "gimple_asm ") {
			b.asm = true
		} else {
			b.declare(line)
		}
	}
	return all, lines.Err()
}

// plain is a line in which MEM[(struct box *)p].name is written p->.name.
func plain(line string) string {
	if !strings.Contains(line, "MEM") {
		return line
	}
	return memory.ReplaceAllString(line, "$1->")
}

// statement takes a line of the form gimple_kind <args> apart.
func statement(line string) (kind, args string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "gimple_")
	if !ok {
		return "", "", false
	}
	kind, args, ok = strings.Cut(rest, " <")
	args, whole := strings.CutSuffix(args, ">")
	return kind, args, ok && whole
}

// firstWord is the first name in a text, with its members: a.b of &a.b.
func firstWord(s string) string {
	for i := 0; i < len(s); i++ {
		if !startsName(s[i]) {
			continue
		}
		end := i + 1
		for end < len(s) && (startsName(s[end]) || isDigit(s[end]) || s[end] == '.') {
			end++
		}
		return s[i:end]
	}
	return ""
}

// lastWord is the last name in a text.
func lastWord(s string) (last string) {
	for s != "" {
		w := firstWord(s)
		if w == "" {
			break
		}
		last = w
		s = s[strings.Index(s, w)+len(w):]
	}
	return last
}

func startsName(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func newBody(name string, params []string) *body {
	b := &body{
		name: name, params: params, locals: map[string]bool{}, moves: map[string][]string{}, stored: map[string]bool{}, static: map[string]bool{}, member: map[string]bool{}, given: map[string][]handover{},
		result: map[string]bool{}, writes: map[string]bool{}, labels: map[string]int{}, times: map[string]int{}, loaded: map[string][]string{}, stores: map[string][]string{},
		refs: map[string][]string{}, reads: map[string][]read{}, actions: map[string]*action{}, constant: map[string]int64{},
	}
	for _, p := range params {
		b.locals[p] = true
	}
	return b
}

// parameterNames are the last words of declarations of parameters.
func parameterNames(list string) (names []string) {
	for _, p := range split(list) {
		if name := lastWord(p); name != "" && p != "void" {
			names = append(names, name)
		}
	}
	return names
}

// declare notes the local variable that a line declares, if it does.
func (b *body) declare(line string) {
	if !strings.HasSuffix(line, ";") {
		return
	}
	if m := local.FindStringSubmatch(line); m != nil && !strings.Contains(line, " static ") {
		b.locals[m[1]] = true
	}
}

func (b *body) statement(kind string, args []string) {
	switch kind {
	case "assign":
		if len(args) >= 3 {
			b.assign(args[0], args[1], args[2:])
		}
	case "call":
		if len(args) >= 2 {
			b.call(args[0], args[1], args[2:])
		}
	case "return":
		if v := b.variable(args[0]); v != "" {
			b.result[v] = true
		} else if b.isStatic("addr_expr", args[0]) {
			b.result[static] = true
		}
	case "label":
		b.labels[strings.Trim(args[0], "<>")] = len(b.loops)
	case "goto":
		b.jump(args[0])
	case "cond":
		for _, a := range args[max(0, len(args)-2):] {
			b.jump(a)
		}
	}
}

// jump notes the calls between a label and a jump back to it.
func (b *body) jump(label string) {
	if n, back := b.labels[strings.Trim(label, "<>")]; back {
		b.back = true
		for i := n; i < len(b.loops); i++ {
			b.loops[i] = strings.TrimPrefix(b.loops[i], "?")
		}
	}
}

// loads are the operators that read memory: what they give is not the pointer itself.
var loads = []string{"mem_ref", "component_ref", "array_ref", "integer_cst", "real_cst", "string_cst", "indirect_ref"}

// comparisons give no pointer, whatever they are given.
var comparisons = []string{"eq_expr", "ne_expr", "lt_expr", "le_expr", "gt_expr", "ge_expr", "truth_not_expr"}

func (b *body) assign(op, to string, values []string) {
	b.setAction(op, to, values)
	deref := strings.ContainsAny(to, "*") || strings.Contains(to, "->")
	base := b.base(to)
	if deref {
		b.writes[base] = true
	}
	b.outer = b.outer || deref || !b.local(base)
	b.takeNames(values)
	b.useVariables(values)
	if !deref && base != "" && !b.local(base) {
		b.sets = add(b.sets, base)
	}
	if target := base; !deref && b.local(target) && len(values) > 0 && b.isStatic(op, values[0]) {
		b.flow(target, static)
	}
	if slices.Contains(comparisons, op) {
		return
	}
	target := base
	if deref || !b.local(base) {
		target = ""
	}
	if name, ok := strings.CutPrefix(to, "*"); ok && len(values) > 0 && b.local(name) {
		if v := b.variable(values[0]); v != "" {
			b.stores[name] = add(b.stores[name], v)
		}
	}
	if name, ok := strings.CutPrefix(values[0], "*"); ok && b.local(name) && target != "" {
		b.loaded[name] = add(b.loaded[name], target)
	}
	if slices.Contains(loads, op) && !strings.HasPrefix(values[0], "&") {
		b.takes(values[0], read{to: target})
		return
	}
	for _, operand := range values {
		v := b.variable(operand)
		if b.cxx && target != "" && v != "" && isReference(operand) {
			b.refs[v] = append(b.refs[v], target)
		}
		switch {
		case v == "":
		case target == "":
			b.stored[v] = true
			b.static[v] = b.static[v] || !deref
			b.member[v] = b.member[v] || slices.Contains(b.params, base) && strings.Contains(to, "->")
		default:
			b.flow(base, v)
		}
	}
}

// static stands for what is the address of a constant or of a static variable.
const static = "&"

// isStatic reports whether an operand is such an address.
func (b *body) isStatic(op, operand string) bool {
	if strings.HasPrefix(operand, `"`) || strings.HasPrefix(operand, `&"`) {
		return true
	}
	name, address := strings.CutPrefix(operand, "&")
	return op == "addr_expr" && address && !strings.ContainsAny(name, "*>") && firstWord(name) != "" && !b.local(b.base(name))
}

// useVariables notes the variables of the file that operands read, or read a part of.
func (b *body) useVariables(operands []string) {
	for _, o := range operands {
		if strings.HasPrefix(o, `"`) || strings.HasPrefix(o, "&") {
			continue
		}
		if w, _, _ := strings.Cut(firstWord(o), "."); w != "" && w != "NULL" && !b.local(b.base(o)) {
			b.uses = add(b.uses, w)
		}
	}
}

func add(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// takeNames notes the names among operands that aren't local: &f of a function f.
func (b *body) takeNames(operands []string) {
	for _, o := range operands {
		o = strings.TrimPrefix(o, "&")
		if name := firstWord(o); name != "" && name == o && name != "NULL" && !b.local(name) && !slices.Contains(b.names, name) {
			b.names = append(b.names, name)
		}
	}
}

func (b *body) call(callee, to string, args []string) {
	b.takeNames(args)
	b.useVariables(args)
	name := callee
	if b.local(callee) || firstWord(callee) != callee {
		name = "" // through a pointer
	}
	b.useAction(name, args)
	if !slices.Contains(b.calls, name) && name != "" {
		b.calls = append(b.calls, name)
	}
	in := name
	if name == "" {
		in = "*" + callee
	}
	b.loops = append(b.loops, "?"+in)
	b.times[name]++
	result := ""
	if to != "NULL" {
		result = firstWord(to)
		if strings.Contains(to, "*") || strings.Contains(to, "->") || !b.local(result) {
			b.outer = true
			result = ""
		}
		if result != "" {
			b.flow(result, "="+name)
		}
	}
	destructor := slices.ContainsFunc(args, func(a string) bool { return slices.Contains([]string{"free", "&free"}, a) })
	for i, a := range args {
		if v := b.variable(a); v != "" {
			b.given[v] = append(b.given[v], handover{name, i, result, destructor, isReference(a)})
		} else {
			b.takes(a, read{handed: &handover{callee: name, arg: i, result: result}})
		}
	}
}

func (b *body) flow(to, from string) {
	if to != from && !slices.Contains(b.moves[from], to) {
		b.moves[from] = append(b.moves[from], to)
	}
}

// variable is the local variable whose value, or the address of a part of what it points
// to, an operand is; "" for others.
func (b *body) variable(operand string) string {
	switch {
	case strings.HasPrefix(operand, "*"), strings.HasPrefix(operand, `"`), operand == "NULL":
		return ""
	case !strings.HasPrefix(operand, "&") && strings.ContainsAny(operand, "->[."):
		if !temporary(operand) {
			return ""
		}
	}
	v := b.base(operand)
	if !b.local(v) {
		return ""
	}
	return v
}

// base is the variable that an operand begins with: the longest name, without members, that
// is a local one.
func (b *body) base(operand string) string {
	name := firstWord(operand)
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		if b.local(name[:end]) {
			return name[:end]
		}
	}
	return name
}

// temporary reports whether a name is one of those that gcc makes: _1, p.2.
func temporary(name string) bool {
	end := len(name)
	for end > 0 && isDigit(name[end-1]) {
		end--
	}
	if end == len(name) || end == 0 || name[end-1] != '_' && name[end-1] != '.' {
		return false
	}
	for i := 0; i < end-1; i++ {
		if !startsName(name[i]) && !isDigit(name[i]) {
			return false
		}
	}
	return true
}

func (b *body) local(name string) bool {
	return b.locals[name] || temporary(name)
}

// split splits at the commas that are in no parentheses, brackets or quotes.
func split(s string) []string {
	var parts []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}
