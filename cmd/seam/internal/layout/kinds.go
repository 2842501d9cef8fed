package layout

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// types compares two types that lie at one place.
func (c *comparer) types(path string, g, k *Type) {
	nameAsC(g, k)
	if c.places && g.Size == k.Size && (g.Kind != Struct || k.Kind != Struct) {
		return
	}
	if g.isBytes() && g.Size == k.Size && !(k.Kind == Array) {
		if path != "" && k.Size > 1 {
			c.note("%s: %s in C, bytes in Go", path, k.shown())
		}
		return
	}
	switch k.Kind {
	case Struct:
		c.structLike(path, g, k)
	case Union:
		c.union(path, g, k)
	case Array, Vector:
		c.arrays(path, g, k)
	default:
		c.scalars(path, g, k)
	}
}

// unnamed is what cgo calls a struct that has no name in C but a typedef's.
var unnamed = regexp.MustCompile(`_Ctype_(struct|union)___[0-9]+`)

// nameAsC gives what cgo has numbered the name that C has for it.
func nameAsC(g, k *Type) {
	name := ""
	switch elem, _ := dimensions(k); {
	case k.named:
		name = k.Name
	case k.Kind == Array && elem.named:
		name = elem.Name
		if inner, _ := dimensions(g); inner != g {
			nameAsC(inner, elem)
		}
	case k.pointee != nil && k.pointee.Kind == Other:
		name = k.pointee.Name
	}
	if name != "" && identifier(name) == nil {
		g.Name = unnamed.ReplaceAllString(g.Name, "_Ctype_"+name)
	}
}

func (c *comparer) structLike(path string, g, k *Type) {
	switch g.Kind {
	case Struct, String, Slice:
		c.structs(path, g, k)
		return
	}
	// A struct of one field is as good as the field.
	if m := cMembers(k); len(m) == 1 && m[0].bits == nil && m[0].Offset == 0 && m[0].Size == k.Size && g.Kind != Interface {
		c.types(path, g, m[0].Type)
		return
	}
	c.mismatch(path, c.kindsDiffer(g, k), "declare a struct with the fields of C's "+k.shown())
}

// union accepts what fits one of its members and fills all of it.
func (c *comparer) union(path string, g, k *Type) {
	if f := g.only(); f != nil && f.Type.Kind == Array { // a struct of one field is as good as the field
		c.union(fieldPath(path, f.Name), f.Type, k)
		return
	}
	use := fmt.Sprintf("use [%d]byte, or the type of a member of that size", k.Size)
	if k.Size%8 == 0 && k.Align == 8 {
		use = fmt.Sprintf("use [%d]uint64, which is aligned too, or the type of a member of that size", k.Size/8)
	}
	if g.Size != k.Size {
		c.mismatch(path, fmt.Sprintf("%s, and C's union has %s", c.describe(g), bytesOf(k.Size)), use)
		return
	}
	if g.Kind == Array && (g.Elem.Kind == Uint || g.Elem.Kind == Int) {
		return
	}
	for i := range k.Fields {
		f := &k.Fields[i]
		if f.Bits > 0 {
			continue
		}
		try := &comparer{pkg: c.pkg, seen: map[[2]*Type]compared{}}
		try.types(path, g, f.Type)
		if len(try.found) == 0 && f.Type.Size <= g.Size {
			if f.Name != "" {
				c.note("%s is the member %s of C's union", orWhole(path), f.Name)
			}
			return
		}
	}
	c.mismatch(path, c.kindsDiffer(g, k)+", which has no such member", use)
}

