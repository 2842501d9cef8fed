package bind

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
)

// A recordType is a struct or union.
type recordType interface {
	cc.Type
	NumFields() int
	FieldByIndex(int) *cc.Field
}

// record returns the Go type of a struct or union, which it writes the first time.
func (g *generator) record(t cc.Type) (string, error) {
	c := spelling(t)
	if c == "" {
		return g.anonymous(t, "")
	}
	if n, ok := g.types[c]; ok {
		return n, nil
	}
	_, plain, _ := strings.Cut(c, " ")
	if plain == "" {
		plain = c
	}
	if d := t.Typedef(); d != nil && g.ours(d.Position().Filename) {
		plain = d.Name()
	}
	n := g.name(plain)
	g.types[c] = n
	at := len(g.decls)
	g.decls = append(g.decls, decl{name: n})
	text, asserts, err := g.body(t, n, c)
	if g.distrusted[c] {
		err, asserts = unknown("the compiler lays it out otherwise than was read"), nil
	}
	if err != nil {
		// A type that Go can't have is an opaque one behind pointers.
		text = fmt.Sprintf("// %s is C's %s, of which Go code has only addresses: %v.\ntype %s struct{ _ [0]byte }\n", n, c, err, n)
		g.opaque[n] = fmt.Errorf("%s: %w", c, err)
	}
	g.decls[at].text = text
	g.asserts = append(g.asserts, asserts...)
	return n, nil
}

// anonymous is a struct or union without a name, in a field.
func (g *generator) anonymous(t cc.Type, within string) (string, error) {
	if within == "" {
		within = "Anonymous"
	}
	n := g.reserve(within, within)
	at := len(g.decls)
	g.decls = append(g.decls, decl{name: n})
	text, _, err := g.body(t, n, "")
	if err != nil {
		return "", err
	}
	g.decls[at].text = text
	return n, nil
}

// align are the alignments of Go's basic types, which are C's on 64-bit machines.
func goAlign(t cc.Type) int64 { return int64(t.Align()) }

