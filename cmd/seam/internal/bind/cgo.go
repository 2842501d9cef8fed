package bind

import (
	"fmt"
	"path/filepath"
	"strings"

	"modernc.org/cc/v4"
)

// Through cgo each function is called by a C function of ours, whose parameters are of a few
// plain types. So the Go code need not name C's types, which cgo can't all name, and C's
// compiler checks each call against the header.

// scalars are C's names of Go's numbers.
var scalars = map[string]string{
	"int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t", "uint8": "uint8_t", "byte": "uint8_t",
	"uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t", "uintptr": "uintptr_t", "bool": "_Bool",
	"float32": "float", "float64": "double", "complex64": "float _Complex", "complex128": "double _Complex",
}

// cgoScalars are cgo's names of those whose C names have spaces or an underscore.
var cgoScalars = map[string]string{"_Bool": "C._Bool", "float _Complex": "C.complexfloat", "double _Complex": "C.complexdouble"}

// A crossed is a value on its way through cgo.
type crossed struct {
	c       string // its C type
	cgo     string // the Go type that cgo has for that
	record  bool   // it is a struct or union by value, so its address goes
	pointer bool
}

func (g *generator) crossed(typ string, t cc.Type) crossed {
	if b := g.basics[typ]; b != "" {
		typ = b
	}
	if c := scalars[typ]; c != "" {
		x := crossed{c: c, cgo: "C." + c}
		if n := cgoScalars[c]; n != "" {
			x.cgo = n
		}
		return x
	}
	if elem, ok := strings.CutPrefix(typ, "*"); ok { // cgo need not look for pointers in what has none
		if b := g.basics[elem]; b != "" {
			elem = b
		}
		if c := scalars[elem]; c != "" && elem != "uintptr" && cgoScalars[c] == "" {
			return crossed{c: c + " *", cgo: "*C." + c, pointer: true}
		}
	}
	if typ == "unsafe.Pointer" || typ[0] == '*' {
		return crossed{c: "void *", cgo: "unsafe.Pointer", pointer: true}
	}
	return crossed{c: spelling(t), record: true}
}

// spelled reports whether C can name all records that the function takes and returns by value.
func (g *generator) spelled(f *function) bool {
	for _, p := range f.params {
		if g.crossed(p.typ, p.ctype.Decay()).c == "" {
			return false
		}
	}
	return f.result == "" || g.crossed(f.result, f.Type().(*cc.FunctionType).Result()).c != ""
}

