package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/seamgo/seam/cmd/seam/internal/wordlines"
)

// The layer of Go values: what bind.seam describes becomes a function or method that takes
// and returns Go's strings, slices, handles and errors, and calls the raw function.

// A handle is a C type whose values are a Go type of their own.
type handle struct {
	Handle
	raw  string // the Go type of C's pointer
	free *function
	kept bool // values are kept for C until it ends
}

func (f *File) handles() []Handle {
	if f == nil {
		return nil
	}
	return f.Handles
}

func (f *File) failures() map[string]*Failure {
	if f == nil {
		return nil
	}
	return f.Errors
}

// wrong notes where bind.seam contradicts the headers.
func (g *generator) wrong(at place, format string, args ...any) {
	err := g.o.File.errorAt(at, format, args...)
	if !slices.ContainsFunc(g.errs, func(e error) bool { return e.Error() == err.Error() }) {
		g.errs = append(g.errs, err)
	}
}

// resolveHandles finds the Go types of the handles' pointers.
func (g *generator) resolveHandles(list []declared) {
	for _, h := range g.o.File.handles() {
		x := &handle{Handle: h}
		for _, kind := range []string{"struct ", "union ", ""} {
			if n := g.types[kind+h.C]; n != "" && g.basics[n] == "" && x.raw == "" {
				x.raw = "*" + n
			}
		}
		for _, d := range list {
			if d.Name() != h.C || !d.IsTypename() {
				continue
			}
			switch d.Type().Kind() {
			case cc.Void: // whose pointers can be told apart by the typedef alone
				n := g.name(h.C)
				g.types["void "+h.C] = n
				g.decls = append(g.decls, decl{name: n, text: fmt.Sprintf("// %s is C's %s, of which Go code has only addresses.\ntype %s struct{ _ [0]byte }\n", n, h.C, n)})
				x.raw = "*" + n
			default:
				if t, err := g.goType(d.Type(), false); err == nil {
					if d.Type().Kind() != cc.Ptr {
						t = "*" + t
					}
					x.raw = t
				}
			}
		}
		if x.raw == "" {
			x.raw = g.onlyPointedTo(list, h.C)
		}
		switch other := g.handle(x.raw); {
		case x.raw == "":
			g.wrong(h.place, "the headers declare no type %s", h.C)
		case !strings.HasPrefix(x.raw, "*") || g.basics[x.raw[1:]] != "" || strings.ToLower(x.raw) == x.raw:
			g.wrong(h.place, "%s is %s in Go: a handle is a struct of C's, or a pointer to one", h.C, x.raw)
		case other != nil:
			g.wrong(h.place, "%s and %s are the same type in C", h.C, other.C)
		default:
			g.handles = append(g.handles, x)
		}
	}
}

// onlyPointedTo is the Go type of pointers to a struct that the headers name in such types alone; "" if they don't.
func (g *generator) onlyPointedTo(list []declared, c string) string {
	find := func(t cc.Type) string {
		p, ok := t.(*cc.PointerType)
		if !ok || spelling(p.Elem()) != "struct "+c {
			return ""
		}
		raw, err := g.goType(p, false)
		if err != nil {
			return ""
		}
		return raw
	}
	for _, d := range list {
		if raw := find(d.Type()); raw != "" {
			return raw
		}
		if f, ok := d.Type().(*cc.FunctionType); ok {
			for _, p := range f.Parameters() {
				if raw := find(p.Type()); raw != "" {
					return raw
				}
			}
			if raw := find(f.Result()); raw != "" {
				return raw
			}
		}
	}
	return ""
}

// reserveNames takes the names that bind.seam gives to functions, so that no other has them.
func (g *generator) reserveNames(list []declared) {
	if g.o.File == nil {
		return
	}
	for _, d := range g.o.File.Funcs {
		if d.As == "" {
			continue
		}
		for _, c := range list {
			ft, ok := c.Type().(*cc.FunctionType)
			if !ok || c.Name() != d.Pattern {
				continue
			}
			if p := ft.Parameters(); len(p) > 0 {
				if t, err := g.goType(p[0].Type().Decay(), true); err == nil && g.handle(t) != nil {
					continue // a method
				}
			}
			if other, taken := g.used[d.As]; taken {
				g.wrong(d.place, "the name %s is taken: %s has it", d.As, cmp.Or(other, "the package itself"))
			}
			g.used[d.As] = d.Pattern
		}
	}
}

// handle returns the handle whose pointer has the Go type, or nil.
func (g *generator) handle(raw string) *handle {
	for _, h := range g.handles {
		if h.raw == raw && raw != "" {
			return h
		}
	}
	return nil
}

func (g *generator) lookup(c string) *function {
	for _, f := range g.funcs {
		if f.c == c {
			return f
		}
	}
	return nil
}

// layer writes what bind.seam describes.
func (g *generator) layer() {
	if g.o.File == nil {
		return
	}
	for _, h := range g.handles {
		if h.Free == "" {
			continue
		}
		h.free = g.lookup(h.Free)
		switch {
		case h.free == nil:
			g.wrong(h.place, "%s, which ends %s, is not among the functions that are bound", h.Free, h.Go)
		case len(h.free.params) != 1 || h.free.params[0].typ != h.raw && h.free.params[0].typ != "unsafe.Pointer":
			g.wrong(h.place, "%s takes no %s alone, so it can't end one", h.Free, h.C)
		}
	}
	for _, d := range g.o.File.Funcs {
		if !slices.ContainsFunc(g.funcs, func(f *function) bool { return f.described == d }) {
			var names []string
			for _, f := range g.funcs {
				names = append(names, f.c)
			}
			hint := wordlines.Meant(d.Pattern, names)
			for _, r := range g.refused {
				if r.Name == d.Pattern {
					hint = ": " + r.Why
				}
			}
			g.wrong(d.place, "no function %s is bound%s", d.Pattern, hint)
		}
	}
	for c := range g.o.File.Renames {
		if !slices.Contains(g.declaredNames(), c) {
			g.errs = append(g.errs, fmt.Errorf("%s: rename %s: the headers declare nothing of that name", g.o.File.Name, c))
		}
	}
	for _, m := range g.o.File.Modes {
		if !slices.ContainsFunc(g.funcs, func(f *function) bool { return matches(m.Pattern, f.c) }) {
			g.wrong(m.place, "no function %s is bound", m.Pattern)
		}
	}
	if v := g.o.File.Version; v != nil {
		g.version(v)
	}
	if len(g.errs) > 0 {
		return
	}
	for _, f := range g.funcs {
		if f.described == nil || g.ends(f) != nil {
			continue
		}
		w := &layerFunc{g: g, f: f}
		f.layer = w.write()
	}
	for _, h := range g.handles {
		g.decls = append(g.decls, decl{name: h.Go, text: g.handleText(h)})
	}
	if len(g.o.File.Errors) > 0 {
		g.decls = append(g.decls, decl{name: "Error", text: g.errorText()})
	}
}

