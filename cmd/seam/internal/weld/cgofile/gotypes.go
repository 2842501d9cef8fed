package cgofile

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

// Gotypes is a parsed _cgo_gotypes.go.
type Gotypes struct {
	Src     []byte
	Package string // name of the package
	Stubs   []Stub // in the order of the file

	// CgoPackage is the name under which the file imports runtime/cgo; "" if
	// it does not.
	CgoPackage string

	// GoString reports whether the package has cgo's C.GoString, in the form that cgo writes.
	GoString bool

	// CString reports whether it has C.CString with the types that cgo gives it, and C.free.
	CString bool

	types   map[string]ast.Expr
	imports int // where an import can be put
	view    int // where C.GoString begins,
	viewIn  int // and its body
	edits   textedit.Edits
}

// Stub is a Go function that makes a C call: _Cfunc_NAME, _C2func_NAME, which
// gives errno too, or _cgo_cmalloc.
//
// Its body is, in this order: a call of _Cgo_no_callback (with nocallback), the
// call of the C wrapper, the end of nocallback, errno made an error, uses of the
// parameters that make them escape, and the end of the function.
type Stub struct {
	Name   string // in C, or Malloc
	GoName string // the stub itself
	Symbol string // the C wrapper
	Errno  bool

	Params     []string // names
	ParamTypes []string
	Pointers   []string // names of the parameters that are pointers
	Result     string   // type; "" for void
	ResultText string   // the type as it stands in the file
	Arg        string   // the first word of the arguments' memory: "p0", or "r1" without parameters

	NoEscape, NoCallback bool

	// ResultHasPointers reports whether the result may be or hold a pointer.
	ResultHasPointers bool

	// ResultHidesPointers reports whether it has a union, which cgo makes an array
	// of bytes: they may be those of a pointer.
	ResultHidesPointers bool

	// Reason says why the stub has a form that we don't know; the offsets
	// below are then meaningless.
	Reason string

	docComment, declEnd int // the declaration with its //go: comment
	call, callEnd       int // the statements that make the call
	escape, escapeEnd   int // the uses of the parameters; 0 if there are none
}

// Text is the stub's declaration as cgo wrote it.
func (g *Gotypes) Text(s *Stub) string { return string(g.Src[s.docComment:s.declEnd]) }

// Bytes is the file with what was rewritten.
func (g *Gotypes) Bytes() []byte { return g.edits.Apply(g.Src) }

