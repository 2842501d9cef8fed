package lifetime

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// A verdict is what the compiler says about the values of a function.
type verdict struct {
	escapes int    // values that are on the heap, or leak there
	text    string // in the compiler's words
}

// A span is where a function is in its file.
type span struct {
	first, last int
	params      []string // those whose verdict matters: what C is shown, or Go has filled
}

// functions finds the functions of a Go file.
func functions(source string) (map[string]span, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, idiomsFile, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	all := map[string]span{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		s := span{first: fset.Position(f.Pos()).Line, last: fset.Position(f.End()).Line}
		for _, p := range f.Type.Params.List {
			if star, ok := p.Type.(*ast.StarExpr); ok {
				if _, ours := star.X.(*ast.Ident); !ours {
					continue // what the idiom works with: a pool, an arena
				}
			}
			for _, name := range p.Names {
				s.params = append(s.params, name.Name)
			}
		}
		all[f.Name.Name] = s
	}
	return all, nil
}

// idiomsFile is the file that is measured.
const idiomsFile = "idioms.go"

var (
	remark = regexp.MustCompile(`^.*?` + regexp.QuoteMeta(idiomsFile) + `:([0-9]+):[0-9]+: (.*)$`)
	head   = regexp.MustCompile(`^(?:parameter (.+) leaks to \{heap\} for .+ with derefs=0|(.+) escapes to heap in .+):$`)
	via    = regexp.MustCompile(`^ +from (.*) \(call parameter\) at `)
	// The compiler's own verdicts, in the order of its output.
	moved   = regexp.MustCompile(`^moved to heap: (.+)$`)
	onHeap  = regexp.MustCompile(`^(.+) escapes to heap$`)
	leaking = regexp.MustCompile(`^leaking param: ([^ ]+)$`)
	stays   = regexp.MustCompile(`^([^ ]+) does not escape$`)
)

// verdicts reads what the compiler's -m=2 prints about the idioms.
func verdicts(source, printed string) (map[string]verdict, error) {
	all, err := functions(source)
	if err != nil {
		return nil, err
	}
	type finding struct{ words, value string }
	told := map[string][]finding{}
	reasons := map[string]map[string]string{} // by function and value
	function, value := "", ""                 // that a head was about, whose reason follows
	for raw := range strings.Lines(printed) {
		m := remark.FindStringSubmatch(strings.TrimRight(raw, "\r\n"))
		if m == nil {
			function = ""
			continue
		}
		said := m[2]
		if strings.HasPrefix(said, " ") {
			if v := via.FindStringSubmatch(said); v != nil && function != "" {
				// The last one is the call that lets the value go.
				if name := callee(v[1]); name != "" {
					reasons[function][value] = name
				}
			}
			continue
		}
		function = ""
		at := inside(all, m[1])
		if at == "" {
			continue
		}
		if h := head.FindStringSubmatch(said); h != nil {
			function, value = at, h[1]+h[2]
			if reasons[at] == nil {
				reasons[at] = map[string]string{}
			}
			if reasons[at][value] != "" {
				function = "" // the first way to the heap is enough
			}
			continue
		}
		for _, kind := range []*regexp.Regexp{moved, onHeap, leaking, stays} {
			v := kind.FindStringSubmatch(said)
			if v == nil || beside(v[1]) || (kind == stays || kind == leaking) && !slices.Contains(all[at].params, v[1]) {
				continue
			}
			if f := (finding{said, v[1]}); !slices.Contains(told[at], f) {
				told[at] = append(told[at], f)
			}
			break
		}
	}
	result := map[string]verdict{}
	for name := range all {
		var v verdict
		var words []string
		for _, f := range told[name] {
			text := f.words
			if !stays.MatchString(f.words) {
				v.escapes++
				if why := reasons[name][f.value]; why != "" {
					text += " (passed to " + why + ")"
				}
			}
			words = append(words, text)
		}
		if len(words) == 0 {
			words = []string{"nothing escapes"}
		}
		v.text = strings.Join(words, "; ")
		result[name] = v
	}
	return result, nil
}

// inside is the function at a line, "" outside of all.
func inside(all map[string]span, line string) string {
	n := 0
	if _, err := fmt.Sscan(line, &n); err != nil {
		return ""
	}
	for name, s := range all {
		if s.first <= n && n <= s.last {
			return name
		}
	}
	return ""
}

// beside reports whether a value doesn't occur in ordinary runs of the idiom: the texts
// of its panics, and what package mem makes in debug mode or when a result does not fit.
func beside(value string) bool {
	return strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "make([]byte, mem.")
}

// typeArguments are those of a generic function or type. None that is met here has
// brackets inside.
var typeArguments = regexp.MustCompile(`\[[^\[\]]*\]`)

// callee is the function of a call as the compiler writes it: "C.look" of
// "_Cfunc_seam_lifetime_look((*_Ctype_uchar)(…), …)"; "" if it is none.
func callee(call string) string {
	method := strings.HasPrefix(call, "(*")
	if method {
		call = strings.Replace(call[len("(*"):], ")", "", 1)
	}
	name, _, ok := strings.Cut(typeArguments.ReplaceAllString(call, ""), "(")
	if !ok || strings.HasPrefix(name, "<") {
		return ""
	}
	name = strings.Replace(name, "_Cfunc_", "C.", 1)
	return strings.Replace(name, "C.seam_lifetime_", "C.", 1)
}
