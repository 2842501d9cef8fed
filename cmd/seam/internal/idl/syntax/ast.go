// Package syntax reads and prints the Thrift interface definition language.
//
// [Parse] turns the text of one file into a tree and reports as many mistakes
// as it can; [Print] turns a tree back into text in one canonical form and
// keeps every comment. The package knows the grammar and nothing else: names,
// types and values are checked in package model.
package syntax

import "cmp"

// A Pos is a place in a file. Lines and columns begin at 1; a column counts
// bytes. The zero Pos is no place at all.
type Pos struct {
	Line, Col int
}

// Compare orders places as they follow each other in a file.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// A File is one file of definitions.
type File struct {
	Path string // as it was named, for messages

	Includes    []*Include
	CppIncludes []*Include // kept for printing, no meaning in Go
	Namespaces  []*Namespace
	Decls       []Decl // in the order of the source

	// Doc is the comment at the top of the file, without the first
	// declaration's own; see [Comments].
	Doc Comments
	// Tail are the comments behind the last declaration, as in
	// Comments.Before.
	Tail []string
}

// Comments are the comments that belong to a node. A block comment is one
// entry, and so is each line comment. The markers (//, #, /* */ and /** */)
// are kept, since the printer needs them; [Comments.Text] removes them.
//
// All lines of a block comment but the first have lost the indentation of
// its first line.
type Comments struct {
	Before []string // on the lines before the node; an empty one is a blank line
	After  []string // on the node's last line
	Inner  []Inner  // between the node's words, in their order

	// BlankBefore says that a blank line separates the node, with its
	// comments, from what is before it.
	BlankBefore bool
}

// An Inner comment stands between two words of a node. The words of nodes
// inside it that have Comments of their own aren't counted, and neither are
// the separators that may be left out.
type Inner struct {
	Word   int   // the number, from 0, of the word before it
	Ahead  bool  // Word is the word behind it, which is a closing bracket
	Breaks uint8 // 0: on the line of what is before it, 1: on a line of its own, 2: and a blank line before
	Joined bool  // on the line of what is behind it
	Text   string
}

// An Include is include "path" or cpp_include "path".
type Include struct {
	Pos      Pos
	Path     string
	Comments Comments
}

// A Namespace is namespace language name. The language * stands for all
// languages that have no line of their own.
type Namespace struct {
	Pos         Pos
	Language    string
	Name        string
	Quoted      bool // the name is a string in the source
	Annotations []*Annotation
	Comments    Comments
}

// An Ident is a name with its place. Names in other files have a dot.
type Ident struct {
	Pos  Pos
	Name string
}

// An Annotation is one of (name = "value", name).
type Annotation struct {
	Pos      Pos
	Name     string
	Value    string
	HasValue bool // false: Apache gives it the value "1"
	Break    bool // it begins a line; always false if all annotations of a node are on the same line
}

// A Decl is a definition: *Typedef, *Enum, *Struct, *Const or *Service.
type Decl interface {
	DeclName() Ident
	DeclComments() *Comments
}

// A Typedef is typedef type name.
type Typedef struct {
	Name        Ident
	Type        *Type
	Annotations []*Annotation
	Comments    Comments
}

// An Enum is a list of named numbers.
type Enum struct {
	Name        Ident
	Values      []*EnumValue
	Annotations []*Annotation
	Comments    Comments
}

// An EnumValue is one line of an enum. Without a number of its own it is one
// more than the line before.
type EnumValue struct {
	Name        Ident
	Value       *Value // nil: none given
	Annotations []*Annotation
	Comments    Comments
}

// StructKind says which of the three definitions with fields it is.
type StructKind uint8

// The definitions with fields.
const (
	PlainStruct StructKind = iota
	Union
	Exception
)

// A Struct is a struct, a union or an exception.
type Struct struct {
	Kind        StructKind
	Name        Ident
	Fields      []*Field
	XsdAll      bool
	Annotations []*Annotation
	Comments    Comments
}

// Requiredness is the word before a field's type.
type Requiredness uint8