// ParseGotypes reads a _cgo_gotypes.go.
func ParseGotypes(src []byte) (*Gotypes, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "_cgo_gotypes.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("not what cgo writes: %w", err)
	}
	// Offsets, not lines: the file may hold //line comments.
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	g := &Gotypes{Src: src, Package: file.Name.Name, imports: offset(file.Name.End()), types: map[string]ast.Expr{}}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"runtime/cgo"` && spec.Name != nil && spec.Name.Name != "_" {
			g.CgoPackage = spec.Name.Name
		}
	}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			for _, spec := range d.Specs {
				t := spec.(*ast.TypeSpec)
				g.types[t.Name.Name] = t.Type
			}
		}
	}
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok || d.Body == nil || d.Recv != nil {
			continue
		}
		if s, ok := g.stub(d, offset); ok {
			g.Stubs = append(g.Stubs, s)
		}
		g.goString(d, offset)
		if string(src[offset(d.Pos()):offset(d.Body.Pos())]) == "func "+makeString+"(s string) *_Ctype_char " {
			g.CString = true
		}
	}
	g.CString = g.CString && slices.ContainsFunc(g.Stubs, func(s Stub) bool {
		return s.GoName == freeBlock && slices.Equal(s.ParamTypes, []string{"unsafe.Pointer"})
	}) &&
		slices.ContainsFunc(g.Stubs, func(s Stub) bool { return s.GoName == "_cgo_cmalloc" && slices.Equal(s.ParamTypes, []string{"uint64"}) })
	return g, nil
}

// stub reads one function; ok is false if it makes no C call.
func (g *Gotypes) stub(d *ast.FuncDecl, offset func(token.Pos) int) (s Stub, ok bool) {
	s.GoName = d.Name.Name
	switch {
	case strings.HasPrefix(s.GoName, "_Cfunc_"):
		s.Name = strings.TrimPrefix(s.GoName, "_Cfunc_")
	case strings.HasPrefix(s.GoName, "_C2func_"):
		s.Name, s.Errno = strings.TrimPrefix(s.GoName, "_C2func_"), true
	case s.GoName == "_cgo_cmalloc":
		s.Name = Malloc
	default:
		return s, false
	}
	if !calls(d.Body, "_cgo_runtime_cgocall") {
		return s, false // a helper like _Cfunc_GoString
	}
	s.docComment, s.declEnd = offset(d.Pos()), offset(d.End())
	if d.Doc != nil {
		s.docComment = offset(d.Doc.Pos())
	}
	for _, field := range d.Type.Params.List {
		for _, name := range field.Names {
			s.Params = append(s.Params, name.Name)
			s.ParamTypes = append(s.ParamTypes, g.typeText(field.Type, 0))
			if g.isPointer(field.Type, 0) {
				s.Pointers = append(s.Pointers, name.Name)
			}
		}
	}
	var results []*ast.Field
	if d.Type.Results != nil {
		results = d.Type.Results.List
	}
	wantResults := 1
	if s.Errno {
		wantResults = 2
	}
	if len(results) != wantResults {
		s.Reason = "its Go stub has results that cgo doesn't write"
		return s, true
	}
	if t := g.typeText(results[0].Type, 0); t != "_Ctype_void" {
		s.Result = t
		s.ResultText = string(g.Src[offset(results[0].Type.Pos()):offset(results[0].Type.End())])
		s.ResultHasPointers, s.ResultHidesPointers = g.pointers(results[0].Type, 0)
	}
	s.Reason = g.readBody(d.Body.List, &s, offset)
	return s, true
}

// goString notes C.GoString, if d is it.
func (g *Gotypes) goString(d *ast.FuncDecl, offset func(token.Pos) int) {
	begin, body, end := offset(d.Pos()), offset(d.Body.Pos()), offset(d.Body.End())
	if string(g.Src[begin:end]) != "func _Cfunc_GoString(p *_Ctype_char) string {\n\treturn _cgo_runtime_gostring(p)\n}" {
		return
	}
	g.GoString, g.view, g.viewIn = true, begin, body+1
	if d.Doc != nil {
		g.view = offset(d.Doc.Pos())
	}
}

// readBody reads the statements of a stub; it returns what it doesn't know.
func (g *Gotypes) readBody(list []ast.Stmt, s *Stub, offset func(token.Pos) int) string {
	const unknown = "its Go stub has a form that this version of seam doesn't know"
	text := func(n ast.Node) string { return string(g.Src[offset(n.Pos()):offset(n.End())]) }
	next := func() ast.Stmt {
		if len(list) == 0 {
			return nil
		}
		x := list[0]
		list = list[1:]
		return x
	}
	st := next()
	if st == nil {
		return unknown
	}
	s.call = offset(st.Pos())
	if text(st) == "_Cgo_no_callback(true)" {
		s.NoCallback = true
		if st = next(); st == nil {
			return unknown
		}
	}
	call := text(st)
	if s.Errno {
		var found bool
		if call, found = strings.CutPrefix(call, "errno := "); !found {
			return unknown
		}
	}
	m := callShape.FindStringSubmatch(call)
	if m == nil {
		return unknown
	}
	s.Symbol, s.Arg = m[1], m[2]
	s.callEnd = offset(st.End())
	st = next()
	if s.NoCallback {
		if st == nil || text(st) != "_Cgo_no_callback(false)" {
			return unknown
		}
		s.callEnd = offset(st.End())
		st = next()
	}
	if s.Errno {
		if st == nil || text(st) != "if errno != 0 { r2 = syscall.Errno(errno) }" {
			return unknown
		}
		st = next()
	}
	if f, ok := st.(*ast.IfStmt); ok && text(f.Cond) == "_Cgo_always_false" {
		s.escape, s.escapeEnd = offset(f.Pos()), offset(f.End())
		s.NoEscape = calls(f, "_Cgo_keepalive")
		st = next()
	}
	if f, ok := st.(*ast.IfStmt); ok && s.Name == Malloc && text(f.Cond) == "r1 == nil" {
		st = next()
	}
	if _, ok := st.(*ast.ReturnStmt); !ok || len(list) != 0 {
		return unknown
	}
	if s.Name == Malloc {
		return ""
	}
	want := "r1"
	if len(s.Params) > 0 {
		want = s.Params[0]
	}
	if s.Arg != want {
		return unknown
	}
	return ""
}

var callShape = regexp.MustCompile(`^_cgo_runtime_cgocall\((_cgo_[0-9a-f]+_C2?func_\w+), uintptr\(unsafe\.Pointer\(&(\w+)\)\)\)$`)

// calls reports whether n contains a call of the function.
func calls(n ast.Node, function string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == function {
				found = true
			}
		}
		return !found
	})
	return found
}

// unnamed matches the names that cgo makes up for C types without one. It
// numbers them, so the name says nothing.
var unnamed = regexp.MustCompile(`^_Ctype_(struct|union)___[0-9]+$`)

// typeText writes a type, with the types that have no name in C written out, to
// a depth that is enough to tell them apart.
func (g *Gotypes) typeText(t ast.Expr, depth int) string {
	text := types.ExprString(t)
	if depth > 3 {
		return text
	}
	var names []string
	ast.Inspect(t, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (unnamed.MatchString(id.Name) || g.isFunc(id.Name)) {
			names = append(names, id.Name)
		}
		return true
	})
	for _, name := range names {
		if def, ok := g.types[name]; ok {
			whole := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
			text = whole.ReplaceAllLiteralString(text, g.typeText(def, depth+1))
		}
	}
	return text
}

// pointers reports whether a type may be or hold a pointer, which it does unless
// all of it is known to be numbers, and whether bytes may hide one.
func (g *Gotypes) pointers(t ast.Expr, depth int) (has, hides bool) {
	if depth > 100 {
		return true, true
	}
	switch t := t.(type) {
	case *ast.Ident:
		if def, ok := g.types[t.Name]; ok {
			return g.pointers(def, depth+1)
		}
		return !numeric[t.Name], false
	case *ast.ArrayType:
		if elem, ok := t.Elt.(*ast.Ident); ok && elem.Name == "byte" { // C's own arrays have C's own types
			length, ok := t.Len.(*ast.BasicLit)
			return t.Len == nil, !ok || len(length.Value) > 1 || length.Value >= "8"
		}
		has, hides = g.pointers(t.Elt, depth+1)
		return has || t.Len == nil, hides
	case *ast.StructType:
		for _, f := range t.Fields.List {
			p, h := g.pointers(f.Type, depth+1)
			has, hides = has || p, hides || h
		}
		return has, hides
	}
	return true, false
}

// isPointer reports whether a type is a pointer, by whatever name.
func (g *Gotypes) isPointer(t ast.Expr, depth int) bool {
	switch t := t.(type) {
	case *ast.Ident:
		def, ok := g.types[t.Name]
		return ok && depth < 100 && g.isPointer(def, depth+1)
	case *ast.SelectorExpr:
		return types.ExprString(t) == "unsafe.Pointer"
	case *ast.StarExpr:
		return true
	}
	return false
}

var numeric = map[string]bool{
	"bool": true, "byte": true, "uintptr": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"float32": true, "float64": true, "complex64": true, "complex128": true,
}

// isFunc reports whether the type is a C function pointer under a name: its
// users want to see that.
func (g *Gotypes) isFunc(name string) bool {
	star, ok := g.types[name].(*ast.StarExpr)
	if !ok {
		return false
	}
	array, ok := star.X.(*ast.ArrayType)
	if !ok {
		return false
	}
	length, ok := array.Len.(*ast.BasicLit)
	return ok && length.Value == "0"
}

// FunctionMembers lists the members of C structs, as Go sees them, that are C
// function pointers.
func (g *Gotypes) FunctionMembers() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(g.types)) {
		s, ok := g.types[name].(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range s.Fields.List {
			if strings.Contains(g.typeText(f.Type, 0), "*[0]byte") {
				for _, id := range f.Names {
					names = append(names, strings.TrimPrefix(id.Name, "_"))
				}
			}
		}
	}
	return names
}
