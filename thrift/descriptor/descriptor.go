// Package descriptor says at run time what Thrift files say: structs, enums, typedefs,
// constants and services, with their annotations.
//
// Descriptors are made by seam gen: as Go code (--descriptors), or as a file that a program
// reads when it runs:
//
//	seam gen descriptors -o shop.json shop.thrift
//
//	text, err := os.ReadFile("shop.json")
//	set, err := descriptor.Parse(text)
//	field := set.Struct("shop.Order").Field("items")
//
// Package generic makes calls by them. Descriptors must not be changed.
package descriptor

import "strings"

// A Set is some Thrift files and all that they include.
type Set struct {
	Files []*File // every one after those that it includes
}

// A File is a Thrift file.
type File struct {
	Path       string            // its name, without folders
	Name       string            // without folder and .thrift: what stands before the dot in other files
	Doc        string            // its comment
	Namespaces map[string]string // by language
	Includes   []*File
	Typedefs   []*Typedef
	Enums      []*Enum
	Structs    []*Struct // unions and exceptions too
	Consts     []*Const
	Services   []*Service
}

// Annotations are those behind a declaration, with their values; one without has "1".
type Annotations map[string]string

// A Kind says what a type is, once typedefs are seen through.
type Kind uint8

// The kinds of types.
const (
	Void Kind = iota // of a function's result
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
	StructKind // a struct, union or exception
	List
	SetKind
	Map
)

var kinds = [...]string{"void", "bool", "i8", "i16", "i32", "i64", "double", "string", "binary", "uuid", "enum", "struct", "list", "set", "map"}

// String is the word of the kind in Thrift.
func (k Kind) String() string { return kinds[k] }

// A Type is that of a field, of an element, of a function's result.
type Type struct {
	Kind    Kind
	Key     *Type    // of a Map
	Elem    *Type    // of a List, a SetKind or a Map
	Enum    *Enum    // of an EnumKind
	Struct  *Struct  // of a StructKind
	Typedef *Typedef // that it is named by; nil: none
}

// String is the type as a Thrift file has it, with the file's name before the dot: list<shop.Item>.
func (t *Type) String() string {
	switch {
	case t.Typedef != nil:
		return t.Typedef.File.Name + "." + t.Typedef.Name
	case t.Kind == EnumKind:
		return t.Enum.File.Name + "." + t.Enum.Name
	case t.Kind == StructKind:
		return t.Struct.File.Name + "." + t.Struct.Name
	case t.Kind == Map:
		return "map<" + t.Key.String() + "," + t.Elem.String() + ">"
	case t.Kind == List || t.Kind == SetKind:
		return t.Kind.String() + "<" + t.Elem.String() + ">"
	}
	return t.Kind.String()
}

// A Typedef is another name for a type.
type Typedef struct {
	File        *File
	Name, Doc   string
	Type        *Type
	Annotations Annotations
}

// An Enum is a list of named numbers; two names may share one.
type Enum struct {
	File        *File
	Name, Doc   string
	Values      []*EnumValue
	Annotations Annotations

	byName   map[string]*EnumValue
	byNumber map[int32]*EnumValue
}

// An EnumValue is a name of an enum.
type EnumValue struct {
	Name, Doc   string
	Value       int32
	Annotations Annotations
}

// Value is the value of a name, or nil.
func (e *Enum) Value(name string) *EnumValue { return e.byName[name] }

// ByNumber is the first name of a number, or nil.
func (e *Enum) ByNumber(n int32) *EnumValue { return e.byNumber[n] }

// A Category says which of three a [Struct] is.
type Category string

// The categories.
const (
	Plain     Category = "struct"
	Union     Category = "union"
	Exception Category = "exception"
)

// A Struct is a struct, a union or an exception; or the arguments of a function, or its
// result.
type Struct struct {
	File        *File
	Category    Category
	Name, Doc   string
	Fields      []*Field // in the order of the source
	Annotations Annotations

	byName map[string]*Field
	byID   map[int16]*Field
}

// Field is the field of a name, or nil.
func (s *Struct) Field(name string) *Field { return s.byName[name] }

// ByID is the field of an id, or nil.
func (s *Struct) ByID(id int16) *Field { return s.byID[id] }

// A Requiredness is what stands before a field's type.
type Requiredness string

