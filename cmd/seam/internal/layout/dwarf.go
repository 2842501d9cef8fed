package layout

import (
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"
)

// Attributes and tags that debug/dwarf doesn't name.
const (
	attrAlignment  dwarf.Attr = 0x88
	attrGoKind     dwarf.Attr = 0x2900
	attrGoEmbedded dwarf.Attr = 0x2903
	attrGNUVector  dwarf.Attr = 0x2107
	attrEndianity  dwarf.Attr = 0x65

	tagAtomic    dwarf.Tag = 0x47
	tagImmutable dwarf.Tag = 0x4b
)

// tagWords are the words of C and C++ for tags.
var tagWords = map[dwarf.Tag]string{
	dwarf.TagStructType: "struct", dwarf.TagClassType: "class", dwarf.TagUnionType: "union", dwarf.TagEnumerationType: "enum",
	dwarf.TagConstType: "const", dwarf.TagVolatileType: "volatile", dwarf.TagRestrictType: "restrict", tagAtomic: "_Atomic",
}

// Limits on input, so that none takes all memory.
const (
	maxFields = 1 << 16 // of one struct
	maxDepth  = 100     // of types in types
)

// A reader turns DWARF into Types.
type reader struct {
	data *dwarf.Data
	word int64 // size of a pointer
	// maxAlign is the alignment of an 8-byte number: 4 on 386, and for Go on
	// every system of 32 bits.
	maxAlign int64
	goSide   bool
	bigEnd   bool     // the machine's own order of bytes
	clang    bool     // has compiled the C
	files    []string // of C, by DWARF's numbers
	types    map[dwarf.Offset]*Type
	depth    int
}

func newReader(data *dwarf.Data, target Target, goSide bool) *reader {
	r := &reader{data: data, word: target.Word, maxAlign: 8, goSide: goSide, types: map[dwarf.Offset]*Type{}}
	if target.Word == 4 && (goSide || target.GOARCH == "386") {
		r.maxAlign = 4
	}
	switch target.GOARCH {
	case "s390x", "ppc64", "mips", "mips64":
		r.bigEnd = true
	}
	if !goSide {
		r.files = filesOf(data)
		if unit, err := data.Reader().Next(); err == nil && unit != nil {
			producer, _ := unit.Val(dwarf.AttrProducer).(string)
			r.clang = strings.Contains(producer, "clang")
		}
	}
	return r
}

// filesOf are the files that a C compilation read; nil if that can't be told.
func filesOf(data *dwarf.Data) (list []string) {
	unit, err := data.Reader().Next()
	if err != nil || unit == nil {
		return nil
	}
	lines, err := data.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	for _, f := range lines.Files() {
		name := ""
		if f != nil {
			name = f.Name
		}
		list = append(list, name)
	}
	return list
}

// entry reads one entry, and children those below it.
func (r *reader) entry(at dwarf.Offset) (*dwarf.Entry, *dwarf.Reader, error) {
	d := r.data.Reader()
	d.Seek(at)
	e, err := d.Next()
	if err == nil && e == nil {
		err = fmt.Errorf("no entry at %#x", at)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("DWARF: %w", err)
	}
	return e, d, nil
}

func children(e *dwarf.Entry, d *dwarf.Reader, each func(*dwarf.Entry) error) error {
	if !e.Children {
		return nil
	}
	for {
		c, err := d.Next()
		if err != nil {
			return fmt.Errorf("DWARF: %w", err)
		}
		if c == nil || c.Tag == 0 {
			return nil
		}
		if err := each(c); err != nil {
			return err
		}
		if c.Children {
			d.SkipChildren()
		}
	}
}

// number is an attribute's value, 0 if there is none.
func number(e *dwarf.Entry, a dwarf.Attr) int64 {
	n, _ := optional(e, a)
	return n
}

func optional(e *dwarf.Entry, a dwarf.Attr) (int64, bool) {
	switch v := e.Val(a).(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), true
	}
	return 0, false
}

func nameOf(e *dwarf.Entry) string {
	s, _ := e.Val(dwarf.AttrName).(string)
	return s
}

// typeOf is the type that an entry refers to; nil stands for void.
func (r *reader) typeOf(e *dwarf.Entry) (*Type, error) {
	at, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return &Type{Kind: Void, Name: "void", Align: 1}, nil
	}
	return r.read(at)
}

// read makes the type at an offset.
func (r *reader) read(at dwarf.Offset) (*Type, error) {
	if t := r.types[at]; t != nil {
		return t, nil
	}
	if r.depth++; r.depth > maxDepth {
		return nil, fmt.Errorf("types are nested deeper than %d levels", maxDepth)
	}
	defer func() { r.depth-- }()
	t, err := r.make(at)
	if err != nil {
		return nil, err
	}
	t.Align = max(1, t.Align)
	r.types[at] = t
	return t, nil
}

