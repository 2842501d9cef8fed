// Package layout compares how Go and C lay out the same data in memory. Both
// sides are read from the DWARF that the compilers write, so that what is
// compared is what the machine will see: not what go/types computes, and not what
// cgo makes of C's types, which leaves fields out that Go can't align.
package layout

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A Kind is what the bytes of a type mean, as far as two languages can agree
// about it.
type Kind string

// The kinds. Those from String on are Go's own.
const (
	Struct  Kind = "struct"
	Union   Kind = "union"
	Array   Kind = "array"
	Int     Kind = "signed integer"
	Uint    Kind = "unsigned integer"
	Char    Kind = "char" // C's plain char, which may or may not be signed
	Bool    Kind = "bool"
	Float   Kind = "floating point"
	Complex Kind = "complex"
	Enum    Kind = "enum"
	Vector  Kind = "vector"
	Pointer Kind = "pointer"
	FuncPtr Kind = "pointer to a function"
	// C++'s pointer to a member function: a function, or its place in a table, and what is added to
	// this. That to a data member is a number, the member's offset, or -1.
	MemberFunc Kind = "pointer to a member function"
	Void       Kind = "void"
	Other      Kind = "unknown"
	String     Kind = "string"
	Slice      Kind = "slice"
	Interface  Kind = "interface"
	Map        Kind = "map"
	Chan       Kind = "channel"
	Func       Kind = "func"
)

// A Type is a type of either language as its compiler has laid it out.
type Type struct {
	Kind   Kind
	Name   string // as its language spells it
	Size   int64  // bytes
	Align  int64  // bytes, 1 at least
	Packed bool   // a field lies where its type could not be without an attribute
	Elem   *Type  // of an Array or Vector
	Count  int64  // elements of Elem; -1 for C's flexible array
	Fields []Field

	pointee   *Type  // of C's pointers, as far as its name goes
	prefix    string // const and the like behind the * of C's pointers
	named     bool   // by a typedef, or by Go's type
	anonymous bool   // has no name that could be written
	class     bool   // C++: has base classes or virtual functions
	fromCgo   bool   // what cgo made of a type of C
	uintptr   bool
	reversed  bool   // of C: its bytes lie in the other order (scalar_storage_order)
	negative  bool   // an Enum has values below 0
	high      bool   // an Enum has values that only an unsigned integer has
	file      string // of C: where it is declared, "" if not known
	system    bool   // declared by the system's headers: its order is nobody's to change
}

// A Field is a member of a struct or a union.
type Field struct {
	Name   string // "" for an anonymous member
	Offset int64  // bytes from the beginning
	Type   *Type
	Align  int64 // of an attribute at the member, else that of its type

	// Bits is not 0 for a bit-field; FirstBit counts from the struct's beginning.
	Bits, FirstBit int64

	// Embedded are Go's embedded fields, C++'s base classes and C's anonymous
	// members.
	Embedded bool

	private bool
}

// End is the offset behind the field's last byte.
func (f *Field) End() int64 {
	if f.Bits > 0 {
		return (f.FirstBit + f.Bits + 7) / 8
	}
	return f.Offset + f.Type.Size
}

// Size is how many bytes the field touches.
func (f *Field) Size() int64 { return f.End() - f.Offset }

// blank reports whether a field of Go is only there to take space.
func (f *Field) blank() bool { return f.Name == "_" }

// filler reports whether a field is only there to put others in their places.
func (f *Field) filler() bool { return f.blank() || f.named("pad", "padding", "padcgo", "filler") }

// padding reports whether the name of a field says that nobody reads it.
func (f *Field) padding() bool { return f.filler() || f.named("reserved", "unused") }

// named reports whether the field has one of these names, with or without a number,
// or what glibc and Go's package syscall make of it.
func (f *Field) named(words ...string) bool {
	name := strings.TrimRight(plainName(f.Name), "0123456789")
	return slices.Contains(words, name) || slices.Contains(words, strings.TrimPrefix(name, "x")) || slices.Contains(words, strings.TrimPrefix(name, "glibc"))
}

// plainName is a name without the customs of its language: maxLen, MaxLen and
// max_len are one. cgo writes _ in front of names that are keywords of Go.
func plainName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// isBytes reports whether t is an array of bytes.
func (t *Type) isBytes() bool {
	return t.Kind == Array && t.Elem.Size == 1 && t.Elem.Kind == Uint
}

// numbers reports whether any bytes are good for t.
func (t *Type) numbers() bool {
	switch t.Kind {
	case Int, Uint, Float, Complex:
		return true
	case Array:
		return t.Elem.numbers()
	}
	return false
}

// aggregate reports whether t has fields.
func (t *Type) aggregate() bool {
	return t.Kind == Struct || t.Kind == Union || t.Kind == String || t.Kind == Slice
}

// describe is a type as messages name it: "int32 (signed integer, 4 bytes)".
func (t *Type) describe() string {
	if t.anonymous {
		return t.shown() + " (" + bytesOf(t.Size) + ")"
	}
	return t.Name + " (" + string(t.Kind) + ", " + bytesOf(t.Size) + ")"
}

// shown is the type's name for people.
func (t *Type) shown() string {
	if t.anonymous {
		return "an unnamed " + string(t.Kind)
	}
	return t.Name
}

func bytesOf(n int64) string { return quantity.Plural(n, "byte") }

// settle finds out what DWARF does not say: the alignment of a struct, where no
// attribute gives it, is that of its fields, and it is packed where they don't
// lie as their types would.
func (t *Type) settle(given int64) {
	natural := int64(1)
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Bits > 0 {
			natural = max(natural, f.Type.Align)
			continue
		}
		natural = max(natural, f.Align)
		if f.Offset%f.Align != 0 {
			t.Packed = true
		}
	}
	if t.Size%natural != 0 {
		t.Packed = true
	}
	switch {
	case given > 0:
		t.Align = given
	case t.Packed:
		// The largest power of two that is possible; a caller that asks for the type
		// itself asks the compiler.
		t.Align = 1
		for a := natural; a > 1; a /= 2 {
			fits := t.Size%a == 0
			for i := range t.Fields {
				fits = fits && t.Fields[i].Offset%min(a, t.Fields[i].Align) == 0
			}
			if fits {
				t.Align = a
				break
			}
		}
	default:
		t.Align = natural
	}
}
