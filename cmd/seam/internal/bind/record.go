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
	if err != nil {
		// A type that Go can't have is an opaque one behind pointers.
		text = fmt.Sprintf("// %s is C's %s, of which Go code has only addresses: %v.\ntype %s struct{ _ [0]byte }\n", n, c, err, n)
		g.types[c] = n
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
func (g *generator) body(t cc.Type, n, c string) (text string, asserts []string, err error) {
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
		asserts = append(asserts, fmt.Sprintf("sizeof(%s) == %d", c, size), fmt.Sprintf("_Alignof(%s) == %d", c, t.Align()))
	}
	var fields, methods strings.Builder
	if t.Kind() == cc.Union {
		var members []string
		for i := range r.NumFields() {
			f := r.FieldByIndex(i)
			if f.Name() == "" || f.IsBitfield() {
				continue
			}
			ft, err := g.fieldType(f, n)
			if err != nil {
				continue
			}
			m := g.method(f.Name())
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
	seen := map[string]bool{}
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
			m := g.method(f.Name())
			get := fmt.Sprintf("%s(getBits(unsafe.Pointer(s), %d, %d))", ft, first, f.ValueBits())
			if strings.HasPrefix(ft, "int") {
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
		name := strings.ToUpper(f.Name()[:min(1, len(f.Name()))]) + f.Name()[min(1, len(f.Name())):]
		if name == "" {
			name = fmt.Sprintf("Anonymous%d", i)
		}
		if name[0] == '_' {
			name = "X" + name
		}
		for seen[name] {
			name += "_"
		}
		seen[name] = true
		ft, ferr := g.fieldType(f, n+"_"+name)
		fa := goAlign(f.Type())
		if ferr != nil || f.Offset()%fa != 0 { // bytes that Go code can't read as what they are
			if fs := f.Type().Size(); fs > 0 {
				pad(f.Offset(), "_")
				fmt.Fprintf(&fields, "\t%s [%d]byte // C: %s\n", name, fs, f.Type())
				at = f.Offset() + fs
				continue
			}
			return "", nil, unknown("the size of its member " + f.Name() + " is unknown")
		}
		pad(f.Offset(), "_")
		fmt.Fprintf(&fields, "\t%s %s\n", name, ft)
		at += f.Type().Size()
		align = max(align, fa)
		if c != "" && f.Name() != "" {
			a := fmt.Sprintf("__builtin_offsetof(%s, %s) == %d", c, f.Name(), f.Offset())
			if g.ast.Macros[f.Name()] != nil {
				a = f.Name() + "\x00" + a
			}
			asserts = append(asserts, a)
		}
	}
	pad(size, "_")
	ca := int64(t.Align())
	switch {
	case align > ca:
		return "", nil, unknown("it is packed, with members that Go would align")
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

// method is the Go name of a union's member or a bit-field.
func (g *generator) method(c string) string {
	n := strings.ToUpper(c[:1]) + c[1:]
	if n[0] == '_' {
		n = "X" + n
	}
	if n == "Members" {
		n += "_"
	}
	return n
}
