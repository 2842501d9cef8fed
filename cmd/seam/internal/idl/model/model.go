// Package model holds a Thrift program in which everything has been
// checked: names are resolved, fields are numbered, constants have the
// values of their types. What is in a [Program] is valid, so what reads it
// (the generators, the comparison of two versions) has no errors to
// report.
package model

import (
	"maps"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A Program is one file and what it includes.
type Program struct {
	Path       string            // as it was found
	Name       string            // the base name without .thrift: the prefix of its names in other files
	Namespaces map[string]string // by language; * among them
	Includes   []*Program        // direct ones, in the order of the source
	Doc        string
	Requested  bool // it was asked for by name, not only included

	NamespaceAt map[string]syntax.Pos // where the line of each language is

	Typedefs []*Typedef
	Enums    []*Enum
	Structs  []*Struct // structs, unions and exceptions, in the order of the source
	Consts   []*Const
	Services []*Service
}

// Namespace is the program's namespace for a language, or that of *, or "".
func (p *Program) Namespace(language string) string {
	if n, ok := p.Namespaces[language]; ok {
		return n
	}
	return p.Namespaces["*"]
}

// Annotations are the annotations of a node; one without a value has "1", as
// in Apache's compiler. Of one that is there several times the last counts, but of rules (vt.*) all
// do: their values have byte 0 between them.
type Annotations map[string]string

// Last has the last value of each annotation.
func (a Annotations) Last() Annotations {
	last := maps.Clone(a)
	for name, value := range last {
		last[name] = value[strings.LastIndexByte(value, 0)+1:]
	}
	return last
}

// Kind is what a type is once typedefs are seen through.
type Kind uint8

// The kinds of types.
const (
	Void Kind = iota // a function's result only
	Bool
	I8
	I16
	I32
	I64
	Double
	String
	Binary
	UUID
	EnumKind
	StructKind // struct, union or exception
	List
	Set
	Map
)

// A Type is a resolved type. Types of equal meaning need not be the same
// pointer (see [Type.Same]), and one may be shared by many, so it must not be
// changed. Written out it has at most 1024 parts and 64 levels.
type Type struct {
	Kind        Kind
	Key         *Type    // of a Map
	Elem        *Type    // of a List, a Set or a Map
	Enum        *Enum    // of an EnumKind
	Struct      *Struct  // of a StructKind
	InPlace     bool     // of a StructKind that is an element of a container: the container has the struct, not a pointer
	Typedef     *Typedef // the typedef that it was named by, if any; Kind and the rest are those of the typedef's type
	Annotations Annotations
}

// A Typedef is another name for a type.
type Typedef struct {
	Program     *Program
	Name        string
	Type        *Type
	Doc         string
	Annotations Annotations
	Pos         syntax.Pos
}

// An Enum is a list of named numbers. Two names may share a number.
type Enum struct {
	Program     *Program
	Name        string
	Values      []*EnumValue
	Reserved    *Reserved
	Doc         string
	Annotations Annotations
	Pos         syntax.Pos
}

// An EnumValue is one name of an enum.
type EnumValue struct {
	Enum        *Enum
	Name        string
	Value       int32
	Doc         string
	Annotations Annotations
	Pos         syntax.Pos
}

// A Struct is a struct, a union or an exception.
type Struct struct {
	Program     *Program
	Kind        syntax.StructKind
	Name        string
	Fields      []*Field // in the order of the source
	Asserts     []Rule   // of its annotations vt.assert, if they are asked for
	Reserved    *Reserved
	Doc         string
	Annotations Annotations
	Pos         syntax.Pos
}

// Req is what a field's word means.
type Req uint8

// What a field's word means: a field without one is always written, and may
// be missing when read.
const (
	DefaultReq Req = iota
	Required
	Optional
)

// A Field is a field of a struct, an argument, or an exception that is
// thrown. Fields of a union are all Optional.
type Field struct {
	ID          int16
	Name        string
	Type        *Type
	Req         Req
	Reference   bool
	Default     *Value // nil: none
	ByValue     bool   // optional, and absent means that it has its default: set by who generates such code
	Doc         string
	Annotations Annotations
	GoTags      []GoTag // of its annotation go.tag
	Rules       *Rules  // of its annotations vt.*, if they are asked for; nil: none
	Pos         syntax.Pos
}

// A Const is a named value.
type Const struct {
	Program     *Program
	Name        string
	Type        *Type
	Value       *Value
	Doc         string
	Annotations Annotations
	Pos         syntax.Pos
}

// A Value is a constant of its type: references are followed, numbers are in
// range, names of enums are numbers. A value of a
//
//   - Bool is in Bool, of I8 to I64 and EnumKind in Int (an enum's may be a
//     number without a name), of Double in Double, of String, Binary and UUID
//     in String (a UUID's in its 36-letter form),
//   - List or Set is in List, of Map in Map,
//   - StructKind is in Fields, in the order of the struct's.
//
// Values of constants that are referred to are shared, so that a value with
// all it holds can be far larger than memory if it is written out. Load limits
// what is not behind a Const to about a million values and 500 levels.
type Value struct {
	Type   *Type
	Bool   bool
	Int    int64
	Double float64
	String string
	List   []*Value
	Map    []Entry
	Fields []FieldValue

	Const *Const     // the constant that it names, or nil; also nil if that has another type and was converted
	Enum  *EnumValue // the name that it was given as, or nil
}

// An Entry is a pair of a map value.
type Entry struct{ Key, Value *Value }

// A FieldValue is a field of a struct value.
type FieldValue struct {
	Field *Field
	Value *Value
}

// A Service is a set of functions.
type Service struct {
	Program     *Program
	Name        string
	Extends     *Service    // nil: none
	Functions   []*Function // without those of Extends
	Reserved    *Reserved   // names of functions
	Doc         string
	Annotations Annotations
	Pos         syntax.Pos
}

// A Function is one function of a service.
type Function struct {
	Name        string
	Oneway      bool
	Result      *Type   // Kind Void if it returns nothing
	Args        *Struct // named Service_Function_args on the wire's behalf; Fields are the arguments
	Throws      []*Field
	Streaming   string // the annotation streaming.mode: client, server, bidirectional, unary, or "" for a function as Apache has it
	Shard       *Field // the argument that seam.shard names, by which calls are distributed; nil: none
	Idempotent  bool   // the annotation seam.idempotent: calls may be carried out twice
	Doc         string
	Annotations Annotations
	Pos         syntax.Pos
}