// declaredNames are C's names that have a Go name.
func (g *generator) declaredNames() (names []string) {
	for _, c := range g.used {
		names = append(names, c)
	}
	for c := range g.types {
		names = append(names, c, strings.TrimPrefix(strings.TrimPrefix(c, "struct "), "enum "))
	}
	return names
}

// ends returns the handle that a function ends, or nil.
func (g *generator) ends(f *function) *handle {
	for _, h := range g.handles {
		if h.free == f {
			return h
		}
	}
	return nil
}

// A layerFunc is a function on Go values that is being written.
type layerFunc struct {
	g *generator
	f *function

	receiver *handle
	params   []string // as Go declares them
	results  []string // their types
	values   []string // what is returned for them
	before   strings.Builder
	failed   strings.Builder // what a failure undoes
	after    strings.Builder
	hidden   map[int]string // parameters that others imply, with what is passed
	scope    map[string]operand
	strings  []string // parameters that may have no zero byte
	fails    bool     // there is an error result
	notes    []string
}

// An operand is a Go expression of a raw value.
type operand struct{ text, typ string }

func (w *layerFunc) wrong(p *Param, format string, args ...any) {
	at := w.f.described.place
	if p != nil {
		at = p.place
	}
	w.g.wrong(at, "%s: %s", w.f.c, fmt.Sprintf(format, args...))
}

// kinds returns what is said of each parameter.
func (w *layerFunc) kinds() []*Param {
	list := make([]*Param, len(w.f.params))
	for i := range w.f.described.Params {
		p := &w.f.described.Params[i]
		at, ok := w.f.find(p.Name)
		switch {
		case !ok:
			w.wrong(p, "it has no parameter %s%s", p.Name, w.has())
		case list[at] != nil:
			w.wrong(p, "parameter %d is described twice", at+1)
		default:
			list[at] = p
		}
	}
	return list
}