// The kinds of fields: one without a word is always written, and may be missing when read.
const (
	Default  Requiredness = "default"
	Required Requiredness = "required"
	Optional Requiredness = "optional"
)

// A Field is a field, an argument, or an exception that is thrown.
type Field struct {
	ID           int16
	Name, Doc    string
	Type         *Type
	Requiredness Requiredness
	Default      *Value // nil: none
	Annotations  Annotations
}

// A Const is a named value.
type Const struct {
	File        *File
	Name, Doc   string
	Type        *Type
	Value       *Value
	Annotations Annotations
}

// A Value is a constant. Of what it may be, one is set, as its type has it.
type Value struct {
	Const  *Const // whose value it was given as; nil: none
	Bool   bool
	Int    int64 // of I8 to I64, and of enums
	Double float64
	String string // of String and UUID; the bytes of a Binary
	List   []*Value
	Map    []Pair
	Fields []FieldValue
}

// A Pair is an entry of a map.
type Pair struct{ Key, Value *Value }

// A FieldValue is a field of a struct.
type FieldValue struct {
	Field *Field
	Value *Value
}

// A Service is a list of functions.
type Service struct {
	File        *File
	Name, Doc   string
	Extends     *Service    // nil: none
	Functions   []*Function // without those of Extends
	Annotations Annotations
}

// Function is the function of a name, also of what the service extends; or nil.
func (s *Service) Function(name string) *Function {
	for ; s != nil; s = s.Extends {
		for _, f := range s.Functions {
			if f.Name == name {
				return f
			}
		}
	}
	return nil
}

// A Function is a function of a service.
type Function struct {
	Name, Doc   string
	Oneway      bool
	Args        *Struct // whose fields are the arguments
	Result      *Struct // the field success with id 0, unless it is void, and the exceptions; nil if it is oneway
	Annotations Annotations
}

// Success is the type that the function returns; of the kind Void if it is none.
func (f *Function) Success() *Type {
	if f.Result != nil {
		if x := f.Result.ByID(0); x != nil {
			return x.Type
		}
	}
	return &Type{}
}

// Throws are the exceptions that the function declares.
func (f *Function) Throws() []*Field {
	switch {
	case f.Result == nil:
		return nil
	case f.Result.ByID(0) != nil:
		return f.Result.Fields[1:]
	}
	return f.Result.Fields
}

// File is the file of a path, of the end of one, or of a name; or nil.
func (s *Set) File(name string) *File {
	for _, f := range s.Files {
		if f.Path == name || f.Name == name || strings.HasSuffix(f.Path, "/"+name) {
			return f
		}
	}
	return nil
}

// find looks a name up, with the name of its file before a dot or, if only one file has it,
// without.
func find[T any](s *Set, name string, list func(*File) []*T, named func(*T) string) *T {
	file, rest, dotted := strings.Cut(name, ".")
	var found *T
	for _, f := range s.Files {
		for _, x := range list(f) {
			switch {
			case dotted && f.Name == file && named(x) == rest:
				return x
			case !dotted && named(x) == name && found != nil:
				return nil
			case !dotted && named(x) == name:
				found = x
			}
		}
	}
	return found
}

// Struct is the struct, union or exception of a name: shop.Order; or Order, if only one file
// has one. nil: there is none.
func (s *Set) Struct(name string) *Struct {
	return find(s, name, func(f *File) []*Struct { return f.Structs }, func(x *Struct) string { return x.Name })
}

// Enum is as Struct for enums.
func (s *Set) Enum(name string) *Enum {
	return find(s, name, func(f *File) []*Enum { return f.Enums }, func(x *Enum) string { return x.Name })
}

// Typedef is as Struct for typedefs.
func (s *Set) Typedef(name string) *Typedef {
	return find(s, name, func(f *File) []*Typedef { return f.Typedefs }, func(x *Typedef) string { return x.Name })
}

// Const is as Struct for constants.
func (s *Set) Const(name string) *Const {
	return find(s, name, func(f *File) []*Const { return f.Consts }, func(x *Const) string { return x.Name })
}

// Service is as Struct for services.
func (s *Set) Service(name string) *Service {
	return find(s, name, func(f *File) []*Service { return f.Services }, func(x *Service) string { return x.Name })
}