func (c *comparer) arrays(path string, g, k *Type) {
	if f := g.only(); f != nil { // a struct of one field is as good as the field
		c.types(fieldPath(path, f.Name), f.Type, k)
		return
	}
	if g.Kind != Array {
		if g.Kind == String || g.Kind == Slice {
			c.mismatch(path, fmt.Sprintf("Go has a %s (a pointer and a length) where C has the elements themselves", g.Kind), "use "+goTypeFor(k))
			return
		}
		if k.Count == 1 && k.Kind == Array && g.Size == k.Size {
			c.types(path, g, k.Elem)
			return
		}
		c.mismatch(path, c.kindsDiffer(g, k), "use "+goTypeFor(k))
		return
	}
	if k.Count < 0 {
		if g.Size > 0 {
			c.mismatch(path, fmt.Sprintf("C's array is a flexible array member, and Go's has %d elements", g.Count), "leave it out and reach it with unsafe.Add")
		}
		return
	}
	kElem, kRows := dimensions(k)
	gElem, gRows := dimensions(g)
	switch {
	case g.isBytes() && g.Size == k.Size && (kElem.Size > 1 || kElem.Kind == Bool):
		c.note("%s: %s in C, bytes in Go", orWhole(path), k.shown())
	case g.Count == k.Count:
		if g.Count > 0 {
			c.types(path+"[0]", g.Elem, k.Elem)
		}
	case gRows[0] != kRows[0]:
		c.mismatch(path, fmt.Sprintf("%d elements in Go, %d in C", gRows[0], kRows[0]), "use "+goTypeFor(k))
		if gElem.Size != kElem.Size {
			c.types(path+"[0]", gElem, kElem)
		}
	case !within(gRows, kRows) && !within(kRows, gRows):
		c.mismatch(path, fmt.Sprintf("%s in Go, %s in C: one index means other elements", shape(g), shape(k)), "use "+goTypeFor(k))
	default:
		c.note("%s is %s in Go and %s in C: the same elements, by other indices", orWhole(path), shape(g), shape(k))
		if gRows[0] > 0 {
			c.types(path+"[0]", gElem, kElem)
		}
	}
}

// dimensions are the element of an array of arrays, and how many of them there are in the
// whole, in a row, in a row of a row, and so on: 12, 4, 1 for [3][4]T.
func dimensions(t *Type) (elem *Type, rows []int64) {
	var counts []int64
	for t.Kind == Array || t.Kind == Vector {
		counts = append(counts, max(0, t.Count))
		t = t.Elem
	}
	rows = []int64{1}
	for _, n := range slices.Backward(counts) {
		rows = slices.Insert(rows, 0, n*rows[0])
	}
	return t, rows
}

// within reports whether an array is another one with some dimensions run together: whether each
// of its rows is made of whole rows of the other one.
func within(few, many []int64) bool {
	return !slices.ContainsFunc(few, func(n int64) bool { return !slices.Contains(many, n) })
}

// shape is the dimensions of an array: "[3][4]".
func shape(t *Type) string {
	var b strings.Builder
	for ; t.Kind == Array || t.Kind == Vector; t = t.Elem {
		fmt.Fprintf(&b, "[%d]", t.Count)
	}
	return b.String()
}

func (c *comparer) kindsDiffer(g, k *Type) string {
	return c.describe(g) + " in Go, " + k.describe() + " in C"
}

// describe is Type.describe for a type of Go as its package writes it.
func (c *comparer) describe(g *Type) string {
	t := *g
	t.Name = goSpelling(g, c.pkg)
	return t.describe()
}