// The words before a field's type; most fields have none.
const (
	NoWord Requiredness = iota
	Required
	Optional
)

// A Field is a field of a struct, an argument of a function or an
// exception that it throws.
type Field struct {
	Pos         Pos  // of its first word
	HasID       bool // false: the compiler numbers it, from -1 down
	ID          int64
	Req         Requiredness
	Type        *Type
	Reference   bool // & after the type
	Name        Ident
	Default     *Value // nil: none
	Xsd         *Xsd   // nil: none
	Annotations []*Annotation
	Comments    Comments
}

// An Xsd is what remains of a field's description for XML schemas. It is kept
// for printing and means nothing else.
type Xsd struct {
	Optional, Nillable bool
	HasAttrs           bool
	Attrs              []*Field
	AttrLines          bool // they have lines of their own
}

// TypeKind says which of the grammar's types it is.
type TypeKind uint8

// The types of the grammar.
const (
	NamedType TypeKind = iota // a definition's name, or a name of a base type
	ListType
	SetType
	MapType
)

// A Type is a use of a type. The base types (bool, byte, i8, i16, i32, i64,
// double, string, binary, uuid, and void before a function) are names here
// like the user's own.
type Type struct {
	Pos         Pos
	Kind        TypeKind
	Name        string // of a NamedType, with a dot if it is in another file
	Key         *Type  // of a MapType
	Elem        *Type  // of a ListType, a SetType or a MapType
	CppType     string
	Annotations []*Annotation
}

// A Const is const type name = value.
type Const struct {
	Name        Ident
	Type        *Type
	Value       *Value
	Annotations []*Annotation
	Comments    Comments
}

// ValueKind says which form a constant value has.
type ValueKind uint8

// The forms of constant values. true and false are identifiers here.
const (
	IntValue ValueKind = iota
	DoubleValue
	StringValue
	IdentValue
	ListValue
	MapValue
)

// A Value is a constant value as it was written.
type Value struct {
	Pos    Pos
	End    Pos // of the closing bracket of a ListValue or a MapValue, else the same as Pos
	Kind   ValueKind
	Text   string // the source of a number; the name of an IdentValue; the contents of a string, escapes resolved
	Int    int64
	Double float64
	List   []*Value // of a ListValue
	Map    []Entry  // of a MapValue, in the order of the source
}

// An Entry is one pair of a map value.
type Entry struct {
	Key, Value *Value
}

// A Service is a set of functions.
type Service struct {
	Name        Ident
	Extends     Ident // Name is empty if there is none
	Functions   []*Function
	Annotations []*Annotation
	Comments    Comments
}

// A Function is one function of a service.
type Function struct {
	Pos         Pos
	Oneway      bool  // oneway; async is its name from before 0.2
	Result      *Type // the name void if it returns nothing
	Name        Ident
	Args        []*Field
	Throws      []*Field
	ArgLines    bool // the arguments have lines of their own
	ThrowLines  bool // what it throws has lines of its own
	Annotations []*Annotation
	Comments    Comments
}

// DeclName and the like make the definitions a [Decl].
func (d *Typedef) DeclName() Ident { return d.Name }

// DeclName returns the definition's name.
func (d *Enum) DeclName() Ident { return d.Name }

// DeclName returns the definition's name.
func (d *Struct) DeclName() Ident { return d.Name }

// DeclName returns the definition's name.
func (d *Const) DeclName() Ident { return d.Name }

// DeclName returns the definition's name.
func (d *Service) DeclName() Ident { return d.Name }

// DeclComments returns the definition's comments.
func (d *Typedef) DeclComments() *Comments { return &d.Comments }

// DeclComments returns the definition's comments.
func (d *Enum) DeclComments() *Comments { return &d.Comments }

// DeclComments returns the definition's comments.
func (d *Struct) DeclComments() *Comments { return &d.Comments }

// DeclComments returns the definition's comments.
func (d *Const) DeclComments() *Comments { return &d.Comments }

// DeclComments returns the definition's comments.
func (d *Service) DeclComments() *Comments { return &d.Comments }
