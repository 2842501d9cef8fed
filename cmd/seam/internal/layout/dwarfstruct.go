package layout

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Go's kinds as DW_AT_go_kind has them (reflect.Kind, frozen since Go 1).
const (
	kindChan          = 18
	kindFunc          = 19
	kindInterface     = 20
	kindMap           = 21
	kindSlice         = 23
	kindString        = 24
	kindUnsafePointer = 26
)

// goKinds are the kinds that DWARF has as structs, pointers or typedefs.
var goKinds = map[int64]Kind{
	kindChan: Chan, kindFunc: Func, kindInterface: Interface, kindMap: Map, kindSlice: Slice, kindString: String,
}

// goType sets what Go's compiler says about a type.
func (r *reader) goType(t *Type, e *dwarf.Entry) {
	t.Name = r.goName(nameOf(e))
	if k, ok := goKinds[goKind(e)]; ok {
		t.Kind = k
	}
}

func goKind(e *dwarf.Entry) int64 { return number(e, attrGoKind) & 31 }

// structure reads a struct, a union or a class.
func (r *reader) structure(e *dwarf.Entry, d *dwarf.Reader) (*Type, error) {
	t := tagged(e)
	if r.goSide {
		r.goType(t, e)
		t.fromCgo = strings.HasPrefix(afterDot(t.Name), "_Ctype_")
	}
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared {
		return nil, fmt.Errorf("%s is declared but not defined: include the header that defines it", t.Name)
	}
	err := children(e, d, func(c *dwarf.Entry) error {
		if c.Tag != dwarf.TagMember && c.Tag != dwarf.TagInheritance {
			return nil
		}
		static, _ := c.Val(dwarf.AttrExternal).(bool)
		if static || c.Tag == dwarf.TagMember && c.Val(dwarf.AttrConstValue) != nil {
			return nil // a static member is no part of an object
		}
		if len(t.Fields) == maxFields {
			return fmt.Errorf("%s has more than %d fields, the most that seam layout reads", t.Name, maxFields)
		}
		f, err := r.field(c, t)
		t.Fields = append(t.Fields, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(t.Fields, func(a, b Field) int { // base classes, and bits of big-endian systems
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.FirstBit, b.FirstBit))
	})
	t.reverseEnums()
	t.settle(number(e, attrAlignment))
	if n := number(e, dwarf.AttrDeclFile); n > 0 && n < int64(len(r.files)) {
		t.file = r.files[n]
	}
	if t.Kind == Interface {
		t.Fields = nil
	}
	return t, nil
}

// reverseEnums does what gcc's DWARF leaves out: in a struct with its numbers in the other order
// of bytes enums have it too.
func (t *Type) reverseEnums() {
	reversed := func(f Field) bool { elem, _ := dimensions(f.Type); return elem.reversed }
	if !slices.ContainsFunc(t.Fields, reversed) {
		return
	}
	for i := range t.Fields {
		if elem, _ := dimensions(t.Fields[i].Type); elem.Kind == Enum && elem.Size > 1 {
			t.Fields[i].Type = withElem(t.Fields[i].Type, func(elem *Type) { elem.reversed = true })
		}
	}
}

// withElem is a type with its element, or an element of its elements, changed.
func withElem(t *Type, change func(elem *Type)) *Type {
	c := *t
	if t.Kind == Array || t.Kind == Vector {
		c.Elem = withElem(t.Elem, change)
	} else {
		change(&c)
	}
	return &c
}

// field reads one member.
func (r *reader) field(e *dwarf.Entry, of *Type) (Field, error) {
	f := Field{Name: nameOf(e)}
	var err error
	if f.Type, err = r.typeOf(e); err != nil {
		return f, fmt.Errorf("%s: %w", fieldPath(of.Name, f.Name), err)
	}
	if f.Type.Kind == FuncPtr && f.Type.pointee == nil && !r.goSide && f.Type.Size == 0 {
		f.Type = &Type{Kind: Other, Name: f.Type.Name, Align: 1}
	}
	switch {
	case e.Tag == dwarf.TagInheritance:
		f.Embedded, of.class = true, true
		f.Name = f.Type.Name
		if virtual, ok := optional(e, dwarf.AttrVirtuality); ok && virtual != 0 {
			return f, fmt.Errorf("%s has the virtual base class %s, whose offset is known only at run time: Go can't express it", of.Name, f.Name)
		}
	case f.Name == "":
		f.Embedded = true
	case strings.HasPrefix(f.Name, "_vptr"):
		of.class = true
	}
	if r.goSide {
		f.Embedded, _ = e.Val(attrGoEmbedded).(bool)
	}
	if access, ok := optional(e, dwarf.AttrAccessibility); ok {
		f.private = access != 1
	} else {
		f.private = strings.HasPrefix(of.Name, "class ")
	}
	if f.Offset, err = location(e); err != nil {
		return f, fmt.Errorf("%s: %w", fieldPath(of.Name, f.Name), err)
	}
	f.Bits = number(e, dwarf.AttrBitSize)
	f.Align = f.Type.Align
	if a := number(e, attrAlignment); a > 0 {
		f.Align = a
	}
	if f.Bits == 0 {
		return f, nil
	}
	if first, ok := optional(e, dwarf.AttrDataBitOffset); ok {
		f.FirstBit = 8*f.Offset + first
	} else if left, ok := optional(e, dwarf.AttrBitOffset); ok {
		// DWARF 3: counted from the most significant bit of a unit of storage.
		unit := cmp.Or(number(e, dwarf.AttrByteSize), f.Type.Size)
		f.FirstBit = 8*f.Offset + 8*unit - left - f.Bits
	} else {
		f.FirstBit = 8 * f.Offset
	}
	f.Offset = f.FirstBit / 8
	if f.Type.aggregate() { // how clang says that an _Atomic struct has been made larger
		f.Bits, f.FirstBit = 0, 0
	}
	return f, nil
}

// location is where a member begins, in bytes from the beginning. DWARF 2 has a program
// that adds it to the address of the whole.
func location(e *dwarf.Entry) (int64, error) {
	program, ok := e.Val(dwarf.AttrDataMemberLoc).([]byte)
	if !ok {
		return number(e, dwarf.AttrDataMemberLoc), nil
	}
	const plus = 0x23 // DW_OP_plus_uconst
	if len(program) > 1 && program[0] == plus {
		if n, size := binary.Uvarint(program[1:]); size == len(program)-1 && n < 1<<62 {
			return int64(n), nil
		}
	}
	return 0, errors.New("DWARF has a program for its place that seam layout can't read (is there a -gdwarf-2 among the flags?)")
}

// enumeration reads an enum. What sign Go's type must have its values say; where there are
// none, as in std::byte, the type that is under it.
func (r *reader) enumeration(e *dwarf.Entry, d *dwarf.Reader) (*Type, error) {
	t := tagged(e)
	under, err := r.typeOf(e)
	if err != nil {
		return nil, err
	}
	signed := under.Kind == Int || under.Kind == Char
	unsigned := under.Kind == Uint
	if under.Kind == Void { // gcc before 5
		signed = true
	}
	if !e.Children {
		t.negative, t.high = signed && under.Kind != Void, unsigned
	}
	err = children(e, d, func(c *dwarf.Entry) error {
		v, ok := optional(c, dwarf.AttrConstValue)
		switch {
		case !ok:
		case v < 0 && unsigned: // of 64 bits
			t.high = true
		case v < 0:
			t.negative = true
		case t.Size < 8 && v >= 1<<(8*t.Size-1) && !signed:
			t.high = true
		case t.Size < 8 && v >= 1<<(8*t.Size-1): // -1 without its sign, or nobody knows
			t.negative = under.Kind != Void
		}
		return nil
	})
	t.reversed = under.reversed
	t.Align = r.natural(t.Size)
	if a := number(e, attrAlignment); a > 0 {
		t.Align = a
	}
	return t, err
}

// array reads an array or a SIMD vector. All dimensions of a C array are in one entry.
func (r *reader) array(e *dwarf.Entry, d *dwarf.Reader) (*Type, error) {
	elem, err := r.typeOf(e)
	if err != nil {
		return nil, err
	}
	var counts []int64
	err = children(e, d, func(c *dwarf.Entry) error {
		if c.Tag != dwarf.TagSubrangeType {
			return nil
		}
		n := int64(-1)
		if count, ok := optional(c, dwarf.AttrCount); ok {
			n = count
		} else if upper, ok := optional(c, dwarf.AttrUpperBound); ok {
			n = upper + 1
		}
		counts = append(counts, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(counts) == 0 {
		counts = []int64{-1}
	}
	t := elem
	for _, n := range slices.Backward(counts) {
		a := &Type{Kind: Array, Elem: t, Count: n, Align: t.Align}
		if n > 0 {
			if t.Size > 0 && n > (1<<62)/t.Size {
				return nil, fmt.Errorf("an array of %d elements of %s does not fit into memory", n, t.Name)
			}
			a.Size = n * t.Size
		}
		a.Name = declare(a, "")
		t = a
	}
	if vector, _ := e.Val(attrGNUVector).(bool); vector {
		t.Name = "vector of " + fmt.Sprint(t.Count) + " " + elem.Name
		t.Count = power(t.Count) // of three, clang's ext_vector_type, has the place of four
		t.Size = t.Count * elem.Size
		t.Kind, t.Align = Vector, t.Size
	}
	if r.goSide {
		t.Name = r.goName(nameOf(e))
		if t.Name == "" {
			t.Name = fmt.Sprintf("[%d]%s", t.Count, elem.Name)
		}
	}
	return t, nil
}

// tagged is a struct, union, enum or class without its members. Its name has the
// keyword in front, as C wants it.
func tagged(e *dwarf.Entry) *Type {
	t := &Type{Kind: Struct, Name: tagWords[e.Tag], Size: number(e, dwarf.AttrByteSize)}
	switch e.Tag {
	case dwarf.TagUnionType:
		t.Kind = Union
	case dwarf.TagEnumerationType:
		t.Kind = Enum
	}
	name := nameOf(e)
	if t.anonymous = name == ""; !t.anonymous {
		t.Name += " " + name
	}
	return t
}

// goName leaves out the import paths in front of the names of packages:
// "example.com/m/p.T" is p.T.
func (r *reader) goName(name string) string {
	var b strings.Builder
	begin := 0 // of the path at hand
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '/':
			begin = i + 1
		case c != '.' && c != '-' && c != '_' && c != '%' && c < 0x80 && !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'):
			b.WriteString(name[begin : i+1])
			begin = i + 1
		}
	}
	b.WriteString(name[begin:])
	return strings.ReplaceAll(b.String(), "%2e", ".")
}

// afterDot is a name without its package.
func afterDot(name string) string {
	head, args, generic := strings.Cut(name, "[")
	if head == "" || strings.HasPrefix(head, "*") {
		return name
	}
	head = head[strings.LastIndexByte(head, '.')+1:]
	if generic {
		head += "[" + args
	}
	return head
}

func fieldPath(path, name string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return name
	}
	return path + "." + name
}