// body writes a record.
func (g *generator) body(t cc.Type, n, c string) (text string, asserts []assertion, err error) {
	what := c
	if what == "" {
		what = "type without a name"
	}
	if t.IsIncomplete() {
		return fmt.Sprintf("// %s is C's %s, whose members the header keeps to itself.\ntype %s struct{ _ [0]byte }\n", n, what, n), nil, nil
	}
	r, ok := t.(recordType)
	if !ok {
		return "", nil, unknown("it is no struct")
	}
	size := t.Size()
	if c != "" {
		asserts = append(asserts, assertion{c, fmt.Sprintf("sizeof(%s) == %d", c, size), ""}, assertion{c, fmt.Sprintf("_Alignof(%s) == %d", c, t.Align()), ""})
	}
	var fields, methods strings.Builder
	seen := map[string]bool{"Members": true}
	inexact := func(f *cc.Field, why error) {
		if g.inexact[n] == nil && why != nil {
			g.inexact[n] = fmt.Errorf("%s can't be passed by value: its member %s: %w", what, f.Name(), why)
		}
	}
	if t.Kind() == cc.Union {
		var members []string
		for i := range r.NumFields() {
			f := r.FieldByIndex(i)
			if f.Name() == "" || f.IsBitfield() {
				continue
			}
			ft, err := g.fieldType(f, n)
			if inexact(f, err); err != nil {
				continue
			}
			inexact(f, g.inexact[elemName(ft)])
			m := differing(exportedName(f.Name()), seen)
			fmt.Fprintf(&methods, "\n// %s is the union's member %s.\nfunc (u *%s) %s() *%s { return (*%s)(unsafe.Pointer(u)) }\n", m, f.Name(), n, m, ft, ft)
			members = append(members, fmt.Sprintf("*new(%s)", ft))
		}
		fmt.Fprintf(&methods, "\n// Members tells package dl how C passes the union by value.\nfunc (%s) Members() []any { return []any{%s} }\n", n, strings.Join(members, ", "))
		fmt.Fprintf(&fields, "\t_ [0]uint%d\n\tdata [%d]byte\n", 8*t.Align(), size)
		if t.Align() > 8 {
			return "", nil, unknown("its alignment is larger than Go's")
		}
		return g.finish(n, what, fields.String(), methods.String(), size), asserts, nil
	}
	at, align, bitsAt := int64(0), int64(1), 0
	ca := int64(t.Align())
	pad := func(to int64, name string) {
		if to > at {
			fmt.Fprintf(&fields, "\t%s [%d]byte\n", name, to-at)
			at = to
		}
	}
	for i := range r.NumFields() {
		f := r.FieldByIndex(i)
		if f.IsFlexibleArrayMember() {
			fmt.Fprintf(&fields, "\t// C's %s, an array of unknown length, begins at offset %d.\n", f.Name(), f.Offset())
			continue
		}
		if f.IsBitfield() {
			if f.Name() == "" || f.ValueBits() == 0 {
				continue
			}
			first := f.Offset()*8 + int64(f.OffsetBits())
			end := (first + f.ValueBits() + 7) / 8
			if end > at {
				pad(end, fmt.Sprintf("bits%d", bitsAt))
				bitsAt++
			}
			ft, err := g.goType(f.Type(), true)
			if err != nil || ft == "bool" {
				ft = "uint64"
			}
			m := exportedName(f.Name())
			for seen[m] || seen["Set"+m] {
				m += "_"
			}
			seen[m], seen["Set"+m] = true, true
			get := fmt.Sprintf("%s(getBits(unsafe.Pointer(s), %d, %d))", ft, first, f.ValueBits())
			if strings.HasPrefix(ft, "int") || strings.HasPrefix(g.basics[ft], "int") {
				get = fmt.Sprintf("%s(int64(getBits(unsafe.Pointer(s), %d, %d)<<%d) >> %d)", ft, first, f.ValueBits(), 64-f.ValueBits(), 64-f.ValueBits())
			}
			fmt.Fprintf(&methods, "\n// %s is the bit-field %s.\nfunc (s *%s) %s() %s { return %s }\n", m, f.Name(), n, m, ft, get)
			fmt.Fprintf(&methods, "\n// Set%s sets the bit-field %s.\nfunc (s *%s) Set%s(x %s) { setBits(unsafe.Pointer(s), %d, %d, uint64(x)) }\n", m, f.Name(), n, m, ft, first, f.ValueBits())
			g.bits = true
			continue
		}
		if f.Offset() < at {
			return "", nil, unknown("its members overlap in a way that Go's can't")
		}
		name := fmt.Sprintf("Anonymous%d", i)
		if f.Name() != "" {
			name = exportedName(f.Name())
		}
		name = differing(name, seen)
		ft, ferr := g.fieldType(f, n+"_"+name)
		fa := goAlign(f.Type())
		if c != "" && f.Name() != "" {
			a := assertion{c, fmt.Sprintf("__builtin_offsetof(%s, %s) == %d", c, f.Name(), f.Offset()), ""}
			if g.ast.Macros[f.Name()] != nil {
				a.member = f.Name()
			}
			asserts = append(asserts, a)
		}
		if ferr == nil && (f.Offset()%fa != 0 || fa > ca) {
			ferr = unknown("it is packed, and Go would align it")
		}
		if ferr != nil { // bytes that Go code can't read as what they are
			inexact(f, ferr)
			if fs := f.Type().Size(); fs > 0 {
				pad(f.Offset(), "_")
				fmt.Fprintf(&fields, "\t%s [%d]byte // C: %s\n", name, fs, f.Type())
				at = f.Offset() + fs
				continue
			}
			return "", nil, unknown("the size of its member " + f.Name() + " is unknown")
		}
		inexact(f, g.inexact[elemName(ft)])
		pad(f.Offset(), "_")
		fmt.Fprintf(&fields, "\t%s %s\n", name, ft)
		at += f.Type().Size()
		align = max(align, fa)
	}
	pad(size, "_")
	switch {
	case align < ca && ca <= 8:
		body := fields.String()
		fields.Reset()
		fmt.Fprintf(&fields, "\t_ [0]uint%d\n%s", 8*ca, body)
	case ca > 8:
		return "", nil, unknown("its alignment is larger than Go's")
	}
	return g.finish(n, what, fields.String(), methods.String(), size), asserts, nil
}

func (g *generator) finish(n, what, fields, methods string, size int64) string {
	return fmt.Sprintf("// %s is C's %s.\ntype %s struct {\n%s}\n\nconst (\n\t_ = uint(unsafe.Sizeof(%s{}) - %d)\n\t_ = uint(%d - unsafe.Sizeof(%s{}))\n)\n%s", n, what, n, fields, n, size, size, n, methods)
}

// fieldType is the Go type of a field; one without a name is called after the record it is in.
func (g *generator) fieldType(f *cc.Field, within string) (string, error) {
	t := f.Type()
	if (t.Kind() == cc.Struct || t.Kind() == cc.Union) && spelling(t) == "" {
		return g.anonymous(t, within)
	}
	return g.goType(t, false)
}

// elemName is the name of the type that an array, or an array of such, is made of.
func elemName(typ string) string { return typ[strings.LastIndexByte(typ, ']')+1:] }
