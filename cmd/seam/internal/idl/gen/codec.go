package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// codec writes the methods that read and write a struct in the protocols of
// the options.
func (f *file) codec(s *model.Struct) {
	for _, p := range f.protocols() {
		f.appendMethod(s, p)
		f.decodeMethod(s, p)
		f.readMethod(s, p)
	}
}

// A protocol is the part of a name that says which one it is: the
// run-time has each function once for Binary and once for Compact.
type protocol string

const (
	binary  protocol = "Binary"
	compact protocol = "Compact"
)

func (f *file) protocols() []protocol {
	var list []protocol
	if !f.opt.NoBinary {
		list = append(list, binary)
	}
	if !f.opt.NoCompact {
		list = append(list, compact)
	}
	return list
}

// thrift imports the package with what users of the code see.
func (f *file) thrift() string { return f.use(thriftPath) }

// runtime imports the package that generated code is made of.
func (f *file) runtime() string { return f.use(codecPath) }

// wire is what a kind of type is on the wire, and in libraries for it.
type wire struct {
	name    string // of the run-time's constant
	binary  byte   // the type in the binary protocol
	compact byte   // in the compact protocol; a bool's is 1 or 2
	size    int    // bytes that every value takes in the binary protocol, 0 if they differ
	load    string // the Decoder's method that loads such a value, "" if they differ
	apache  string // the constant in Apache's library
}

var wires = map[model.Kind]wire{
	model.Bool:       {"TypeBool", 2, 1, 1, "LoadBool", "BOOL"},
	model.I8:         {"TypeI8", 3, 3, 1, "Load8", "BYTE"},
	model.Double:     {"TypeDouble", 4, 7, 8, "LoadDouble", "DOUBLE"},
	model.I16:        {"TypeI16", 6, 4, 2, "Load16", "I16"},
	model.I32:        {"TypeI32", 8, 5, 4, "Load32", "I32"},
	model.EnumKind:   {"TypeI32", 8, 5, 4, "Load32", "I32"},
	model.I64:        {"TypeI64", 10, 6, 8, "Load64", "I64"},
	model.String:     {"TypeString", 11, 8, 0, "", "STRING"},
	model.Binary:     {"TypeString", 11, 8, 0, "", "STRING"},
	model.StructKind: {"TypeStruct", 12, 12, 0, "", "STRUCT"},
	model.Map:        {"TypeMap", 13, 11, 0, "", "MAP"},
	model.Set:        {"TypeSet", 14, 10, 0, "", "SET"},
	model.List:       {"TypeList", 15, 9, 0, "", "LIST"},
	model.UUID:       {"TypeUUID", 16, 13, 16, "LoadUUID", "UUID"},
}

func wireOf(t *model.Type) wire {
	w, ok := wires[t.Kind]
	if !ok {
		panic("type that is not on the wire")
	}
	return w
}

func (f *file) wireName(t *model.Type) string { return f.runtime() + "." + wireOf(t).name }

// goSize is the size of a value in a list or map, in bytes on a 64-bit
// machine.
func (f *file) goSize(t *model.Type) int {
	switch t.Kind {
	case model.String:
		return 16
	case model.StructKind:
		if t.InPlace {
			return f.structSize(t.Struct)
		}
		return 8
	case model.Map:
		if comparableKey(t.Key) {
			return 8
		}
		return 24
	case model.Binary, model.List, model.Set:
		return 24
	}
	return wireOf(t).size
}

// bulk is the name of the run-time's functions for lists of t, "" where the
// generated code has a function for the list. generic says that the decoder
// is a function with the Decoder as an argument, not a method.
func bulk(elem *model.Type) (name string, generic bool) {
	switch elem.Kind {
	case model.Bool:
		return "Bools", false
	case model.I8:
		return "I8s", false
	case model.I16:
		return "I16s", false
	case model.I32, model.EnumKind:
		return "I32s", true
	case model.I64:
		return "I64s", false
	case model.Double:
		return "Doubles", false
	case model.String:
		return "Strings", false
	case model.Binary:
		return "Binaries", false
	case model.UUID:
		return "UUIDs", false
	}
	return "", false
}

// canFail reports whether writing a value may be refused: a struct may be nil,
// a union may have two fields set.
func canFail(t *model.Type) bool {
	switch t.Kind {
	case model.StructKind:
		return true
	case model.List, model.Set:
		return canFail(t.Elem)
	case model.Map:
		return canFail(t.Key) || canFail(t.Elem)
	}
	return false
}