// has lists the parameters, for messages.
func (w *layerFunc) has() string {
	var names []string
	for i, p := range w.f.params {
		if p.c != "" {
			names = append(names, p.c)
		} else {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	if len(names) == 0 {
		return ": it has none"
	}
	return "; it has " + strings.Join(names, ", ")
}

// other returns the place of the parameter that another refers to.
func (w *layerFunc) other(p *Param) (int, bool) {
	at, ok := w.f.find(p.Other)
	if !ok {
		w.wrong(p, "it has no parameter %s%s", p.Other, w.has())
	}
	return at, ok
}

var limits = map[string]string{"int8": "math.MaxInt8", "uint8": "math.MaxUint8", "int16": "math.MaxInt16", "uint16": "math.MaxUint16", "int32": "math.MaxInt32", "uint32": "math.MaxUint32"}

var wideIntegers = []string{"int64", "uint64"}

func (w *layerFunc) basic(typ string) string {
	if b := w.g.basics[typ]; b != "" {
		return b
	}
	return typ
}

func (w *layerFunc) isInteger(typ string) bool {
	b := w.basic(typ)
	return limits[b] != "" || slices.Contains(wideIntegers, b)
}

// give returns early, with an error that has been found.
func (w *layerFunc) give(err string) string { return "\x00" + err + "\x00" } // filled in when all results are known

// length passes the length of a Go slice or string.
func (w *layerFunc) length(p *Param, name string) {
	at, ok := w.other(p)
	if !ok {
		return
	}
	q := w.f.params[at]
	if text, twice := w.hidden[at]; twice {
		if !w.isInteger(q.typ) {
			w.wrong(p, "%s is the length of two rooms, of which C can't fill both", p.Other)
			return
		}
		first := strings.TrimSuffix(text[strings.Index(text, "len(")+4:], "))")
		fmt.Fprintf(&w.before, "\tif len(%s) != len(%s) {\n\t\t%s\n\t}\n", name, first, w.give(fmt.Sprintf("differ(%q, %q, %q)", w.f.c, first, name)))
		w.g.helpers["differ"] = true
		return
	}
	number := q.typ
	if p.Kind == "room" && strings.HasPrefix(number, "*") {
		number = number[1:]
	}
	if !w.isInteger(number) {
		w.wrong(p, "%s is %s in Go, and no length", p.Other, q.typ)
		return
	}
	if most := limits[w.basic(number)]; most != "" {
		fmt.Fprintf(&w.before, "\tif len(%s) > %s {\n\t\t%s\n\t}\n", name, most, w.give(fmt.Sprintf("tooLong(%q, %q, len(%s))", w.f.c, name, name)))
		w.g.helpers["tooLong"] = true
	}
	w.hidden[at] = fmt.Sprintf("%s(len(%s))", number, name)
	if number != q.typ { // C reads there how much room there is, and writes how much it took
		fmt.Fprintf(&w.before, "\t%s := %s\n", q.name, w.hidden[at])
		w.hidden[at] = "&" + q.name
		w.results, w.values = append(w.results, "int"), append(w.values, "int("+q.name+")")
	}
	w.scope[q.name] = operand{strings.TrimPrefix(w.hidden[at], "&"), number}
}

// pointer is a Go pointer as the parameter takes it.
func pointer(typ, to string) string {
	switch typ {
	case "unsafe.Pointer":
		return "unsafe.Pointer(" + to + ")"
	case "*int8":
		return "(*int8)(unsafe.Pointer(" + to + "))"
	}
	return to
}

// isString reports whether C's strings have the Go type: signed char's, unsigned char's, void's.
func isString(typ string) bool {
	return slices.Contains([]string{"*byte", "*uint8", "*int8", "unsafe.Pointer"}, typ)
}

// goString copies a string of C's.
func (g *generator) goString(typ, text string) string {
	switch typ {
	case "unsafe.Pointer":
		text = "(*byte)(" + text + ")"
	case "*int8":
		text = "(*byte)(unsafe.Pointer(" + text + "))"
	}
	return g.ofStrings("GoString") + "(" + text + ")"
}

// ofStrings is a function of package dl's on strings, or, so that a package through cgo needs dl for callbacks and
// bounds alone, one like it.
func (g *generator) ofStrings(name string) string {
	if !g.o.viaCgo() {
		return "dl." + name
	}
	name = strings.ToLower(name[:1]) + name[1:]
	g.helpers[name] = true
	return name
}

// param adds a parameter. It returns what is passed to C.
func (w *layerFunc) param(i int, p *Param) string {
	q := w.f.params[i]
	n := q.name
	h := w.g.handle(q.typ)
	isBytes := isString(q.typ)
	add := func(typ string) { w.params = append(w.params, n+" "+typ) }
	kind := ""
	if p != nil {
		kind = p.Kind
	}
	switch kind {
	case "", "nullable", "taken":
		if h == nil {
			if kind != "" {
				w.wrong(p, "parameter %s is %s in Go, and no handle that bind.seam declares", p.Name, q.typ)
			}
			add(q.typ)
			return n
		}
		if i == 0 && kind == "" {
			w.receiver, n = h, "h"
		} else {
			add("*" + h.Go)
		}
		method := map[string]string{"": "ptr", "nullable": "orNil", "taken": "take"}[kind]
		if kind == "taken" {
			w.notes = append(w.notes, fmt.Sprintf("%s belongs to C afterwards.", n))
		}
		fmt.Fprintf(&w.before, "\t%s_ := %s.%s(%q)\n", n, n, method, w.f.c)
		w.scope[q.name] = operand{n + "_", q.typ}
		if w.receiver != nil && i == 0 {
			w.scope["self"] = w.scope[q.name]
		}
		w.g.helpers[method+" "+h.Go] = true
		return n + "_"
	case "string", "string?":
		if !isBytes {
			w.wrong(p, "parameter %s is %s in Go, and no string", p.Name, q.typ)
		}
		add("string")
		w.strings = append(w.strings, n)
		if kind == "string?" {
			w.g.helpers["stringOrNil"] = true
			w.g.ofStrings("CString")
			w.notes = append(w.notes, fmt.Sprintf("%s may be empty: C gets NULL then.", n))
			return pointer(q.typ, "stringOrNil("+n+")")
		}
		return pointer(q.typ, w.g.ofStrings("CString")+"("+n+")")
	case "text":
		if !isBytes {
			w.wrong(p, "parameter %s is %s in Go, and no string", p.Name, q.typ)
		}
		add("string")
		w.length(p, n)
		w.g.helpers["textOf"] = true
		return pointer(q.typ, "textOf("+n+")")
	case "bytes", "room":
		elem, ok := strings.CutPrefix(q.typ, "*")
		if q.typ == "unsafe.Pointer" {
			elem, ok = "byte", true
		}
		if !ok {
			w.wrong(p, "parameter %s is %s in Go, and no array", p.Name, q.typ)
		}
		add("[]" + elem)
		if kind == "room" {
			w.notes = append(w.notes, fmt.Sprintf("C writes to %s.", n))
		}
		w.length(p, n)
		return pointer(q.typ, "unsafe.SliceData("+n+")")
	case "out":
		return w.out(p, q)
	case "const":
		text, err := w.constant(p.Value, q.typ)
		if err != "" {
			w.wrong(p, "%s", err)
		}
		return text
	case "number":
		if q.typ != "uintptr" {
			w.wrong(p, "parameter %s is %s in Go, and no void *", p.Name, q.typ)
		}
		add("uintptr")
		return n
	case "bool":
		if !w.isInteger(q.typ) {
			w.wrong(p, "parameter %s is %s in Go, and no integer", p.Name, q.typ)
		}
		add("bool")
		w.g.helpers["boolean"] = true
		return "boolean[" + q.typ + "](" + n + ")"
	case "callback":
		return w.callback(p, q)
	case "destroy":
		if q.typ != "uintptr" {
			w.wrong(p, "parameter %s is %s in Go, and no function", p.Name, q.typ)
		}
		w.g.helpers["dropHandle"] = true
		return "dropHandle()"
	}
	w.wrong(p, "what is said of %s is not for a parameter", p.Name)
	return n
}

// out adds a result that C writes by address.
func (w *layerFunc) out(p *Param, q parameter) string {
	typ, ok := strings.CutPrefix(q.typ, "*")
	if !ok {
		w.wrong(p, "parameter %s is %s in Go, and no address of a value", p.Name, q.typ)
		return q.name
	}
	h := w.g.handle(typ)
	v := q.name
	fmt.Fprintf(&w.before, "\tvar %s %s\n", v, typ)
	w.scope[v] = operand{v, typ}
	switch p.Value {
	case "owned", "borrowed":
		if h == nil {
			w.wrong(p, "%s is %s in Go, and no handle that bind.seam declares", p.Name, typ)
			break
		}
		if w.scope["self"].text == "" {
			w.scope["self"] = operand{v, typ}
		}
		if p.Value == "owned" && h.free != nil {
			fmt.Fprintf(&w.failed, "\t\tif %s != nil {\n\t\t\t%s(%s)\n\t\t}\n", v, h.free.goName, pointer(h.free.params[0].typ, v))
		}
		w.handleResult(h, v, p.Value == "owned")
	case "string":
		if !isString(typ) {
			w.wrong(p, "%s is %s in Go, and no string", p.Name, typ)
		}
		w.results = append(w.results, "string")
		if p.Free != "" { // a failure, too, may have set it
			fmt.Fprintf(&w.failed, "\t\t%s\n", w.freeCall(p, v))
			fmt.Fprintf(&w.after, "\t%s_ := %s\n\t%s\n", v, w.g.goString(typ, v), w.freeCall(p, v))
			w.values = append(w.values, v+"_")
		} else {
			w.values = append(w.values, w.g.goString(typ, v))
		}
	default:
		if h != nil && h.free != nil {
			w.wrong(p, "%s is a handle of %s: say out:owned, if the caller must end it, or out:borrowed", p.Name, h.Go)
		}
		if h != nil {
			w.handleResult(h, v, false)
			break
		}
		if r := w.f.described.Result; r != nil && (r.Kind == "bytes" || r.Kind == "text") && r.Expr == nil {
			if at, ok := w.f.find(r.Other); ok && w.f.params[at].name == q.name {
				break // the length of the result
			}
		}
		w.results, w.values = append(w.results, typ), append(w.values, v)
	}
	return "&" + v
}

func (w *layerFunc) handleResult(h *handle, v string, owned bool) {
	w.results = append(w.results, "*"+h.Go)
	if owned {
		if h.free == nil {
			w.g.wrong(w.f.described.place, "%s: a %s that is owned needs free= in the line of handle %s", w.f.c, h.Go, h.C)
		}
		w.values = append(w.values, "own"+h.Go+"("+v+")")
		w.notes = append(w.notes, fmt.Sprintf("The %s is the caller's: Close it.", h.Go))
		w.g.helpers["own "+h.Go] = true
		return
	}
	w.values = append(w.values, "Borrow"+h.Go+"("+v+")")
	w.notes = append(w.notes, fmt.Sprintf("The %s is C's.", h.Go))
}

// freeCall is the call of what frees v.
func (w *layerFunc) freeCall(p *Param, v string) string {
	f := w.g.lookup(p.Free)
	if f == nil {
		w.wrong(p, "%s is not among the functions that are bound", p.Free)
		return ""
	}
	if len(f.params) != 1 || !isString(f.params[0].typ) {
		w.wrong(p, "%s takes more than an address, so it can't free one", p.Free)
		return ""
	}
	return fmt.Sprintf("%s(%s)", f.goName, pointer(f.params[0].typ, v))
}

// constant is a constant as a value of a Go type.
func (w *layerFunc) constant(value, typ string) (text, wrong string) {
	isPointer := strings.HasPrefix(typ, "*") || typ == "unsafe.Pointer"
	switch {
	case value == "nil" && isPointer:
		return "nil", ""
	case value == "nil" && typ == "uintptr":
		return "0", ""
	case value == "nil":
		return "", fmt.Sprintf("nil is no %s", typ)
	}
	c, number := "", value
	if value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		if c = w.g.consts[value]; c == "" {
			return "", fmt.Sprintf("the headers have no constant %s", value)
		}
		if isPointer {
			return "", fmt.Sprintf("%s is a number, and %s a pointer", value, typ)
		}
		if number = w.g.values[value]; number == "" {
			return "", fmt.Sprintf("%s is no integer", value)
		}
	}
	basic := w.basic(typ)
	bits, err := strconv.Atoi(strings.TrimLeft(basic, "uint"))
	switch {
	case isPointer && value == "0":
		return "nil", ""
	case basic == "float64" || basic == "float32":
		return typ + "(" + cmp.Or(c, value) + ")", ""
	case basic == "bool":
		return strconv.FormatBool(number != "0"), ""
	case basic == "uintptr":
		bits = 64
	case !w.isInteger(typ) || err != nil:
		return "", fmt.Sprintf("%s is no %s", value, typ)
	}
	if strings.HasPrefix(basic, "uint") {
		if n, err := strconv.ParseInt(number, 0, bits); err == nil && n < 0 {
			return fmt.Sprintf("^%s(%d)", typ, -(n + 1)), ""
		}
		_, err = strconv.ParseUint(number, 0, bits)
	} else {
		_, err = strconv.ParseInt(number, 0, bits)
	}
	if err != nil {
		return "", fmt.Sprintf("%s does not fit into %s", value, typ)
	}
	if c != "" {
		return typ + "(" + c + ")", ""
	}
	return value, ""
}

// callback adds a Go function that C calls while it runs, or, if it is kept, until the handle
// ends or C says so.
func (w *layerFunc) callback(p *Param, q parameter) string {
	at, ok := w.other(p)
	if !ok {
		return q.name
	}
	var ft *cc.FunctionType
	if t, ok := q.ctype.Decay().(*cc.PointerType); ok {
		ft, _ = t.Elem().(*cc.FunctionType)
	}
	if ft == nil || ft.IsVariadic() {
		w.wrong(p, "parameter %s is no function that Go code can be", p.Name)
		return q.name
	}
	if w.f.params[at].typ != "uintptr" {
		w.wrong(p, "%s is %s in Go, and no void * that C hands on", p.Other, w.f.params[at].typ)
		return q.name
	}
	if _, twice := w.hidden[at]; twice {
		w.wrong(p, "%s is the data of two callbacks", p.Other)
		return q.name
	}
	var fields, types, params, args []string
	data := -1
	for i, cp := range ft.Parameters() {
		if cp.Type().Kind() == cc.Void {
			continue
		}
		t, err := w.g.goType(cp.Type().Decay(), true)
		if err != nil {
			w.wrong(p, "parameter %d of the callback %s: %v", i+1, p.Name, err)
			return q.name
		}
		if p.At == i+1 || p.At == 0 && t == "unsafe.Pointer" {
			if data >= 0 {
				w.wrong(p, "the callback has several void *: say which is its data, as callback:%s:%d", p.Other, data+1)
			}
			if t != "unsafe.Pointer" {
				w.wrong(p, "parameter %d of the callback is %s in Go, and no void *", i+1, t)
			}
			data, t = i, "uintptr"
		} else {
			n := parameterName(cp.Name(), i)
			if slices.Contains(args, "a.a"+strconv.Itoa(i)) {
				n += "_"
			}
			params = append(params, n+" "+t)
			args = append(args, fmt.Sprintf("a.a%d", i))
		}
		fields, types = append(fields, fmt.Sprintf("a%d %s", i, t)), append(types, w.g.crossed(t, cp.Type().Decay()).c)
	}
	if data < 0 {
		w.wrong(p, "the callback has no void * in which C hands %s on", p.Other)
		return q.name
	}
	result, set, returned := "", "", ""
	if ft.Result().Kind() != cc.Void {
		t, err := w.g.goType(ft.Result(), true)
		if err != nil {
			w.wrong(p, "the result of the callback %s: %v", p.Name, err)
			return q.name
		}
		result, set, returned = " "+t, "a.result = ", w.g.crossed(t, ft.Result()).c
		fields = append(fields, "result "+t+" `dl:\"result\"`")
	}
	typ := "func(" + strings.Join(params, ", ") + ")" + result
	w.params = append(w.params, q.name+" "+typ)
	name := w.g.reserve(strings.ToLower(w.f.goName[:1])+w.f.goName[1:]+"_"+q.name, w.f.c)
	c, pointer := "", "\treturn c.Pointer()\n"
	if w.g.coroutines() {
		if slices.Contains(append(types, cmp.Or(returned, "void")), "") {
			w.wrong(p, "the callback %s takes or returns a struct without a name", p.Name)
			return q.name
		}
		c, pointer = upcalled(name, types, returned)
	}
	w.g.decls = append(w.g.decls, decl{name: name, c: c, text: fmt.Sprintf(`// %s is the C function that calls the Go function for which its data stands.
var %s = sync.OnceValue(func() uintptr {
	type args struct {
		%s
	}
	fn := func(a *args) { %sdl.Handle(a.a%d).Value().(%s)(%s) }
	c, err := dl.NewCallback(%q, fn)
	if err != nil {
		panic(err)
	}
%s})
`, name, name, strings.Join(fields, "\n\t\t"), set, data, typ, strings.Join(args, ", "), w.f.c+"'s "+p.Name, pointer)})
	handle := q.name + "_"
	fmt.Fprintf(&w.before, "\tvar %s dl.Handle\n\tvar %sf uintptr\n\tif %s != nil {\n\t\t%s, %sf = dl.NewHandle(%s), %s()\n\t}\n", handle, handle, q.name, handle, handle, q.name, name)
	w.hidden[at] = handle + ".Pointer()"
	destroyed := slices.ContainsFunc(w.f.described.Params, func(d Param) bool {
		if d.Kind != "destroy" {
			return false
		}
		i, ok := w.f.find(d.Other)
		return ok && i == at
	})
	switch {
	case destroyed && !p.Kept:
		w.notes = append(w.notes, fmt.Sprintf("C keeps %s until it says that it is done with it.", q.name))
	case destroyed:
		w.wrong(p, "%s has destroy, with which C says when it is done: kept is too much", p.Other)
	case !p.Kept:
		fmt.Fprintf(&w.before, "\tif %s != 0 {\n\t\tdefer %s.Delete()\n\t}\n", handle, handle)
	case w.receiver == nil:
		w.wrong(p, "a callback is kept until a handle ends, and the function has none as its first parameter")
	default:
		w.receiver.kept = true
		w.notes = append(w.notes, fmt.Sprintf("C keeps %s until the next call, or until the %s is closed.", q.name, w.receiver.Go))
		fmt.Fprintf(&w.failed, "\t\tif %s != 0 {\n\t\t\t%s.Delete()\n\t\t}\n", handle, handle)
		fmt.Fprintf(&w.after, "\th.keep(%q, %s)\n", w.f.c, handle)
	}
	return handle + "f"
}

// value is what the function has at hand under a name.
func (w *layerFunc) value(at *Param, name string) (operand, bool) {
	if o := w.scope[name]; o.text != "" {
		return o, true
	}
	if i, ok := w.f.find(name); ok {
		q := w.f.params[i]
		if o := w.scope[q.name]; o.text != "" {
			return o, true
		}
		return operand{q.name, q.typ}, true
	}
	if name == "self" {
		w.wrong(at, "there is no handle that self could be")
	} else {
		w.wrong(at, "%s is no parameter of it%s", name, w.has())
	}
	return operand{}, false
}

// expr is a call of a C function, or one value, in terms of what the function has at hand.
func (w *layerFunc) expr(at *Param, x *Expr) (operand, bool) {
	if !x.Call {
		return w.value(at, x.Name)
	}
	f := w.g.lookup(x.Name)
	if f == nil {
		w.wrong(at, "%s is not among the functions that are bound", x.Name)
		return operand{}, false
	}
	if len(f.params) != len(x.Args) || f.errno {
		w.wrong(at, "%s: the function takes %d arguments", x, len(f.params))
		return operand{}, false
	}
	var args []string
	for i, a := range x.Args {
		o, ok := w.expr(at, a)
		if !ok {
			return o, false
		}
		want := f.params[i].typ
		switch {
		case o.typ == want:
		case w.isInteger(o.typ) && w.isInteger(want):
			o.text = want + "(" + o.text + ")"
		case want == "unsafe.Pointer" && strings.HasPrefix(o.typ, "*"):
			o.text = "unsafe.Pointer(" + o.text + ")"
		default:
			w.wrong(at, "%s: %s is %s in Go, where the function takes %s", x, a, o.typ, want)
		}
		args = append(args, o.text)
	}
	return operand{f.goName + "(" + strings.Join(args, ", ") + ")", f.result}, true
}

// failure writes the test of the result, and what is returned if it is a failure. It reports
// whether the result says more than that.
func (w *layerFunc) failure(p *Param, e *Failure) (says bool) {
	typ := w.f.result
	var tests []string
	isPointer := strings.HasPrefix(typ, "*") || typ == "unsafe.Pointer" || typ == "uintptr"
	switch {
	case typ == "":
		w.wrong(p, "it has no result that could be a failure")
		return false
	case e.OK != nil:
		for _, v := range e.OK {
			text, err := w.constant(v, typ)
			if err != "" {
				w.wrong(p, "%s", err)
			}
			tests = append(tests, "result != "+text)
		}
		says = len(tests) > 1
	case e.Test != nil:
		o, ok := w.expr(p, e.Test)
		if !ok {
			return false
		}
		switch {
		case o.typ == "bool":
			tests = []string{o.text}
		case w.isInteger(o.typ):
			tests = []string{o.text + " != 0"}
		default:
			w.wrong(p, "%s returns %s in Go, which is neither true nor false", e.Test.Name, o.typ)
		}
		says = true
	case e.Fail == "nil":
		if !isPointer {
			w.wrong(p, "its result is %s in Go, and never nil", typ)
		}
		text, _ := w.constant("nil", typ)
		tests, says = []string{"result == " + text}, true
	case e.Fail == "negative":
		if !strings.HasPrefix(w.basic(typ), "int") {
			w.wrong(p, "its result is %s in Go, and never negative", typ)
		}
		tests, says = []string{"result < 0"}, true
	default:
		text, err := w.constant(e.Fail, typ)
		if err != "" {
			w.wrong(p, "%s", err)
		}
		tests, says = []string{"result == " + text}, true
	}
	fields := []string{fmt.Sprintf("Func: %q", w.f.c)}
	if w.isInteger(typ) {
		fields = append(fields, "Code: int64(result)")
	}
	if e.Text != nil {
		if o, ok := w.expr(p, e.Text); ok {
			if !isString(o.typ) {
				w.wrong(p, "%s returns %s in Go, and no string", e.Text.Name, o.typ)
			}
			fields = append(fields, "Text: "+w.g.goString(o.typ, o.text))
		}
	}
	if e.Errno {
		fields = append(fields, "Errno: errno")
	}
	body := "\t\t" + w.give("&Error{"+strings.Join(fields, ", ")+"}") + "\n"
	if w.failed.Len() > 0 {
		body = "\t\terr := &Error{" + strings.Join(fields, ", ") + "}\n" + w.failed.String() + "\t\t" + w.give("err") + "\n"
	}
	w.after2(fmt.Sprintf("\tif %s {\n%s\t}\n", strings.Join(tests, " && "), body))
	return says
}

// after2 puts text before what is already to come after the call.
func (w *layerFunc) after2(text string) {
	rest := w.after.String()
	w.after.Reset()
	w.after.WriteString(text + rest)
}

// write returns the function.
func (w *layerFunc) write() string {
	w.hidden, w.scope = map[int]string{}, map[string]operand{}
	f, d := w.f, w.f.described
	kinds := w.kinds()
	r := d.Result
	w.fails = r != nil && r.Value != "" || d.Context
	args := make([]string, len(f.params))
	for i := range f.params { // a length may stand before its array
		if w.consumed(i, kinds) {
			if p := kinds[i]; p != nil {
				w.wrong(p, "%s is described, and another parameter refers to it", p.Name)
			}
			continue
		}
		args[i] = w.param(i, kinds[i])
	}
	for i, text := range w.hidden {
		args[i] = text
	}
	for i, q := range f.params { // for calls that bind.seam writes
		if _, ok := w.scope[q.name]; !ok {
			w.scope[q.name] = operand{args[i], q.typ}
		}
	}
	if f.result != "" {
		w.scope["result"] = operand{"result", f.result}
	}
	w.result(r)
	return w.text(args)
}

// consumed reports whether another parameter implies this one.
func (w *layerFunc) consumed(i int, kinds []*Param) bool {
	return slices.ContainsFunc(kinds, func(p *Param) bool {
		if p == nil || p.Other == "" || p.Kind == "destroy" {
			return false
		}
		at, ok := w.f.find(p.Other)
		return ok && at == i
	})
}

// result adds the function's own result.
func (w *layerFunc) result(r *Param) {
	f := w.f
	if r != nil && f.result == "" {
		w.wrong(r, "it has no result")
		return
	}
	h := w.g.handle(f.result)
	says := true
	if r != nil && r.Value != "" {
		says = w.failure(r, w.g.o.File.Errors[r.Value])
	}
	kind := ""
	if r != nil {
		kind = r.Kind
	}
	add := func(typ, value string) {
		w.results, w.values = append(w.results, typ), append(w.values, value)
	}
	switch kind {
	case "", "error":
		switch {
		case f.result == "" || kind == "error" && (!says || r.Bare):
		case h != nil && h.free != nil:
			w.wrong(r, "its result is a handle of %s: say result=owned, if the caller must end it, or result=borrowed", h.Go)
		case h != nil:
			w.handleResult(h, "result", false)
		default:
			add(f.result, "result")
		}
	case "ignore":
	case "bool":
		if !w.isInteger(f.result) && f.result != "bool" {
			w.wrong(r, "its result is %s in Go, and no integer", f.result)
		}
		add("bool", map[bool]string{true: "result", false: "result != 0"}[f.result == "bool"])
	case "owned", "borrowed":
		if h == nil {
			w.wrong(r, "its result is %s in Go, and no handle that bind.seam declares", f.result)
			return
		}
		w.handleResult(h, "result", kind == "owned")
	case "string":
		if !isString(f.result) {
			w.wrong(r, "its result is %s in Go, and no string", f.result)
		}
		w.copied(r, "string", w.g.goString(f.result, "result"))
	case "bytes", "text":
		x := r.Expr
		if x == nil {
			x = &Expr{Name: r.Other}
		}
		n, ok := w.expr(r, x)
		if !ok {
			return
		}
		if !w.isInteger(n.typ) || w.isNoLength(x) {
			w.wrong(r, "%s is %s in Go, and no length", x, n.typ)
		}
		elem, isPointer := strings.CutPrefix(f.result, "*")
		value := fmt.Sprintf("clone(result, int(%s))", n.text)
		if f.result == "unsafe.Pointer" {
			elem, isPointer = "byte", true
			value = fmt.Sprintf("clone((*byte)(result), int(%s))", n.text)
		}
		switch {
		case kind == "text" && !isString(f.result):
			w.wrong(r, "its result is %s in Go, and no string", f.result)
		case kind == "text":
			w.g.helpers["textFrom"] = true
			w.copied(r, "string", fmt.Sprintf("textFrom(unsafe.Pointer(result), int(%s))", n.text))
		case !isPointer:
			w.wrong(r, "its result is %s in Go, and no array", f.result)
		default:
			w.g.helpers["clone"] = true
			w.copied(r, "[]"+elem, value)
		}
	}
}

// isNoLength reports whether a value is a constant that no length is.
func (w *layerFunc) isNoLength(x *Expr) bool {
	at, ok := w.f.find(x.Name)
	return !x.Call && ok && slices.ContainsFunc(w.f.described.Params, func(p Param) bool {
		if i, ok := w.f.find(p.Name); p.Kind != "const" || !ok || i != at {
			return false
		}
		n, err := strconv.ParseInt(cmp.Or(w.g.values[p.Value], p.Value), 0, 32)
		return err != nil || n < 0
	})
}

// copied adds a result that is copied from C's memory, which is freed afterwards if need be.
func (w *layerFunc) copied(r *Param, typ, value string) {
	if r.Free != "" {
		fmt.Fprintf(&w.after, "\tcopied := %s\n\t%s\n", value, w.freeCall(r, "result"))
		value = "copied"
	}
	w.results, w.values = append(w.results, typ), append(w.values, value)
}

// zero is the zero value of a Go type.
func (w *layerFunc) zero(typ string) string {
	switch {
	case typ == "string":
		return `""`
	case typ == "bool":
		return "false"
	case typ == "byte":
		return "0"
	case strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "[]") || typ == "unsafe.Pointer":
		return "nil"
	case w.isInteger(typ) || typ == "int" || typ == "uintptr" || strings.HasPrefix(typ, "float") || strings.HasPrefix(typ, "complex"):
		return "0"
	}
	return typ + "{}"
}