// shim writes the C function, and the Go statements that call it.
func (g *generator) shim(f *function) (c, call string) {
	filled := fmt.Sprintf("\targs := %sArgs{%s}\n", f.args, f.literal())
	switch f.mode.Mode {
	case "leaf":
		return g.argsShim(f, "void", "void *p", ""), filled + fmt.Sprintf("\t%s.Call(&args)\n", f.args)
	case "offload": // package dl calls the function itself
		return fmt.Sprintf("static void *seam_%[1]s_address(void) { return (void *)%[1]s; }\n", f.c), filled + fmt.Sprintf("\t%s().Call(&args)\n", f.args)
	}
	var params, passed, args []string
	for i, p := range f.params {
		x := g.crossed(p.typ, p.ctype.Decay())
		n := fmt.Sprintf("a%d", i)
		switch {
		case x.record:
			params, passed = append(params, "void *"+n), append(passed, fmt.Sprintf("*(%s *)%s", x.c, n))
			args = append(args, "unsafe.Pointer(&"+p.name+")")
		case x.pointer:
			params, passed = append(params, x.c+n), append(passed, "(void *)"+n)
			if x.cgo == "unsafe.Pointer" {
				args = append(args, "unsafe.Pointer("+p.name+")")
			} else {
				args = append(args, "("+x.cgo+")(unsafe.Pointer("+p.name+"))")
			}
		default:
			if p.typ == "uintptr" { // a function, or what C hands on
				passed = append(passed, "(void *)"+n)
			} else {
				passed = append(passed, n)
			}
			params, args = append(params, x.c+" "+n), append(args, x.cgo+"("+p.name+")")
		}
	}
	name := "seam_" + f.c
	var result crossed
	if f.result != "" {
		result = g.crossed(f.result, f.Type().(*cc.FunctionType).Result())
	}
	body := fmt.Sprintf("%s(%s);", g.callee(f), strings.Join(passed, ", "))
	returns := "void"
	switch {
	case f.result == "":
	case result.record:
		params = append(params, "void *result")
		args = append(args, "unsafe.Pointer(&result)")
		body = fmt.Sprintf("*(%s *)result = %s", result.c, body)
	default:
		returns = result.c
		body = fmt.Sprintf("return (%s)%s", result.c, body)
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	c = fmt.Sprintf("static %s %s(%s) { %s }\n", returns, name, strings.Join(params, ", "), body)
	text := fmt.Sprintf("C.%s(%s)", name, strings.Join(args, ", "))
	switch {
	case f.result == "" && f.errno:
		call = "\t_, err := " + text + "\n"
	case f.result == "":
		call = "\t" + text + "\n"
	case result.record && f.errno:
		call = fmt.Sprintf("\tvar result %s\n\t_, err := %s\n", f.result, text)
	case result.record:
		call = fmt.Sprintf("\tvar result %s\n\t%s\n", f.result, text)
	case f.errno:
		call = "\tresult, err := " + text + "\n"
	default:
		call = "\tresult := " + text + "\n"
	}
	if f.errno {
		call += "\terrno, _ := err.(syscall.Errno)\n"
	}
	value := ""
	switch {
	case f.result == "":
	case result.record:
		value = "result"
	case result.pointer:
		value = fmt.Sprintf("(%s)(unsafe.Pointer(result))", f.result)
	default:
		value = fmt.Sprintf("%s(result)", f.result)
	}
	if f.errno {
		value = strings.TrimPrefix(value+", errno", ", ")
	}
	if value != "" {
		call += "\treturn " + value + "\n"
	}
	return c, call
}

// argsShim is the C function that package leaf or coro calls with the struct of arguments.
func (g *generator) argsShim(f *function, result, params, end string) string {
	var fields strings.Builder
	var passed []string
	for i, p := range f.params {
		x := g.crossed(p.slot, p.ctype.Decay())
		fmt.Fprintf(&fields, "\t%s a%d;\n", x.c, i)
		if x.pointer || p.typ == "uintptr" {
			passed = append(passed, fmt.Sprintf("(void *)a->a%d", i))
		} else {
			passed = append(passed, fmt.Sprintf("a->a%d", i))
		}
	}
	set := ""
	if f.result != "" {
		x := g.crossed(f.result, f.Type().(*cc.FunctionType).Result())
		fmt.Fprintf(&fields, "\t%s result;\n", x.c)
		if set = "a->result = (" + x.c + ")"; x.record {
			set = "a->result = "
		}
	}
	before, after := "", ""
	if f.errno {
		fields.WriteString("\tint32_t number;\n")
		before, after = "\terrno = 0;\n", "\ta->number = errno;\n"
	}
	if fields.Len() == 0 {
		fields.WriteString("\tchar none[0];\n")
	}
	return fmt.Sprintf("struct seam_%[1]s_args {\n%[2]s};\nstatic %[7]s seam_%[1]s(%[8]s) {\n\tstruct seam_%[1]s_args *a = p;\n\t(void)a;\n%[3]s\t%[4]s%[10]s(%[5]s);\n%[6]s%[9]s}\nstatic void *seam_%[1]s_address(void) { return (void *)seam_%[1]s; }\n",
		f.c, fields.String(), before, set, strings.Join(passed, ", "), after, result, params, end, g.callee(f))
}

// callee is how C calls the function, and no macro of its name.
func (g *generator) callee(f *function) string {
	if g.ast.Macros[f.c] != nil {
		return "(" + f.c + ")"
	}
	return f.c
}

// loadCgo is what stands for Load where the library is linked.
func loadCgo(g *generator) string {
	var names []string
	for _, f := range g.funcs {
		names = append(names, fmt.Sprintf("%q", f.c))
	}
	cases := ""
	if len(names) > 0 {
		cases = "\tswitch function {\n\tcase " + strings.Join(names, ",\n\t\t") + ":\n\t\treturn true\n\t}\n"
	}
	checked, does := "nil", "does nothing: the library is linked"
	if g.o.File.Version != nil {
		checked, does = "sameVersion()", "looks whether the library, which is linked, has the major version of the headers"
	}
	return fmt.Sprintf(`// Load %s. It is an error to name another one.
func Load(names ...string) error {
	if len(names) > 0 {
		return fmt.Errorf("%s: the library is linked, so %%s is not loaded: a package made via dl can", names[0])
	}
	return %s
}

// Has reports whether the library has a function, by its name in C.
func Has(function string) bool {
%s	return false
}

`, does, g.o.Package, checked, cases)
}

// preamble is the comment that cgo reads.
func preamble(o Options, c string, first bool) string {
	var b strings.Builder
	b.WriteString("/*\n")
	if f := o.File; first {
		for _, n := range f.PkgConfig {
			fmt.Fprintf(&b, "#cgo pkg-config: %s\n", n)
		}
		link := f.Link
		if len(link) == 0 && len(f.PkgConfig) == 0 {
			for _, l := range f.Libs[:1] {
				if n, _, ok := strings.Cut(strings.TrimPrefix(filepath.Base(l), "lib"), ".so"); ok {
					link = []string{"-l" + n}
				}
			}
		}
		for _, flags := range []struct {
			name string
			list []string
		}{{"CFLAGS", f.CFlags}, {"LDFLAGS", link}} {
			var list []string
			for _, flag := range flags.list {
				for _, p := range []string{"-I", "-L"} {
					if folder, ok := strings.CutPrefix(flag, p); ok && folder != "" && !filepath.IsAbs(folder) {
						flag = p + "${SRCDIR}/" + folder
					}
				}
				list = append(list, flag)
			}
			if len(list) > 0 {
				fmt.Fprintf(&b, "#cgo %s: %s\n", flags.name, strings.Join(list, " "))
			}
		}
		b.WriteString("\n")
	}
	for _, h := range o.File.Headers {
		if isFile(filepath.Join(filepath.Dir(o.File.Name), h)) {
			fmt.Fprintf(&b, "#include %q\n", h)
		} else {
			fmt.Fprintf(&b, "#include <%s>\n", h)
		}
	}
	b.WriteString("#include <errno.h>\n#include <stdint.h>\n\n" + c + "*/\nimport \"C\"\n\n")
	return b.String()
}

// viaCgo reports whether the package calls C through cgo.
func (o Options) viaCgo() bool { return o.File != nil && o.File.Via == "cgo" }