func (r *reader) make(at dwarf.Offset) (*Type, error) {
	e, d, err := r.entry(at)
	if err != nil {
		return nil, err
	}
	switch e.Tag {
	case dwarf.TagBaseType:
		return r.base(e), nil
	case dwarf.TagTypedef:
		return r.named(e)
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, tagAtomic, tagImmutable:
		return r.qualified(e)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		return r.pointer(e)
	case dwarf.TagPtrToMemberType:
		return r.memberPointer(e)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		return r.structure(e, d)
	case dwarf.TagEnumerationType:
		return r.enumeration(e, d)
	case dwarf.TagArrayType:
		return r.array(e, d)
	case dwarf.TagSubroutineType:
		if r.goSide {
			return &Type{Kind: Func, Name: r.goName(nameOf(e)), Size: r.word, Align: r.word}, nil
		}
		return &Type{Kind: FuncPtr, Name: "void ()", Align: 1}, nil
	case dwarf.TagUnspecifiedType: // C++: nullptr_t
		return &Type{Kind: Pointer, Name: nameOf(e), Size: r.word, Align: r.word}, nil
	}
	return &Type{Kind: Other, Name: nameOf(e), Size: number(e, dwarf.AttrByteSize), Align: 1}, nil
}

// natural is the alignment of a number with this many bytes.
func (r *reader) natural(size int64) int64 {
	a := int64(1)
	for a*2 <= size && size%(a*2) == 0 {
		a *= 2
	}
	if r.maxAlign == 4 {
		return min(a, 4)
	}
	if r.word == 4 {
		return min(a, 8)
	}
	return min(a, 16)
}

// power is the next power of two.
func power(n int64) int64 {
	a := int64(1)
	for a < n {
		a *= 2
	}
	return a
}

// The encodings of DWARF's base types.
const (
	encBoolean      = 2
	encComplexFloat = 3
	encFloat        = 4
	encSigned       = 5
	encSignedChar   = 6
	encUnsigned     = 7
	encUnsignedChar = 8
	encUTF          = 0x10
)

func (r *reader) base(e *dwarf.Entry) *Type {
	t := &Type{Kind: Other, Name: nameOf(e), Size: number(e, dwarf.AttrByteSize)}
	t.Align = r.natural(t.Size)
	switch number(e, attrEndianity) {
	case 1: // big
		t.reversed = !r.bigEnd && t.Size > 1
	case 2:
		t.reversed = r.bigEnd && t.Size > 1
	}
	switch number(e, dwarf.AttrEncoding) {
	case encBoolean:
		t.Kind = Bool
	case encComplexFloat:
		t.Kind, t.Align = Complex, r.natural(t.Size/2)
	case encFloat:
		t.Kind = Float
	case encSigned, encSignedChar:
		t.Kind = Int
	case encUnsigned, encUnsignedChar, encUTF:
		t.Kind = Uint
	}
	if !r.goSide && t.Name == "char" {
		t.Kind = Char
	}
	if r.goSide {
		t.Name = r.goName(t.Name)
		t.uintptr = t.Name == "uintptr"
	}
	return t
}

// named is a typedef: in C another name, in Go the name of a type that is not
// predeclared.
func (r *reader) named(e *dwarf.Entry) (*Type, error) {
	inner, err := r.typeOf(e)
	if err != nil {
		return nil, err
	}
	t := *inner
	t.Name, t.named, t.anonymous = nameOf(e), true, false
	if r.goSide {
		r.goType(&t, e) // maps, channels and interfaces are typedefs of what the runtime has
		t.fromCgo = strings.HasPrefix(afterDot(t.Name), "_Ctype_")
		if t.Kind == Interface {
			t.Fields = nil
		}
	}
	if a := number(e, attrAlignment); a > 0 {
		t.Align = a
	}
	return &t, nil
}

func (r *reader) qualified(e *dwarf.Entry) (*Type, error) {
	inner, err := r.typeOf(e)
	if err != nil {
		return nil, err
	}
	t := *inner
	t.qualify(tagWords[e.Tag])
	if e.Tag == tagAtomic { // which may be larger, and aligned to its size
		if r.clang && t.Size <= 16 {
			t.Size = power(t.Size)
		}
		if n := t.Size; n == 1 || n == 2 || n == 4 || n == 8 || n == 16 {
			t.Align = n
		}
	}
	return &t, nil
}

// qualify puts a qualifier where the type's name needs it; "" stands for one that C
// has no word for.
func (t *Type) qualify(word string) {
	switch {
	case word == "":
	case t.pointee != nil:
		t.prefix = strings.TrimSpace(t.prefix + " " + word)
	case t.Kind != Array && t.Kind != FuncPtr:
		t.Name = word + " " + t.Name
	}
}