// text puts the parts together.
func (w *layerFunc) text(args []string) string {
	f := w.f
	name := f.described.As
	if name == "" {
		name = w.g.plainName(f.c)
	}
	receiver := ""
	if h := w.receiver; h != nil {
		for w.g.methods[h.Go+"."+name] || slices.Contains(handleMethods, name) {
			name += "_"
		}
		w.g.methods[h.Go+"."+name] = true
		receiver = fmt.Sprintf("(h *%s) ", h.Go)
	} else if f.described.As == "" || w.g.used[name] != f.c {
		name = w.g.reserve(name, f.c)
	}
	results := w.results
	values := slices.Clone(w.values)
	var zeros []string
	for _, t := range results {
		zeros = append(zeros, w.zero(t))
	}
	if w.fails {
		results, values = append(results, "error"), append(values, "nil")
	}
	var b strings.Builder
	b.WriteString(f.head(name, strings.Join(w.notes, " ")))
	params, ctx := w.params, "context.Background()"
	if f.described.Context {
		ctx = f.contextName()
		params = append([]string{ctx + " context.Context"}, params...)
	}
	fmt.Fprintf(&b, "func %s%s(%s)", receiver, name, strings.Join(params, ", "))
	switch len(results) {
	case 0:
	case 1:
		b.WriteString(" " + results[0])
	default:
		b.WriteString(" (" + strings.Join(results, ", ") + ")")
	}
	b.WriteString(" {\n")
	var body strings.Builder
	if f.described.Context {
		w.g.helpers["ended"] = true
		fmt.Fprintf(&body, "\tif err := ended(%s); err != nil {\n\t\t%s\n\t}\n", ctx, w.give("err"))
	}
	if w.fails && len(w.strings) > 0 { // without an error, CString panics
		w.g.helpers["noZero"] = true
		fmt.Fprintf(&body, "\tif err := noZero(%q, %s); err != nil {\n\t\t%s\n\t}\n", f.c, strings.Join(w.strings, ", "), w.give("err"))
	}
	body.WriteString(w.before.String())
	call := f.goName + "(" + strings.Join(args, ", ") + ")"
	after := w.after.String()
	givenUp := ""
	lost := f.mode.coroutine() && w.g.o.viaCgo() && w.fails // the call may fail itself
	if lost {
		call = "call" + f.goName + "(" + strings.Join(append([]string{ctx}, args...), ", ") + ")"
		givenUp = w.abandoned() + w.failed.String()
		after = fmt.Sprintf("\tif err != nil {\n%s\t\t%s\n\t}\n", givenUp, w.give("err")) + after
	}
	uses := strings.Contains(after+strings.Join(values, " "), "result")
	switch {
	case lost:
		names := []string{}
		if f.result != "" {
			names = append(names, map[bool]string{true: "result", false: "_"}[uses])
		}
		if f.errno {
			names = append(names, "errno")
		}
		call = strings.Join(append(names, "err"), ", ") + " := " + call
	case f.errno && uses:
		call = "result, errno := " + call
	case f.errno:
		call = "_, errno := " + call
	case uses:
		call = "result := " + call
	}
	body.WriteString("\t" + call + "\n" + after)
	if len(values) > 0 {
		body.WriteString("\treturn " + strings.Join(values, ", ") + "\n")
	}
	parts := strings.Split(body.String(), "\x00")
	for i, part := range parts {
		switch {
		case i%2 == 0:
			b.WriteString(part)
		case w.fails:
			b.WriteString("return " + strings.Join(append(slices.Clone(zeros), part), ", "))
		default:
			b.WriteString("panic(" + part + ")")
		}
	}
	b.WriteString("}\n\n")
	return b.String()
}