// scalars compares what has no parts.
func (c *comparer) scalars(path string, g, k *Type) {
	use := "use " + goTypeFor(k)
	fits := false
	switch k.Kind {
	case Int, Uint:
		fits = g.Kind == k.Kind || k.Size == 16 && g.Kind == Array && g.Count == 2 && g.Elem.Kind == Uint && g.Elem.Size == 8
	case Char:
		fits = (g.Kind == Int || g.Kind == Uint) && g.Size == 1
	case Enum:
		fits = g.Kind == Int || g.Kind == Uint
	case Bool:
		fits = g.Kind == Bool || g.Kind == Uint && g.Size == 1
	case Float, Complex:
		fits = g.Kind == k.Kind || g.Kind == Uint && k.Size == 2 // which Go has none of
	case MemberFunc:
		fits = g.Kind == Array && g.Count == 2 && (g.Elem.Kind == Uint || g.Elem.Kind == Int)
	case Pointer, FuncPtr:
		fits = g.Kind == Pointer || g.uintptr
	}
	// A struct of one field is as good as the field.
	if f := g.only(); f != nil {
		c.types(fieldPath(path, f.Name), f.Type, k)
		return
	}
	switch {
	case k.reversed:
		c.mismatch(path, k.describe()+" lies in the other order of bytes in C (scalar_storage_order)", fmt.Sprintf("make it [%d]byte and use encoding/binary", k.Size))
	case fits && g.Size == k.Size && (k.negative && g.Kind == Uint || k.high && g.Kind == Int):
		values := "values below 0"
		if k.high {
			values = "values that are too large for one that is signed"
		}
		c.mismatch(path, fmt.Sprintf("%s in Go, and C's %s may have %s", goSpelling(g, c.pkg), k.shown(), values), use)
	case fits && g.Size == k.Size:
	case g.Name == "int" && g.Size == k.Size && isSize(k):
		// How Go counts; no object of C is larger than the largest int.
		c.note("%s is a size_t in C and an int in Go, which is signed", orWhole(path))
	case c.lengths && g.Kind == Int && k.Kind == Uint && g.Size == k.Size:
	case fits:
		c.mismatch(path, fmt.Sprintf("%s in Go (%s), %s in C (%s)", bytesOf(g.Size), goSpelling(g, c.pkg), bytesOf(k.Size), k.shown()), use)
	case g.Size == k.Size && (g.Kind == Int && k.Kind == Uint || g.Kind == Uint && k.Kind == Int) && !g.uintptr:
		side := "C"
		if g.Kind == Int {
			side = "Go"
		}
		c.mismatch(path, fmt.Sprintf("%s in Go, %s in C: it is signed only in %s", goSpelling(g, c.pkg), k.shown(), side), use)
	case g.Kind == Func && k.Kind == FuncPtr:
		c.mismatch(path, "a Go func is a pointer to a closure, not to code that C can call", use)
	case (g.Kind == Map || g.Kind == Chan || g.Kind == Func || g.Kind == Interface || g.Kind == String || g.Kind == Slice) && g.Kind != k.Kind:
		c.mismatch(path, fmt.Sprintf("a Go %s, %s in C: C can't use it", g.Kind, k.describe()), use)
	case g.Kind == Bool && k.Size == 1:
		c.mismatch(path, c.kindsDiffer(g, k)+": a Go bool that is neither 0 nor 1 breaks programs", use)
	default:
		c.mismatch(path, c.kindsDiffer(g, k), use)
	}
}

// isSize reports whether a type of C is size_t.
func isSize(k *Type) bool {
	return k.Kind == Uint && strings.HasSuffix(k.Name, "size_t") && !strings.HasSuffix(k.Name, "ssize_t")
}

// only is the field of a struct that takes all of its place, as in Go's atomic
// types; nil if there is none.
func (t *Type) only() *Field {
	if t.Kind != Struct {
		return nil
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Type.Size == t.Size && f.Bits == 0 {
			return f
		}
	}
	return nil
}

// goTypeFor is the type of Go that is laid out as one of C.
func goTypeFor(k *Type) string {
	bytes := fmt.Sprintf("[%d]byte", k.Size)
	switch k.Kind {
	case Int, Char, Enum, Uint:
		if isSize(k) {
			return "uint"
		}
		switch k.Size {
		case 1, 2, 4, 8:
			name := "int"
			if k.Kind == Uint || k.Kind == Enum && !k.negative {
				name = "uint"
			}
			return fmt.Sprintf("%s%d", name, 8*k.Size)
		case 16:
			return "[2]uint64"
		}
	case Bool:
		return "bool"
	case Float:
		switch k.Size {
		case 4, 8:
			return fmt.Sprintf("float%d", 8*k.Size)
		case 2:
			return "uint16"
		}
		return bytes + " (Go has no " + k.shown() + ")"
	case Complex:
		if k.Size == 8 || k.Size == 16 {
			return fmt.Sprintf("complex%d", 8*k.Size)
		}
	case Pointer, FuncPtr:
		return "unsafe.Pointer"
	case MemberFunc:
		return "[2]uintptr"
	case Array, Vector:
		if k.Count >= 0 {
			return fmt.Sprintf("[%d]%s", k.Count, goTypeFor(k.Elem))
		}
		return "[0]" + goTypeFor(k.Elem)
	case Struct:
		if !k.anonymous {
			return "a struct with the fields of " + k.Name
		}
	case Union:
		if k.Align == 8 && k.Size%8 == 0 {
			return fmt.Sprintf("[%d]uint64", k.Size/8)
		}
	}
	return bytes
}
