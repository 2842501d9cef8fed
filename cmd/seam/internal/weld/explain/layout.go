package explain

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// A Member is a part of the argument struct.
type Member struct {
	Offset, Size int64 // bytes
	Name         string
	GoType       string // as Go source writes it: "C.int"
	CType        string
	Kind         Kind
	Pointers     bool // it holds a pointer
}

// A Layout is the argument struct of one stub: the memory of its parameters and
// result.
type Layout struct {
	Members []Member
	Size    int64
}

// Pointers lists the arguments that hold a pointer.
func (l *Layout) Pointers() []Member {
	var list []Member
	for _, m := range l.Members {
		if m.Kind == Argument && m.Pointers {
			list = append(list, m)
		}
	}
	return list
}

// Padding counts the bytes that hold nothing.
func (l *Layout) Padding() (n int64) {
	for _, m := range l.Members {
		if m.Kind == Padding {
			n += m.Size
		}
	}
	return n
}

// sizes knows how large the types of a _cgo_gotypes.go are. cgo has made them
// as large as those of C, so no C compiler has to be asked.
type sizes struct {
	pkg *types.Package
	gc  types.Sizes
}

// newSizes type-checks the declarations of a _cgo_gotypes.go.
func newSizes(g *cgofile.Gotypes, goarch string) (*sizes, error) {
	gc := types.SizesFor("gc", goarch)
	if gc == nil {
		return nil, fmt.Errorf("the sizes of types on GOARCH=%s are not known", goarch)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "_cgo_gotypes.go", g.Src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{
		Sizes: gc, IgnoreFuncBodies: true, Importer: imports{},
		Error: func(error) {}, // a wrong type has no size, which is noticed below
	}
	pkg, _ := conf.Check("main", fset, []*ast.File{file}, nil)
	return &sizes{pkg, gc}, nil
}

// imports makes the packages that a _cgo_gotypes.go imports, with what its
// types use of them.
type imports struct{}

func (imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	declare := func(name string, t types.Type) {
		obj := types.NewTypeName(token.NoPos, p, name, nil)
		types.NewNamed(obj, t, nil)
		p.Scope().Insert(obj)
	}
	switch path {
	case "runtime/cgo": // for types that only C knows; always behind a pointer
		declare(notInHeap, types.NewStruct(nil, nil))
		marker := types.NewField(token.NoPos, p, "_", p.Scope().Lookup(notInHeap).Type(), false)
		declare("Incomplete", types.NewStruct([]*types.Var{marker}, nil))
	case "syscall":
		declare("Errno", types.Typ[types.Uintptr])
	}
	p.MarkComplete()
	return p, nil
}

// notInHeap marks a type whose values are never in Go's memory.
const notInHeap = "NotInHeap"

var padLength = regexp.MustCompile(`\[([0-9]+)\];$`)

// layout is the argument struct of a stub: the members of the wrapper's struct,
// each as large as its Go type.
func (z *sizes) layout(s *cgofile.Stub, w *cgofile.Wrapper) (*Layout, error) {
	fn, ok := z.pkg.Scope().Lookup(s.GoName).(*types.Func)
	if !ok {
		return nil, fmt.Errorf("%s has no type", s.GoName)
	}
	sig := fn.Type().(*types.Signature)
	l := &Layout{}
	param := 0
	for _, f := range w.Fields {
		if f.Text == "char unused;" {
			continue // it is there only because C up to C17 has no empty struct
		}
		m := Member{Offset: l.Size, Name: f.Name, CType: f.Type}
		var t types.Type
		switch {
		case f.Name == "":
			m.Kind, m.Size = Padding, 1
			if n := padLength.FindStringSubmatch(f.Text); n != nil {
				m.Size, _ = strconv.ParseInt(n[1], 10, 32) // digits only
			}
		case strings.HasPrefix(f.Name, "r"):
			m.Kind, t = Result, sig.Results().At(0).Type()
		case param >= sig.Params().Len():
			return nil, errors.New("the C wrapper has more arguments than the Go stub")
		default:
			m.Kind, t = Argument, sig.Params().At(param).Type()
			param++
		}
		if t != nil {
			if hasInvalid(t) {
				return nil, fmt.Errorf("the size of %s is not known", f.Name)
			}
			m.Size = z.gc.Sizeof(t)
			m.GoType = goType(t)
			m.Pointers = pointers(t)
			if a := z.gc.Alignof(t); m.Offset%a != 0 {
				return nil, fmt.Errorf("%s would lie at offset %d, and its alignment is %d", f.Name, m.Offset, a)
			}
		}
		l.Members = append(l.Members, m)
		l.Size += m.Size
	}
	if param != sig.Params().Len() {
		return nil, errors.New("the C wrapper has fewer arguments than the Go stub")
	}
	return l, nil
}

// goType is a type as the package's own source writes it.
func goType(t types.Type) string {
	s := types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		return p.Name()
	})
	return plainType(s)
}