// abandoned frees what the result of a call is that was given up while C was in it.
func (w *layerFunc) abandoned() string {
	r := w.f.described.Result
	if r == nil {
		return ""
	}
	free := ""
	switch h := w.g.handle(w.f.result); {
	case r.Kind == "owned" && h != nil && h.free != nil:
		free = fmt.Sprintf("%s(%s)", h.free.goName, pointer(h.free.params[0].typ, "result"))
	case r.Free != "":
		free = w.freeCall(r, "result")
	default:
		return ""
	}
	return fmt.Sprintf("\t\tif result != nil {\n\t\t\t%s\n\t\t}\n", free)
}

// handleMethods are methods that every handle has.
var handleMethods = []string{"Close", "Raw"}

// handleText is the type of a handle.
func (g *generator) handleText(h *handle) string {
	var b strings.Builder
	t := h.raw[1:]
	more := ""
	if h.kept {
		more = "\n\tmu   sync.Mutex\n\tkept map[string]dl.Handle // Go functions that C keeps"
	}
	end := "C ends it."
	if h.free != nil {
		end = "Close ends it, unless it was borrowed."
	}
	fmt.Fprintf(&b, `// A %[1]s is C's %[2]s. %[3]s A call with one that is nil or closed panics.
type %[1]s struct {
	p        atomic.Pointer[%[4]s]
	borrowed bool%[5]s
}

// Borrow%[1]s returns a %[1]s of what the raw functions take. Its Close leaves C's alone. Of nil it is nil.
func Borrow%[1]s(p *%[4]s) *%[1]s {
	if p == nil {
		return nil
	}
	h := &%[1]s{borrowed: true}
	h.p.Store(p)
	return h
}

// Raw returns what the raw functions take; nil once it is closed.
func (h *%[1]s) Raw() *%[4]s {
	if h == nil {
		return nil
	}
	return h.p.Load()
}
`, h.Go, h.C, end, t, more)
	if g.helpers["own "+h.Go] {
		fmt.Fprintf(&b, `
func own%[1]s(p *%[2]s) *%[1]s {
	if p == nil {
		return nil
	}
	h := &%[1]s{}
	h.p.Store(p)
	return h
}
`, h.Go, t)
	}
	if g.helpers["ptr "+h.Go] || g.helpers["orNil "+h.Go] || g.helpers["take "+h.Go] {
		g.helpers["unusable"] = true
		fmt.Fprintf(&b, `
func (h *%[1]s) ptr(function string) *%[2]s {
	if h == nil || h.p.Load() == nil {
		unusable(function, %[3]q, h == nil)
	}
	return h.p.Load()
}
`, h.Go, t, h.Go)
	}
	if g.helpers["orNil "+h.Go] {
		fmt.Fprintf(&b, `
func (h *%[1]s) orNil(function string) *%[2]s {
	if h == nil {
		return nil
	}
	return h.ptr(function)
}
`, h.Go, t)
	}
	if g.helpers["take "+h.Go] {
		fmt.Fprintf(&b, `
func (h *%[1]s) take(function string) *%[2]s {
	p := h.ptr(function)
	h.p.Store(nil)
	return p
}
`, h.Go, t)
	}
	if h.kept {
		fmt.Fprintf(&b, `
// keep notes that C keeps a function, instead of the one that it kept for that before.
func (h *%[1]s) keep(function string, f dl.Handle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.kept[function]; old != 0 {
		old.Delete()
	}
	if h.kept == nil {
		h.kept = map[string]dl.Handle{}
	}
	h.kept[function] = f
}
`, h.Go)
	}
	if h.free != nil {
		b.WriteString("\n" + g.closeText(h))
	}
	return b.String()
}