// mangle writes a type as part of a name: ListMapI64I8.
func mangle(t *model.Type) string {
	switch t.Kind {
	case model.EnumKind:
		return exported(t.Enum.Program.Name) + exported(t.Enum.Name)
	case model.StructKind:
		return exported(t.Struct.Program.Name) + exported(t.Struct.Name)
	case model.List:
		return "List" + mangle(t.Elem)
	case model.Set:
		return "Set" + mangle(t.Elem)
	case model.Map:
		return "Map" + mangle(t.Key) + mangle(t.Elem)
	}
	return strings.TrimPrefix(wireOf(t).name, "Type") + map[model.Kind]string{model.Binary: "Binary"}[t.Kind]
}

// canonical is a type's meaning as text: equal for types that share code.
func canonical(t *model.Type) string {
	switch t.Kind {
	case model.EnumKind:
		return "enum " + t.Enum.Program.Path + " " + t.Enum.Name
	case model.StructKind:
		return star(t) + "struct " + t.Struct.Program.Path + " " + t.Struct.Name
	}
	return cmp.Or(t.Container(canonical, ","), t.Kind.String())
}

// container is the name of the function that does something with containers
// of type t. A file has one for each type, however many fields use it; write
// is called the first time. The names begin with the file's, since other
// files of the package may be generated separately.
func (f *file) container(what string, p protocol, t *model.Type, write func(name string)) string {
	key := what + " " + string(p) + " " + canonical(t)
	if name, ok := f.containers[key]; ok {
		return name
	}
	name := f.prefix() + what + string(p) + mangle(t)
	for n := 2; f.containerNames[name]; n++ {
		name = fmt.Sprintf("%s%s%s%s%d", f.prefix(), what, p, mangle(t), n)
	}
	f.containers[key], f.containerNames[name] = name, true
	f.pending = append(f.pending, func() { write(name) })
	return name
}

// flushContainers writes the functions that have been asked for, and
// those that they ask for in turn. It is called between declarations.
func (f *file) flushContainers() {
	for len(f.pending) > 0 {
		write := f.pending[0]
		f.pending = f.pending[1:]
		write()
	}
}

// bits are the fields of a struct that a decoder must have seen, in
// variables of 64 bits each.
type bits struct {
	n     int
	array bool // even if one would do
}

func (b bits) inArray() bool { return b.array || b.n > 64 }

// mark is the statement that marks field k.
func (b bits) mark(k int) string {
	if !b.inArray() {
		return fmt.Sprintf("seen |= 1 << %d", k)
	}
	return fmt.Sprintf("seen[%d] |= 1 << %d", k/64, k%64)
}

func (b bits) goType() string {
	if !b.inArray() {
		return "uint64"
	}
	return fmt.Sprintf("[%d]uint64", (b.n+63)/64)
}

// all is the value that has every bit, as an operand of !=.
func (b bits) all() string {
	if !b.inArray() {
		return fmt.Sprintf("1<<%d-1", b.n)
	}
	words := make([]string, (b.n+63)/64)
	for k := range words {
		words[k] = fmt.Sprintf("1<<%d - 1", min(64, b.n-64*k))
	}
	return "(" + b.goType() + "{" + strings.Join(words, ", ") + "})"
}

func isUnion(s *model.Struct) bool { return s.Kind == syntax.Union }

// reusable reports whether a field has memory that can be decoded into again.
func reusable(x *model.Field) bool {
	switch x.Type.Kind {
	case model.StructKind, model.Binary, model.List, model.Set, model.Map:
		return true
	}
	return false
}

// reachesMap reports whether there may be a Go map in a value of type t. seen
// are the structs that were looked at.
func reachesMap(t *model.Type, seen map[*model.Struct]bool) bool {
	switch t.Kind {
	case model.List, model.Set:
		return reachesMap(t.Elem, seen)
	case model.Map:
		return comparableKey(t.Key) || reachesMap(t.Key, seen) || reachesMap(t.Elem, seen)
	case model.StructKind:
		if seen[t.Struct] {
			return false
		}
		seen[t.Struct] = true
		return slices.ContainsFunc(t.Struct.Fields, func(x *model.Field) bool { return reachesMap(x.Type, seen) })
	}
	return false
}

// isStringMap reports whether it is the map that the run-time has functions for.
func isStringMap(t *model.Type) bool {
	return t.Kind == model.Map && t.Key.Kind == model.String && t.Elem.Kind == model.String
}
