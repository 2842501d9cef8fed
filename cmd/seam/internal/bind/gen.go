package bind

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

// A decl is a Go declaration, and the C that it calls through cgo.
type decl struct{ name, text, c string }

// A Refused is a part of the headers that is not bound.
type Refused struct{ Name, Why string }

// A generator writes the Go of one target.
type generator struct {
	*unit
	o       Options
	used    map[string]string // Go names, and the C names they are for
	types   map[string]string // C's records and enums by key → Go name
	decls   []decl
	asserts []assertion
	funcs   []*function
	refused []Refused
	bits    bool
	named   map[string]bool   // enumerators that are written with their enum
	consts  map[string]string // C's constants → Go names
	values  map[string]string // of those that are integers
	basics  map[string]string // Go's enum types → the integers they are
	handles []*handle
	methods map[string]bool // Go names of methods, after their type and a dot
	helpers map[string]bool // that the layer of Go values uses
	errs    []error         // where bind.seam contradicts the headers

	distrusted map[string]bool  // C's names of what the compiler reads otherwise
	opaque     map[string]error // Go names of records of which there are only addresses, and why
	inexact    map[string]error // and of those that can't be passed by value
}

// An assertion is what the compiler must agree to.
type assertion struct {
	c      string // C's name of the type or constant
	expr   string
	member string // which is a macro's name, too; "" for none
}

func (g *generator) assertValue(c, value string) {
	g.asserts = append(g.asserts, assertion{c, fmt.Sprintf("(%s) == (%s)", c, cValue(value)), ""})
}

// doubted reports whether the compiler has another value for the constant, and notes that it isn't bound.
func (g *generator) doubted(c string) bool {
	why := Refused{c, "the compiler has another value for it than was read"}
	if g.distrusted[c] && !slices.Contains(g.refused, why) {
		g.refused = append(g.refused, why)
	}
	return g.distrusted[c]
}

func generate(u *unit, o Options, exported, distrusted map[string]bool) *generator {
	g := &generator{unit: u, o: o, used: map[string]string{"Load": "", "Lib": "", "Has": ""}, types: map[string]string{}, named: map[string]bool{},
		consts: map[string]string{}, values: map[string]string{}, basics: map[string]string{}, methods: map[string]bool{}, helpers: map[string]bool{},
		distrusted: distrusted, opaque: map[string]error{}, inexact: map[string]error{}}
	if len(o.File.failures()) > 0 {
		g.used["Error"] = ""
	}
	if g.coroutines() {
		for _, n := range runnerNames {
			g.used[n] = ""
		}
	}
	for _, h := range o.File.handles() { // the names that users will write go to these
		for _, n := range []string{h.Go, "Borrow" + h.Go} {
			if _, taken := g.used[n]; taken {
				g.wrong(h.place, "the package has a name %s already", n)
			}
			g.used[n] = ""
		}
	}
	list := u.declarations()
	for _, d := range list {
		if d.IsTypename() {
			g.typedef(d)
		}
	}
	g.enumerators()
	g.resolveHandles(list)
	g.reserveNames(list)
	for _, d := range list {
		if d.Type().Kind() != cc.Function || d.IsTypename() || !g.wanted(d.Name()) {
			continue
		}
		if why := g.function(d, exported); why != "" {
			g.refused = append(g.refused, Refused{d.Name(), why})
		}
	}
	g.macros()
	g.layer()
	g.runners()
	for _, f := range g.funcs {
		text, c := g.raw(f)
		g.decls = append(g.decls, decl{f.goName, f.layer + text, c})
	}
	return g
}

func (g *generator) wanted(name string) bool {
	if f := g.o.File; f != nil && f.Version != nil && f.Version.Func == name {
		return true
	}
	return (g.o.Match == nil || g.o.Match.MatchString(name)) && (g.o.Except == nil || !g.o.Except.MatchString(name))
}

// name returns an exported Go name for a C name that no other has.
func (g *generator) name(c string) string { return g.reserve(g.plainName(c), c) }