// closeText is a handle's Close.
func (g *generator) closeText(h *handle) string {
	w := &layerFunc{g: g, f: h.free, hidden: map[int]string{}, scope: map[string]operand{"self": {"p", h.raw}}}
	arg := pointer(h.free.params[0].typ, "p")
	release := ""
	if h.kept {
		release = "\th.mu.Lock()\n\tdefer h.mu.Unlock()\n\tfor _, f := range h.kept {\n\t\tif f != 0 {\n\t\t\tf.Delete()\n\t\t}\n\t}\n\th.kept = nil\n"
	}
	head := fmt.Sprintf("// Close ends the %s by %s. Closed again, or borrowed, it does nothing.", h.Go, h.Free)
	d := h.free.described
	if d == nil || d.Result == nil || d.Result.Kind != "error" {
		if h.free.errno {
			w.wrong(nil, "what ends a handle may have result=error")
		}
		return fmt.Sprintf("%s\nfunc (h *%s) Close() {\n\tif p := h.p.Swap(nil); p != nil && !h.borrowed {\n\t\t%s(%s)\n\t}\n%s}\n", head, h.Go, h.free.goName, arg, release)
	}
	w.scope["result"] = operand{"result", h.free.result}
	w.fails = true
	w.failure(d.Result, g.o.File.Errors[d.Result.Value])
	var body strings.Builder
	for i, part := range strings.Split(w.after.String(), "\x00") {
		if i%2 == 1 {
			part = "return " + part
		}
		body.WriteString(part)
	}
	call := "result := "
	if h.free.errno {
		call = "result, errno := "
	}
	return fmt.Sprintf("%s Whatever it returns, the %s is not to be used any more.\nfunc (h *%s) Close() error {\n\tp := h.p.Swap(nil)\n\tif p == nil || h.borrowed {\n\t\treturn nil\n\t}\n\t%s%s(%s)\n%s%s\treturn nil\n}\n",
		head, h.Go, h.Go, call, h.free.goName, arg, release, body.String())
}

