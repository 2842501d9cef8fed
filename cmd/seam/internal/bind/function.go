package bind

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
)

// function writes a function. why says why it can't be bound.
func (g *generator) function(d declared, exported map[string]bool) (why string) {
	f := d.Type().(*cc.FunctionType)
	switch {
	case d.inline || d.IsStatic():
		return "an inline function is C's text, and no symbol"
	case exported != nil && !exported[d.Name()]:
		return "the library has no such symbol"
	case f.IsVariadic():
		return "it is variadic: describe each of its uses by a struct for dl.Of"
	}
	type parameter struct{ name, typ, slot, in string }
	var list []parameter
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
		q := parameter{n, t, t, n}
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
		list = append(list, q)
	}
	result := ""
	if f.Result().Kind() != cc.Void {
		var err error
		if result, err = g.goType(f.Result(), true); err != nil {
			return fmt.Sprintf("result: %v", err)
		}
	}
	n := g.name(d.Name())
	args := g.reserve("c"+n, d.Name())
	leaf := g.o.Leaf != nil && g.o.Leaf.MatchString(d.Name())
	var b, params, in strings.Builder
	kind := "Func"
	if leaf {
		kind = "Leaf"
	}
	for i, p := range list {
		if i > 0 {
			params.WriteString(", ")
			in.WriteString(", ")
		}
		params.WriteString(p.name + " " + p.typ)
		fmt.Fprintf(&in, "a%d: %s", i, p.in)
	}
	fmt.Fprintf(&b, "// %s calls %s:\n//\n//\t%s\n", n, d.Name(), d.text)
	if d.comment != "" {
		b.WriteString("//\n" + docs(d.comment, false))
	}
	fmt.Fprintf(&b, "func %s(%s) %s {\n\targs := %sArgs{%s}\n\t%s.Call(&args)\n", n, params.String(), result, args, in.String(), args)
	if result != "" {
		b.WriteString("\treturn args.result\n")
	}
	b.WriteString("}\n\n")
	fmt.Fprintf(&b, "var %s dl.%s[%sArgs]\n\ntype %sArgs struct {\n", args, kind, args, args)
	for i, p := range list {
		fmt.Fprintf(&b, "\ta%d %s\n", i, p.slot)
	}
	if result != "" {
		fmt.Fprintf(&b, "\tresult %s `dl:\"result\"`\n", result)
	}
	b.WriteString("}\n")
	g.decls = append(g.decls, decl{name: n, text: b.String()})
	g.funcs = append(g.funcs, function{d.Name(), n, args, leaf})
	return ""
}