// plainType writes the types of a generated file as source does: "C.int".
func plainType(s string) string { return strings.ReplaceAll(s, "_Ctype_", "C.") }

// anyField reports whether something holds for the type of any field.
func anyField(s *types.Struct, holds func(types.Type) bool) bool {
	for f := range s.Fields() {
		if holds(f.Type()) {
			return true
		}
	}
	return false
}

func hasInvalid(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Invalid
	case *types.Array:
		return hasInvalid(u.Elem())
	case *types.Struct:
		return anyField(u, hasInvalid)
	}
	return false
}

// pointers reports whether a value of the type holds a pointer that may lead
// into Go's memory.
func pointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.String
	case *types.Pointer:
		return !outside(u.Elem())
	case *types.Array:
		return u.Len() > 0 && pointers(u.Elem())
	case *types.Struct:
		return anyField(u, pointers)
	}
	return true // which no C type becomes
}

// outside reports whether values of the type are never in Go's memory, such as
// those of a struct whose contents only C knows.
func outside(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Name() == notInHeap {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return outside(u.Elem())
	case *types.Struct:
		return anyField(u, outside)
	}
	return false
}

// elision is the number of rows of one member from which on the picture leaves some out.
const elision = 6

func (l *Layout) picture() *chart.Bytes {
	b := &chart.Bytes{Name: "The bytes of the arguments and the result, in rows of eight"}
	row := chart.ByteRow{}
	flush := func() {
		if len(row.Cells) > 0 {
			b.Rows = append(b.Rows, row)
		}
	}
	used := 0
	put := func(span int64, label string, kind Kind) {
		row.Cells = append(row.Cells, chart.ByteCell{Span: int(span), Class: string(kind), Label: label})
		used += int(span)
		if used == 8 {
			flush()
			row, used = chart.ByteRow{Offset: row.Offset + 8}, 0
		}
	}
	for _, m := range l.Members {
		label := m.Name
		for left := m.Size; left > 0; label = "" {
			n := min(left, int64(8-used))
			put(n, label, m.Kind)
			if rows := left / 8; n == 8 && rows >= elision {
				b.Rows = append(b.Rows, chart.ByteRow{Offset: row.Offset, Gap: 8 * (rows - 2)})
				row.Offset += 8 * (rows - 2)
				put(8, "", m.Kind)
				n = 8 * rows
			}
			left -= n
		}
	}
	flush()
	return b
}

func (l *Layout) table() *Table {
	t := &Table{
		Head:  []string{"offset", "size", "name", "in Go", "in C"},
		Right: []bool{true, true, false, false, false},
		Code:  []bool{false, false, true, true, true}, Wide: 4, Last: true,
	}
	for _, m := range l.Members {
		row := []string{fmt.Sprint(m.Offset), fmt.Sprint(m.Size), m.Name, m.GoType, m.CType}
		if m.Kind == Padding {
			row = []string{row[0], row[1], "(padding)", "", ""}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, []string{"", fmt.Sprint(l.Size), "in all", "", ""})
	return t
}

// cacheLine is the size of one on nearly all processors that Go runs on.
const cacheLine = 64

// lines says how many cache lines the struct occupies. It is on the
// goroutine's stack, where no more than an alignment to eight bytes is
// certain.
func (l *Layout) lines() string {
	if l.Size == 0 {
		return ""
	}
	least := (l.Size + cacheLine - 1) / cacheLine
	most := (l.Size+cacheLine-8-1)/cacheLine + 1
	if least == most {
		return fmt.Sprintf("in %s of %d bytes", quantity.Plural(least, "cache line"), cacheLine)
	}
	return fmt.Sprintf("in %d or %s of %d bytes, depending on where the stack is", least, quantity.Plural(most, "cache line"), cacheLine)
}
