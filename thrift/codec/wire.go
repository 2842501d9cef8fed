package codec

import "github.com/seamgo/seam/thrift/internal/swap"

// A Type is a type's number in the binary protocol and in message headers.
type Type byte

// The types of the binary protocol.
const (
	TypeStop   Type = 0
	TypeBool   Type = 2
	TypeI8     Type = 3
	TypeDouble Type = 4
	TypeI16    Type = 6
	TypeI32    Type = 8
	TypeI64    Type = 10
	TypeString Type = 11 // binary too
	TypeStruct Type = 12 // unions and exceptions too
	TypeMap    Type = 13
	TypeSet    Type = 14
	TypeList   Type = 15
	TypeUUID   Type = 16
)

var typeNames = [17]string{
	TypeStop: "stop", TypeBool: "bool", TypeI8: "i8", TypeDouble: "double", TypeI16: "i16",
	TypeI32: "i32", TypeI64: "i64", TypeString: "string", TypeStruct: "struct",
	TypeMap: "map", TypeSet: "set", TypeList: "list", TypeUUID: "uuid",
}

// String returns the name of the type in Thrift's own language.
func (t Type) String() string {
	if int(t) < len(typeNames) && typeNames[t] != "" {
		return typeNames[t]
	}
	const digits = "0123456789abcdef"
	return "type 0x" + string([]byte{digits[t>>4], digits[t&15]})
}

// Exists reports whether there is such a type.
func (t Type) Exists() bool { return least[t] != 0 }

// Size is the number of bytes that every value takes in the binary protocol,
// 0 if they differ.
func (t Type) Size() int { return int(fixed[t]) }

// Compact is the number of the type in the compact protocol.
func (t Type) Compact() byte { return toCompact[t] }

// FromCompact is the type for a number of the compact protocol, below 16;
// TypeStop for numbers that are none.
func FromCompact(n byte) Type { return fromCompact[n] }

// least is the fewest bytes that a value of a type takes in the binary
// protocol; 0 marks what is not a type. What a list claims to hold is
// compared with it before anything is allocated.
var least = [256]byte{
	TypeBool: 1, TypeI8: 1, TypeDouble: 8, TypeI16: 2, TypeI32: 4, TypeI64: 8,
	TypeString: 4, TypeStruct: 1, TypeMap: 6, TypeSet: 5, TypeList: 5, TypeUUID: 16,
}

// fixed is the number of bytes of a type whose values all take the same in
// the binary protocol, 0 for the others.
var fixed = [256]byte{
	TypeBool: 1, TypeI8: 1, TypeDouble: 8, TypeI16: 2, TypeI32: 4, TypeI64: 8, TypeUUID: 16,
}

// The types of the compact protocol. In a field's header a bool's value is
// its type; as an element it is a byte, and either number stands for its type.
const (
	compactTrue   = 1
	compactFalse  = 2
	compactI8     = 3
	compactI16    = 4
	compactI32    = 5
	compactI64    = 6
	compactDouble = 7
	compactString = 8
	compactList   = 9
	compactSet    = 10
	compactMap    = 11
	compactStruct = 12
	compactUUID   = 13
)

// fromCompact returns the type for a number of the compact protocol; TypeStop
// for numbers that are none.
var fromCompact = [16]Type{
	compactTrue: TypeBool, compactFalse: TypeBool, compactI8: TypeI8, compactI16: TypeI16,
	compactI32: TypeI32, compactI64: TypeI64, compactDouble: TypeDouble, compactString: TypeString,
	compactList: TypeList, compactSet: TypeSet, compactMap: TypeMap, compactStruct: TypeStruct,
	compactUUID: TypeUUID,
}

// toCompact is the other direction; a bool is compactTrue.
var toCompact = [256]byte{
	TypeBool: compactTrue, TypeI8: compactI8, TypeI16: compactI16, TypeI32: compactI32,
	TypeI64: compactI64, TypeDouble: compactDouble, TypeString: compactString, TypeList: compactList,
	TypeSet: compactSet, TypeMap: compactMap, TypeStruct: compactStruct, TypeUUID: compactUUID,
}

// leastCompact is least for the compact protocol.
var leastCompact = [256]byte{
	TypeBool: 1, TypeI8: 1, TypeDouble: 8, TypeI16: 1, TypeI32: 1, TypeI64: 1,
	TypeString: 1, TypeStruct: 1, TypeMap: 1, TypeSet: 1, TypeList: 1, TypeUUID: 16,
}

// Kernel names the code that turns lists of numbers around: "avx2", "neon",
// "portable", or "copy" where the machine's order is the wire's.
func Kernel() string { return swap.Path() }