// plainName is the Go name of a C name, which another may have, too.
func (g *generator) plainName(c string) string {
	if f := g.o.File; f != nil && f.Renames[c] != "" {
		return f.Renames[c]
	}
	n := c
	for _, p := range g.o.Trim {
		if len(n) > len(p) && strings.EqualFold(n[:len(p)], p) {
			n = n[len(p):]
			break
		}
	}
	var b strings.Builder
	for part := range strings.SplitSeq(n, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	if n = b.String(); n == "" || n[0] >= '0' && n[0] <= '9' {
		n = "X" + n
	}
	return n
}

// reserve takes a Go name, with an underscore where another C name has it.
func (g *generator) reserve(n, c string) string {
	for g.taken(n) {
		n += "_"
	}
	g.used[n] = c
	return n
}

func (g *generator) taken(n string) bool {
	_, taken := g.used[n]
	return taken
}

// differing returns the name, with an underscore for each time that it is in use, and takes it.
func differing(n string, used map[string]bool) string {
	for used[n] {
		n += "_"
	}
	used[n] = true
	return n
}

// exportedName is the Go name of a member.
func exportedName(c string) string {
	if n := strings.ToUpper(c[:1]) + c[1:]; n[0] != '_' {
		return n
	}
	return "X" + c
}

// parameterName is the Go name of a parameter.
func parameterName(c string, i int) string {
	switch {
	case c == "":
		return fmt.Sprintf("a%d", i)
	case token.IsKeyword(c) || slices.Contains(predeclared, c) || c == "args" || c == "_":
		return c + "_"
	}
	return c
}

// predeclared are names that the generated code uses.
var predeclared = strings.Fields("h result err math sync atomic errors context coro int8 int16 int32 int64 uint8 uint16 uint32 uint64 uintptr byte bool float32 float64 string error nil true false unsafe dl len int uint")

// An unknown is a C type that Go code can't have.
type unknown string

func (u unknown) Error() string { return string(u) }

// goType returns the Go type of a C type. In a struct or behind a pointer C's char is a byte;
// value says that it is passed itself, and then it is signed, as the ABI widens it.
func (g *generator) goType(t cc.Type, value bool) (string, error) {
	if d := t.Typedef(); d != nil && strings.Contains(d.Name(), "va_list") {
		return "", unknown("a va_list is known to C alone")
	}
	if t.VectorSize() > 0 {
		return "", unknown("vectors are not known to package dl")
	}
	switch t.Kind() {
	case cc.Bool:
		return "bool", nil
	case cc.Char:
		if value {
			return "int8", nil
		}
		return "byte", nil
	case cc.SChar, cc.Short, cc.Int, cc.Long, cc.LongLong:
		return fmt.Sprintf("int%d", t.Size()*8), nil
	case cc.UChar, cc.UShort, cc.UInt, cc.ULong, cc.ULongLong:
		return fmt.Sprintf("uint%d", t.Size()*8), nil
	case cc.Float:
		return "float32", nil
	case cc.Double:
		return "float64", nil
	case cc.ComplexFloat:
		return "complex64", nil
	case cc.ComplexDouble:
		return "complex128", nil
	case cc.Enum:
		return g.enum(t.(*cc.EnumType))
	case cc.Struct, cc.Union:
		n, err := g.record(t)
		if err == nil {
			err = g.opaque[n]
		}
		if err == nil && value && !g.o.viaCgo() { // C takes it from an address there
			err = g.inexact[n]
		}
		return n, err
	case cc.Array:
		a := t.(*cc.ArrayType)
		elem, err := g.goType(a.Elem(), false)
		if err != nil {
			return "", err
		}
		if a.Len() < 0 {
			return "", unknown("an array of unknown length")
		}
		return fmt.Sprintf("[%d]%s", a.Len(), elem), nil
	case cc.Ptr:
		return g.pointer(t.(*cc.PointerType).Elem())
	}
	return "", unknown("type " + t.String() + " is not known to package dl")
}

func (g *generator) pointer(elem cc.Type) (string, error) {
	switch elem.Kind() {
	case cc.Void:
		if d := elem.Typedef(); d != nil && g.types["void "+d.Name()] != "" {
			return "*" + g.types["void "+d.Name()], nil
		}
		return "unsafe.Pointer", nil
	case cc.Function: // C's address of a function
		return "uintptr", nil
	case cc.Struct, cc.Union: // which Go code may have only addresses of
		if n, err := g.record(elem); err == nil {
			return "*" + n, nil
		}
		return "unsafe.Pointer", nil
	case cc.Array:
		return g.pointer(elem.(*cc.ArrayType).Elem())
	}
	if d := elem.Typedef(); d != nil && strings.Contains(d.Name(), "va_list") {
		return "", unknown("a va_list is known to C alone")
	}
	n, err := g.goType(elem, false)
	if err != nil { // what it points to has no Go type: the address can be passed on all the same
		return "unsafe.Pointer", nil
	}
	return "*" + n, nil
}

// spelling is how C names a record or enum, or "" if it has no name.
func spelling(t cc.Type) string {
	name := func(kind string, tag cc.Token) string {
		if tag.SrcStr() == "" {
			return ""
		}
		return kind + " " + tag.SrcStr()
	}
	c := ""
	switch t := t.(type) {
	case *cc.StructType:
		c = name("struct", t.Tag())
	case *cc.UnionType:
		c = name("union", t.Tag())
	case *cc.EnumType:
		c = name("enum", t.Tag())
	}
	if c != "" {
		return c
	}
	if d := t.Typedef(); d != nil {
		return d.Name()
	}
	return ""
}

func (g *generator) typedef(d declared) {
	switch t := d.Type(); t.Kind() {
	case cc.Struct, cc.Union:
		g.record(t)
	case cc.Enum:
		_, _ = g.enum(t.(*cc.EnumType)) // it has no type if the compiler has another
	case cc.Ptr:
		if f, ok := t.(*cc.PointerType).Elem().(*cc.FunctionType); ok {
			g.callback(d, f)
		}
	}
}

// callback writes the struct of arguments with which dl.NewCallback makes a function of the
// type.
func (g *generator) callback(d declared, f *cc.FunctionType) {
	var b strings.Builder
	if f.IsVariadic() {
		return
	}
	used := map[string]bool{"Result_": true}
	for i, p := range f.Parameters() {
		if p.Type().Kind() == cc.Void {
			continue
		}
		t, err := g.goType(p.Type().Decay(), true)
		if err != nil {
			return
		}
		fmt.Fprintf(&b, "\t%s %s\n", differing(exportedName(parameterName(p.Name(), i)), used), t)
	}
	if f.Result().Kind() != cc.Void {
		t, err := g.goType(f.Result(), true)
		if err != nil {
			return
		}
		fmt.Fprintf(&b, "\tResult_ %s `dl:\"result\"`\n", t)
	}
	n := g.name(d.Name() + "_args")
	g.decls = append(g.decls, decl{name: n, text: fmt.Sprintf("%s// %s are the arguments of a callback of C's type %s, for dl.NewCallback.\ntype %s struct {\n%s}\n",
		docs(d.comment, true), n, d.Name(), n, b.String())})
}

// docs returns a comment's lines as Go's, and an empty one behind them if more follows.
func docs(comment string, more bool) string {
	if comment == "" {
		return ""
	}
	var b strings.Builder
	for l := range strings.Lines(comment) {
		b.WriteString(strings.TrimRight("// "+strings.TrimRight(l, "\n"), " ") + "\n")
	}
	if more {
		b.WriteString("//\n")
	}
	return b.String()
}

// enum returns the Go type of an enum, which it writes the first time.
func (g *generator) enum(t *cc.EnumType) (string, error) {
	c := spelling(t)
	if g.distrusted[c] {
		return "", unknown("the compiler has another size for " + c + " than was read")
	}
	// The constants are ints for C, and the type is unsigned for all compilers if none is negative.
	basic := "uint32"
	for _, e := range t.Enumerators() {
		if v, ok := e.Value().(cc.Int64Value); ok && v < 0 {
			basic = "int32"
		}
	}
	if t.Size() == 8 {
		basic = strings.Replace(basic, "32", "64", 1)
	}
	if c == "" || t.IsIncomplete() {
		return basic, nil
	}
	if n, ok := g.types[c]; ok {
		return n, nil
	}
	_, plain, _ := strings.Cut(c, " ")
	if plain == "" {
		plain = c
	}
	n := g.name(plain)
	g.types[c], g.basics[n] = n, basic
	var consts, cases strings.Builder
	seen := map[string]bool{}
	for _, e := range t.Enumerators() {
		value, ok := integer(e.Value())
		if !ok || g.doubted(e.Token.SrcStr()) {
			continue
		}
		id := g.constant(e.Token.SrcStr())
		g.named[e.Token.SrcStr()], g.values[e.Token.SrcStr()] = true, value
		fmt.Fprintf(&consts, "\t%s %s = %s\n", id, n, value)
		g.assertValue(e.Token.SrcStr(), value)
		if !seen[value] {
			seen[value] = true
			fmt.Fprintf(&cases, "\tcase %s:\n\t\treturn %q\n", id, e.Token.SrcStr())
		}
	}
	text := fmt.Sprintf("// %s is C's %s.\ntype %s %s\n\nconst (\n%s)\n\n// String returns C's name of the value, or its number.\nfunc (x %s) String() string {\n\tswitch x {\n%s\t}\n\treturn fmt.Sprintf(\"%s(%%d)\", %s(x))\n}\n",
		n, c, n, basic, consts.String(), n, cases.String(), n, basic)
	g.asserts = append(g.asserts, assertion{c, fmt.Sprintf("sizeof(%s) == %d", c, t.Size()), ""})
	g.decls = append(g.decls, decl{name: n, text: text})
	return n, nil
}

// constant returns the Go name of a constant: C's, exported.
func (g *generator) constant(c string) string {
	n := strings.TrimLeft(c, "_")
	if n == "" || n[0] >= '0' && n[0] <= '9' {
		n = "X" + n
	}
	n = g.reserve(strings.ToUpper(n[:1])+n[1:], c)
	g.consts[c] = n
	return n
}

func integer(v cc.Value) (string, bool) {
	switch v := v.(type) {
	case cc.Int64Value:
		return strconv.FormatInt(int64(v), 10), true
	case cc.UInt64Value:
		return strconv.FormatUint(uint64(v), 10), true
	}
	return "", false
}

// cValue writes an integer so that C takes it as it is.
func cValue(v string) string {
	switch {
	case v == "-9223372036854775808":
		return "(-9223372036854775807LL - 1)"
	case len(v) >= 19 && v[0] != '-':
		return v + "ULL"
	}
	return v + "LL"
}

// enumerators writes those of enums that have no name.
func (g *generator) enumerators() {
	var names []string
	for _, n := range slices.Sorted(maps.Keys(g.ast.Scope.Nodes)) {
		for _, node := range g.ast.Scope.Nodes[n] {
			if e, ok := node.(*cc.EnumSpecifier); ok && g.ours(e.Position().Filename) {
				if t, ok := e.Type().(*cc.EnumType); ok && !t.IsIncomplete() {
					_, _ = g.enum(t)
				}
			}
			if e, ok := node.(*cc.StructOrUnionSpecifier); ok && g.ours(e.Position().Filename) && !e.Type().IsIncomplete() {
				g.record(e.Type())
			}
			if e, ok := node.(*cc.Enumerator); ok && g.ours(e.Position().Filename) {
				names = append(names, n)
			}
		}
	}
	var b strings.Builder
	for _, n := range names {
		for _, node := range g.ast.Scope.Nodes[n] {
			e, ok := node.(*cc.Enumerator)
			if !ok {
				continue
			}
			if g.named[n] { // of an enum that has a name
				continue
			}
			if v, ok := integer(e.Value()); ok && !g.doubted(n) {
				g.values[n] = v
				fmt.Fprintf(&b, "\t%s = %s\n", g.constant(n), v)
				g.assertValue(n, v)
			}
		}
	}
	if b.Len() > 0 {
		g.decls = append(g.decls, decl{name: "enumerators", text: "// Enumerators of enums without a name.\nconst (\n" + b.String() + ")\n"})
	}
}

// notConstant reports whether a macro with this word in it is no constant, whatever it is worth at the
// moment: a list, or what the compiler counts.
func notConstant(t cc.Token) bool {
	switch t.SrcStr() {
	case ",", "{", "__LINE__", "__FILE__", "__DATE__", "__TIME__", "__COUNTER__", "__func__":
		return true
	}
	return false
}

// noConstant reports whether the macro, with those that it uses, has such a word in it.
func (g *generator) noConstant(m *cc.Macro, seen map[string]bool) bool {
	return slices.ContainsFunc(m.ReplacementList(), func(t cc.Token) bool {
		if notConstant(t) {
			return true
		}
		n := t.SrcStr()
		inner := g.ast.Macros[n]
		if inner == nil || seen[n] {
			return false
		}
		seen[n] = true
		return g.noConstant(inner, seen)
	})
}

// macros writes those that are numbers or strings.
func (g *generator) macros() {
	var names []string
	for n, m := range g.ast.Macros {
		if g.ours(m.Position().Filename) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		m := g.ast.Macros[n]
		if m.IsFnLike {
			if g.wanted(n) && !slices.ContainsFunc(g.funcs, func(f *function) bool { return f.c == n }) {
				g.refused = append(g.refused, Refused{n, "a macro with parameters is C's text, and no symbol"})
			}
			continue
		}
		if !m.IsConst || len(m.ReplacementList()) == 0 || g.noConstant(m, map[string]bool{}) {
			continue
		}
		switch v := m.Value().(type) {
		case cc.Int64Value, cc.UInt64Value:
			if t := m.Type(); t == nil || !cc.IsIntegerType(t) || g.doubted(n) {
				continue
			}
			text, _ := integer(v)
			g.values[n] = text
			fmt.Fprintf(&b, "\t%s = %s\n", g.constant(n), text)
			g.assertValue(n, text)
		case cc.Float64Value:
			fmt.Fprintf(&b, "\t%s = %s\n", g.constant(n), strconv.FormatFloat(float64(v), 'g', -1, 64))
		case cc.StringValue:
			fmt.Fprintf(&b, "\t%s = %q\n", g.constant(n), strings.TrimSuffix(string(v), "\x00"))
		}
	}
	if b.Len() > 0 {
		g.decls = append(g.decls, decl{name: "macros", text: "// Macros that are constants.\nconst (\n" + b.String() + ")\n"})
	}
}