// pointer looks at what it points to only for its name.
func (r *reader) pointer(e *dwarf.Entry) (*Type, error) {
	t := &Type{Kind: Pointer, Size: r.word, Align: r.word}
	if n := number(e, dwarf.AttrByteSize); n > 0 {
		t.Size, t.Align = n, r.natural(n)
	}
	if r.goSide {
		if r.goType(t, e); goKind(e) == kindUnsafePointer {
			t.Name = "unsafe.Pointer"
		}
		return t, nil
	}
	to, err := r.outlineOf(e, 0)
	if err != nil {
		return nil, err
	}
	t.pointee = to
	if to.Kind == FuncPtr && to.pointee == nil {
		t.Kind = FuncPtr
	}
	t.Name = declare(t, "")
	return t, nil
}

// memberPointer is C++'s pointer to a member, as the Itanium ABI has it, which gcc and clang
// follow on every system but that of Microsoft's own compiler.
func (r *reader) memberPointer(e *dwarf.Entry) (*Type, error) {
	of := "a class"
	if at, ok := e.Val(dwarf.AttrContainingType).(dwarf.Offset); ok {
		class, err := r.outline(at, 0)
		if err != nil {
			return nil, err
		}
		of = class.Name
	}
	to := e
	for range maxDepth { // through typedefs and qualifiers
		at, ok := to.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			break
		}
		var err error
		if to, _, err = r.entry(at); err != nil {
			return nil, err
		}
		if to.Tag == dwarf.TagSubroutineType {
			return &Type{Kind: MemberFunc, Name: "pointer to a member function of " + of, Size: 2 * r.word, Align: r.word}, nil
		}
		if _, more := tagWords[to.Tag]; to.Tag != dwarf.TagTypedef && (!more || to.Tag == dwarf.TagStructType || to.Tag == dwarf.TagClassType || to.Tag == dwarf.TagUnionType || to.Tag == dwarf.TagEnumerationType) {
			break
		}
	}
	return &Type{Kind: Int, Name: "pointer to a member of " + of, Size: r.word, Align: r.word}, nil
}

// outline is as much of a type as its name takes. It doesn't look into structs, which
// ends the cycle of a list.
func (r *reader) outline(at dwarf.Offset, depth int) (*Type, error) {
	if depth > maxDepth {
		return &Type{Kind: Other, Name: "void"}, nil
	}
	e, d, err := r.entry(at)
	if err != nil {
		return nil, err
	}
	switch e.Tag {
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType:
		return tagged(e), nil
	case dwarf.TagTypedef:
		return &Type{Kind: Other, Name: nameOf(e)}, nil
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, tagAtomic:
		to, err := r.outlineOf(e, depth+1)
		if err != nil {
			return nil, err
		}
		t := *to
		t.qualify(tagWords[e.Tag])
		return &t, nil
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		to, err := r.outlineOf(e, depth+1)
		if err != nil {
			return nil, err
		}
		t := &Type{Kind: Pointer, pointee: to}
		t.Name = declare(t, "")
		return t, nil
	case dwarf.TagSubroutineType:
		return r.function(e, d, depth)
	case dwarf.TagArrayType:
		to, err := r.outlineOf(e, depth+1)
		return &Type{Kind: Array, Elem: to, Count: -1, Name: "array"}, err
	}
	return &Type{Kind: Other, Name: nameOf(e)}, nil
}

// outlineOf is the outline of the type that an entry refers to.
func (r *reader) outlineOf(e *dwarf.Entry, depth int) (*Type, error) {
	at, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return &Type{Kind: Void, Name: "void"}, nil
	}
	return r.outline(at, depth)
}

// function spells the type of a function: "int (char *, ...)".
func (r *reader) function(e *dwarf.Entry, d *dwarf.Reader, depth int) (*Type, error) {
	spell := func(e *dwarf.Entry) (string, error) {
		t, err := r.outlineOf(e, depth+1)
		if err != nil {
			return "", err
		}
		return declare(t, ""), nil
	}
	result, err := spell(e)
	if err != nil {
		return nil, err
	}
	var parameters []string
	err = children(e, d, func(c *dwarf.Entry) error {
		switch c.Tag {
		case dwarf.TagFormalParameter:
			s, err := spell(c)
			parameters = append(parameters, s)
			return err
		case dwarf.TagUnspecifiedParameters:
			parameters = append(parameters, "...")
		}
		return nil
	})
	if len(parameters) == 0 || slices.Equal(parameters, []string{"..."}) {
		parameters = []string{"void"}
	}
	return &Type{Kind: FuncPtr, Name: result + " (" + strings.Join(parameters, ", ") + ")"}, err
}
