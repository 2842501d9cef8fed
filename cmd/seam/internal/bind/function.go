package bind

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// A function is a C function that is bound.
type function struct {
	declared
	c      string
	goName string // of the function that takes what C takes
	args   string // the variable that holds the C function
	params []parameter
	result string // the Go type; "" if there is none
	mode   Mode

	described *Described // what bind.seam says; nil for nothing
	errno     bool       // the raw function returns errno, too
	layer     string     // the text of the function on Go values; "" without one
}

// A parameter has its Go type, and the slot in which package dl passes it.
type parameter struct {
	c, name, typ, slot, in string
	ctype                  cc.Type
}

// function takes a function. why says why it can't be bound.
func (g *generator) function(d declared, exported map[string]bool) (why string) {
	f := d.Type().(*cc.FunctionType)
	switch {
	case (d.inline || d.IsStatic()) && !g.o.viaCgo():
		return "an inline function is C's text, and no symbol: via cgo calls it"
	case exported != nil && !exported[d.Name()] && !d.inline && !d.IsStatic():
		if l := g.o.elsewhere[d.Name()]; l != "" {
			return l + " has it, and the libraries of a package are tried in turn until one is found: make a package for each"
		}
		return "the library has no such symbol"
	case f.IsVariadic():
		if g.o.viaCgo() {
			return "it is variadic: write a C function for each of its uses"
		}
		return "it is variadic: describe each of its uses by a struct for dl.Of"
	}
	if g.distrusted[d.Name()] {
		return "the C compiler refuses a call of it"
	}
	fn := &function{declared: d, c: d.Name()}
	fn.described, fn.mode = g.describe(fn.c)
	var data []int // parameters that stand for a Go value in C, or for a number
	used := map[string]bool{}
	for i, p := range f.Parameters() {
		if p.Type().Kind() == cc.Void {
			continue
		}
		t, err := g.goType(p.Type().Decay(), true)
		if err != nil {
			return fmt.Sprintf("parameter %d: %v", i+1, err)
		}
		n := parameterName(p.Name(), i)
		for used[n] {
			n += "_"
		}
		used[n] = true
		q := parameter{p.Name(), n, t, t, n, p.Type()}
		switch k := p.Type().Kind(); {
		case cc.IsIntegerType(p.Type()) && k != cc.Bool:
			q.slot = "int64"
			if !cc.IsSignedInteger(p.Type()) && k != cc.Enum && k != cc.Char || strings.HasPrefix(t, "uint") {
				q.slot = "uint64"
			}
			if q.slot != t {
				q.in = fmt.Sprintf("%s(%s)", q.slot, n)
			}
		}
		fn.params = append(fn.params, q)
	}
	if f.Result().Kind() != cc.Void {
		var err error
		if fn.result, err = g.goType(f.Result(), true); err != nil {
			return fmt.Sprintf("result: %v", err)
		}
	}
	if fn.described != nil {
		for _, p := range fn.described.Params {
			name := p.Other
			if p.Kind == "number" {
				name = p.Name
			} else if p.Kind != "callback" {
				continue
			}
			if at, ok := fn.find(name); ok {
				data = append(data, at)
			}
		}
		for _, at := range data { // a handle of package dl is no address, nor is a number
			if fn.params[at].typ == "unsafe.Pointer" {
				fn.params[at].typ, fn.params[at].slot = "uintptr", "uintptr"
			}
		}
		if r := fn.described.Result; r != nil && r.Value != "" {
			fn.errno = g.o.File.Errors[r.Value].Errno
		}
	}
	if g.o.viaCgo() && !g.spelled(fn) {
		return "it takes or returns a struct without a name"
	}
	n := g.plainName(fn.c)
	if fn.described != nil {
		n = "Raw" + n
	}
	fn.goName = g.reserve(n, fn.c)
	fn.args = "c" + fn.goName
	for g.taken(fn.args) || g.taken(fn.args+"Args") { // the variable and its type
		fn.args += "_"
	}
	g.used[fn.args], g.used[fn.args+"Args"] = fn.c, fn.c
	g.funcs = append(g.funcs, fn)
	return ""
}

// describe returns what bind.seam says of a function. Of patterns that match, there may be one; a line for the
// function itself goes before them.
func (g *generator) describe(name string) (*Described, Mode) {
	mode := Mode{Mode: "cgo"}
	if g.o.Leaf != nil && g.o.Leaf.MatchString(name) {
		mode.Mode = "leaf"
	}
	f := g.o.File
	if f == nil {
		return nil, mode
	}
	var found *Described
	for _, d := range f.Funcs {
		switch {
		case d.Pattern == name:
			found = d
		case !matches(d.Pattern, name) || found != nil && found.exact():
		case found == nil:
			found = d
		default:
			g.wrong(d.place, "%s matches this line and line %d: give it a line of its own", name, found.line)
		}
	}
	said := Mode{}
	for _, m := range f.Modes {
		switch {
		case m.Pattern == name:
			said = m
		case !matches(m.Pattern, name) || said.Pattern == name:
		case said.Pattern == "" || said.Mode == m.Mode && said.Bound == m.Bound:
			said = m
		default:
			g.wrong(m.place, "%s matches this line and line %d, which differ: give it a line of its own", name, said.line)
		}
	}
	if said.Pattern != "" {
		mode = said
	}
	return found, mode
}

