package bind

import "fmt"

// version writes the comparison of the library's version with the headers'.
func (g *generator) version(v *Reported) {
	f, c := g.lookup(v.Func), g.consts[v.Const]
	number := g.values[v.Const]
	w := &layerFunc{g: g, f: f}
	switch {
	case f == nil:
		g.wrong(v.place, "%s, which tells the version, is not among the functions that are bound", v.Func)
		return
	case c == "":
		g.wrong(v.place, "the headers have no constant %s", v.Const)
		return
	case len(f.params) > 0:
		g.wrong(v.place, "%s takes arguments, so it can't tell the version", v.Func)
		return
	case v.Unit > 0 && (!w.isInteger(f.result) || number == ""):
		g.wrong(v.place, "%s and %s are not both integers, which a unit is for", v.Func, v.Const)
		return
	case v.Unit == 0 && (w.isInteger(f.result) && number != ""):
		g.wrong(v.place, "%s returns a number: say by how much it grows with each major version, as %[1]s=%s:1000000", v.Func, v.Const)
		return
	case v.Unit == 0 && (!isString(f.result) || number != ""):
		g.wrong(v.place, "%s and %s are not both texts, nor both integers", v.Func, v.Const)
		return
	}
	got, verb, major := "int64("+f.goName+"())", "%d", func(x string) string { return fmt.Sprintf("%s/%d", x, v.Unit) }
	want := c
	if v.Unit == 0 {
		got, verb, major = g.goString(f.result, f.goName+"()"), "%s", func(x string) string { return "majorOf(" + x + ")" }
		g.helpers["majorOf"] = true
	}
	g.decls = append(g.decls, decl{name: "sameVersion", text: fmt.Sprintf(`// sameVersion returns an error if the library has another major version than the headers of which the package was made.
func sameVersion() error {
	if version := %s; %s != %s {
		return fmt.Errorf("%s: the library has version %s, by %s, and the package was made for version %s: load another library, or make the package anew by seam bind", version, %s)
	}
	return nil
}
`, got, major("version"), major(want), g.o.Package, verb, v.Func, verb, map[bool]string{true: "int64(" + want + ")", false: want}[v.Unit > 0])})
}