// errorText is the type of the package's errors.
func (g *generator) errorText() string {
	errno := false
	for _, e := range g.o.File.Errors {
		errno = errno || e.Errno
	}
	field, method, part := "", "", ""
	if errno {
		field = "\n\tErrno syscall.Errno // where the library reports by errno; 0 otherwise"
		part = "\tif e.Errno != 0 {\n\t\ttext += \": \" + e.Errno.Error()\n\t}\n"
		method = "\n// Unwrap returns errno, for errors.Is.\nfunc (e *Error) Unwrap() error {\n\tif e.Errno == 0 {\n\t\treturn nil\n\t}\n\treturn e.Errno\n}\n"
	}
	return fmt.Sprintf(`// An Error is a failure that C has reported.
type Error struct {
	Func string // the C function
	Code int64  // what it returned; 0 if that was no number
	Text string // what the library says of it, if it says something%s
}

func (e *Error) Error() string {
	text := e.Func
	if e.Text != "" {
		text += ": " + e.Text
	}
	if e.Code != 0 {
		text += fmt.Sprintf(" (%%d)", e.Code)
	}
%s	return text
}
%s`, field, part, method)
}

// layerHelpers are the functions that the layer's others use.
func (g *generator) layerHelpers() string {
	var b strings.Builder
	for _, h := range helperTexts {
		if h.name == "dropHandle" && g.coroutines() {
			continue // runners has it
		}
		if g.helpers[h.name] {
			text := strings.ReplaceAll(h.text, "PACKAGE", g.o.Package)
			if g.o.viaCgo() {
				text = strings.ReplaceAll(text, "dl.CString(", "cString(")
			}
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

type helperText struct{ name, text string }

var helperTexts = []helperText{
	{"unusable", `// unusable ends a call with a handle that is nil or closed.
func unusable(function, handle string, isNil bool) {
	if isNil {
		panic("PACKAGE: " + function + " is called with a nil *" + handle)
	}
	panic("PACKAGE: " + function + " is called with a *" + handle + " that is closed")
}
`},
	{"noZero", `// noZero returns an error if a string has a zero byte, which would end it for C.
func noZero(function string, list ...string) error {
	for _, s := range list {
		if i := strings.IndexByte(s, 0); i >= 0 {
			return fmt.Errorf("PACKAGE: %s: a string has a zero byte at %d of %d, which would end it for C", function, i, len(s))
		}
	}
	return nil
}
`},
	{"tooLong", `func tooLong(function, what string, n int) error {
	return fmt.Errorf("PACKAGE: %s: %s is too long for C: %d", function, what, n)
}
`},
	{"differ", `func differ(function, a, b string) error {
	return fmt.Errorf("PACKAGE: %s: %s and %s must be of one length", function, a, b)
}
`},
	{"stringOrNil", `func stringOrNil(s string) *byte {
	if s == "" {
		return nil
	}
	return dl.CString(s)
}
`},
	{"textOf", `// textOf returns where the bytes of a string are, which C must not change. That of an empty one is not NULL.
func textOf(s string) *byte {
	if s == "" {
		return new(byte)
	}
	return unsafe.StringData(s)
}
`},
	{"boolean", `func boolean[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](b bool) T {
	if b {
		return 1
	}
	return 0
}
`},
	{"clone", `// clone copies n values of C's; nil if there are none.
func clone[T any](p *T, n int) []T {
	if p == nil || n <= 0 {
		return nil
	}
	return append([]T(nil), unsafe.Slice(p, n)...)
}
`},
	{"cString", `// cString copies a string, with a zero byte at its end. It panics if there is one before.
func cString(s string) *byte {
	if i := strings.IndexByte(s, 0); i >= 0 {
		panic(fmt.Sprintf("PACKAGE: a string has a zero byte at %d of %d, which would end it for C", i, len(s)))
	}
	return unsafe.SliceData(append([]byte(s), 0))
}
`},
	{"goString", `// goString copies a string of C's; "" for nil.
func goString(p *byte) string {
	n := 0
	for p != nil && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return strings.Clone(unsafe.String(p, n))
}
`},
	{"majorOf", `// majorOf is the first number of a version, as 1 in "1.2.13".
func majorOf(version string) string {
	major, _, _ := strings.Cut(version, ".")
	return major
}
`},
	{"ended", `// ended returns why a context has ended, or nil.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
`},
	{"locked", `func locked() (coro.Runner, error) { return coro.Locked, nil }
`},
	{"parked", `var executor struct {
	sync.Mutex
	*coro.Executor
}

// parked returns the runner of the package's executor, on whose threads a wait holds up no other call.
func parked() (coro.Runner, error) {
	executor.Lock()
	defer executor.Unlock()
	if executor.Executor == nil {
		x, err := coro.NewExecutor(coro.ExecutorOptions{})
		if err != nil {
			return coro.Runner{}, err
		}
		executor.Executor = x
	}
	return executor.Runner(), nil
}
`},
	{"inSession", `var session = sync.OnceValue(coro.NewSession)

// inSession returns the runner of the package's thread, on which the calls run one after the other.
func inSession() (coro.Runner, error) { return session().Runner(), nil }
`},
	{"bounded", `// bounded returns a C function of which at most n calls run at once; others wait.
func bounded[A any](name string, fn unsafe.Pointer, n int) func() dl.Func[A] {
	return sync.OnceValue(func() dl.Func[A] {
		f, err := dl.At[A](nil, name, fn, dl.Bound(n))
		if err != nil {
			panic(err)
		}
		return f
	})
}
`},
	{"textFrom", `// textFrom copies n bytes of C's as a string; "" if there are none.
func textFrom(p unsafe.Pointer, n int) string {
	if p == nil || n <= 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(p), n))
}
`},
	{"dropHandle", `// dropHandle is the C function by which C says that it is done with a Go function.
var dropHandle = sync.OnceValue(func() uintptr {
	type args struct{ data uintptr }
	fn := func(a *args) {
		if a.data != 0 {
			dl.Handle(a.data).Delete()
		}
	}
	c, err := dl.NewCallback("destroy", fn)
	if err != nil {
		panic(err)
	}
	return c.Pointer()
})
`},
}