// find returns the place of a parameter that is named, or numbered from 1.
func (f *function) find(name string) (int, bool) {
	at := slices.IndexFunc(f.params, func(p parameter) bool { return p.c == name })
	if at < 0 {
		if n := 0; len(name) < 3 {
			if _, err := fmt.Sscanf(name, "%d", &n); err == nil {
				at = n - 1
			}
		}
	}
	return at, at >= 0 && at < len(f.params)
}

// head is the comment above a function.
func (f *function) head(name, more string) string {
	text := fmt.Sprintf("// %s calls %s:\n//\n//\t%s\n", name, f.c, f.text)
	if more != "" {
		text += "//\n// " + more + "\n"
	}
	if f.comment != "" {
		text += "//\n" + docs(f.comment, false)
	}
	return text
}

// literal are the elements of the struct of arguments.
func (f *function) literal() string {
	var list []string
	for i, p := range f.params {
		list = append(list, fmt.Sprintf("a%d: %s", i, p.in))
	}
	return strings.Join(list, ", ")
}

// raw writes the function that takes what C takes, and, for cgo, the C function that it calls.
func (g *generator) raw(f *function) (text, c string) {
	var b strings.Builder
	var params []string
	for _, p := range f.params {
		params = append(params, p.name+" "+p.typ)
	}
	head := f.head(f.goName, "")
	if f.layer != "" {
		head = fmt.Sprintf("// %s calls %s with what C takes.\n", f.goName, f.c)
	}
	results, back := f.result, "args.result"
	switch {
	case f.errno && f.result == "":
		results, back = "syscall.Errno", "syscall.Errno(args.errno)"
	case f.errno:
		results, back = "("+f.result+", syscall.Errno)", "args.result, syscall.Errno(args.errno)"
	}
	call := fmt.Sprintf("\targs := %sArgs{%s}\n\t%s.Call(&args)\n", f.args, f.literal(), f.args)
	switch {
	case f.mode.coroutine() && g.o.viaCgo():
		return g.rawCoroutine(f, head, results, strings.Join(params, ", "))
	case g.o.viaCgo():
		c, call = g.shim(f)
	}
	if results != "" && (!g.o.viaCgo() || f.mode.Mode != "cgo") {
		call += "\treturn " + back + "\n"
	}
	fmt.Fprintf(&b, "%sfunc %s(%s) %s {\n%s}\n", head, f.goName, strings.Join(params, ", "), results, call)
	switch {
	case g.o.viaCgo() && f.mode.Mode == "cgo":
		return b.String(), c
	case g.o.viaCgo() && f.mode.Mode == "offload":
		g.helpers["bounded"] = true
		fmt.Fprintf(&b, "\nvar %[1]s = bounded[%[1]sArgs](%[2]q, unsafe.Pointer(C.seam_%[2]s_address()), %[3]d)\n", f.args, f.c, f.mode.Bound)
	case g.o.viaCgo():
		fmt.Fprintf(&b, "\nvar %[1]s = leaf.Of[%[1]sArgs](%[2]q, unsafe.Pointer(C.seam_%[2]s_address()))\n\nvar _ [unsafe.Sizeof(%[1]sArgs{})]byte = [C.sizeof_struct_seam_%[2]s_args]byte{}\n", f.args, f.c)
	case f.mode.Mode == "leaf":
		fmt.Fprintf(&b, "\nvar %[1]s dl.Leaf[%[1]sArgs]\n", f.args)
	default:
		fmt.Fprintf(&b, "\nvar %[1]s dl.Func[%[1]sArgs]\n", f.args)
	}
	b.WriteString(f.argsType())
	return b.String(), c
}

// argsType is the struct of arguments.
func (f *function) argsType() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ntype %sArgs struct {\n", f.args)
	for i, p := range f.params {
		fmt.Fprintf(&b, "\ta%d %s\n", i, p.slot)
	}
	if f.result != "" {
		fmt.Fprintf(&b, "\tresult %s `dl:\"result\"`\n", f.result)
	}
	if f.errno {
		b.WriteString("\terrno int32 `dl:\"errno\"`\n")
	}
	b.WriteString("}\n")
	return b.String()
}
