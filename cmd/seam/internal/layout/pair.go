package layout

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"unicode"
)

// Directive begins the comment that pairs the type of Go below it with a type of
// C.
const Directive = "//seam:layout"

// A Pair are two types that should be laid out the same way.
type Pair struct {
	Go    string // as the package writes it: "Point", "Pair[int32]"
	C     string // as C writes it: "struct point", "point_t"; in C++ "ns::point"
	Where string // "file.go:12", or "" for the command line

	AnyAlign bool // a difference of alignment is not a mismatch

	file string // the Go file that declares it, "" if not known
}

// maxName bounds the names in a pair.
const maxName = 1000

// ParsePair reads "GoType=CType", as the command line has it.
func ParsePair(text string) (Pair, error) {
	goName, cName, ok := strings.Cut(text, "=")
	if !ok {
		return Pair{}, fmt.Errorf("%q is not a pair of types (want GoType=CType, for example Point=struct_point)", clean(text))
	}
	p := Pair{}
	var err error
	if p.Go, err = parseGoName(goName); err != nil {
		return Pair{}, err
	}
	cName, p.AnyAlign = cutAnyAlign(cName)
	p.C, err = parseCName(cName)
	return p, err
}

// cutAnyAlign takes --any-align off, which stands in front of a pair's type of C.
func cutAnyAlign(text string) (cName string, anyAlign bool) {
	if f := strings.Fields(text); len(f) > 0 && f[0] == "--any-align" {
		_, text, _ = strings.Cut(text, f[0])
		return text, true
	}
	return text, false
}

// parseDirective reads what follows //seam:layout above the declaration of a
// type.
func parseDirective(text, typeName string, generic bool) (Pair, error) {
	text, _, _ = strings.Cut(text, "//") // a comment in the comment
	if strings.TrimSpace(text) == "" {
		return Pair{}, fmt.Errorf("%s names no C type (want, for example, %s struct point)", Directive, Directive)
	}
	if strings.Contains(text, "=") {
		p, err := ParsePair(text)
		if err == nil && p.Go != typeName && !strings.HasPrefix(p.Go, typeName+"[") {
			err = fmt.Errorf("the directive above %s names %s: move it above the declaration of %s", typeName, p.Go, p.Go)
		}
		return p, err
	}
	if generic {
		return Pair{}, fmt.Errorf("%s has type parameters: name the instance to compare (for example %s %s[int32]=struct point)", typeName, Directive, typeName)
	}
	text, anyAlign := cutAnyAlign(text)
	c, err := parseCName(text)
	return Pair{Go: typeName, C: c, AnyAlign: anyAlign}, err
}

// parseGoName reads the name of a type: an identifier, with type arguments if
// it is generic. It goes into a Go file, so nothing else may.
func parseGoName(text string) (string, error) {
	text = strings.TrimSpace(text)
	wrong := func(why string) (string, error) {
		return "", fmt.Errorf("%q is not the name of a Go type: %s", clean(text), why)
	}
	if text == "" {
		return wrong("it is empty")
	}
	if len(text) > maxName {
		return wrong("it is too long")
	}
	if strings.HasPrefix(text, "C.") {
		return wrong("declare one for what cgo makes of it (type T = " + clean(text) + ")")
	}
	e, err := parser.ParseExpr(text)
	if err != nil {
		return wrong("it can't be parsed")
	}
	var args []ast.Expr
	base := e
	switch x := e.(type) {
	case *ast.IndexExpr:
		base, args = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		base, args = x.X, x.Indices
	}
	id, ok := base.(*ast.Ident)
	if !ok || id.Name == "_" {
		if _, ok := base.(*ast.SelectorExpr); ok {
			return wrong("compare types of other packages in their own package")
		}
		return wrong("want an identifier, or one with type arguments")
	}
	for _, a := range args {
		if !typeArgument(a) {
			return wrong("a type argument may be a type of the package or a predeclared one, or made of those")
		}
	}
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return wrong(err.Error())
	}
	return b.String(), nil
}

func typeArgument(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name != "_"
	case *ast.StarExpr:
		return typeArgument(x.X)
	case *ast.ArrayType:
		if x.Len != nil {
			n, ok := x.Len.(*ast.BasicLit)
			if !ok || n.Kind != token.INT {
				return false
			}
		}
		return typeArgument(x.Elt)
	case *ast.IndexExpr:
		return typeArgument(x.X) && typeArgument(x.Index)
	case *ast.IndexListExpr:
		for _, a := range x.Indices {
			if !typeArgument(a) {
				return false
			}
		}
		return typeArgument(x.X)
	}
	return false
}

// parseCName reads the name of a type of C as C, cgo or C++ writes it. It goes
// into C files, so nothing but names may.
func parseCName(text string) (string, error) {
	text = strings.TrimSpace(text)
	shown := clean(text)
	wrong := func(why string) (string, error) {
		return "", fmt.Errorf("%q is not the name of a C type: %s", shown, why)
	}
	if text == "" {
		return wrong("it is empty")
	}
	if len(text) > maxName {
		return wrong("it is too long")
	}
	if strings.ContainsAny(text, "<>") {
		return wrong("give an instance of a template a name in the header (using NAME = n::vec<float, 3>;) and write that")
	}
	fromCgo := strings.HasPrefix(text, "C.")
	text = strings.TrimPrefix(text, "C.")
	word := ""
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return wrong("nothing follows C.")
	case len(fields) == 2 && !fromCgo && isTagWord(fields[0]):
		word, text = fields[0], fields[1]
	case len(fields) == 1:
		text = fields[0]
		// cgo's way: struct_point. A typedef could have that name too, but
		// nobody would read it as one.
		for _, w := range []string{"struct", "union", "enum"} {
			if name, ok := strings.CutPrefix(text, w+"_"); ok && name != "" {
				word, text = w, name
			}
		}
	default:
		return wrong("want struct NAME, union NAME, enum NAME, the name of a typedef, or one of these as cgo writes it (C.struct_NAME)")
	}
	for _, part := range strings.Split(text, "::") {
		if err := identifier(part); err != nil {
			return wrong(err.Error())
		}
	}
	if word != "" {
		return word + " " + text, nil
	}
	return text, nil
}

func isTagWord(s string) bool { return s == "struct" || s == "union" || s == "enum" || s == "class" }

func identifier(s string) error {
	if s == "" {
		return errors.New("a name is missing")
	}
	if isTagWord(s) {
		return fmt.Errorf("a name must follow %s", s)
	}
	for i, r := range s {
		if r == '_' || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r) {
			continue
		}
		return fmt.Errorf("%q can't be in a name", r)
	}
	return nil
}

// clean makes untrusted text short, and harmless to a terminal.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 80 {
		s = string(r[:79]) + "…"
	}
	return s
}
