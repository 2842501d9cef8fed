package thrift

import (
	"encoding/binary"
	"math"
)

// AppendUvarint appends a varint.
func AppendUvarint(b []byte, u uint64) []byte {
	if u < 0x80 {
		return append(b, byte(u))
	}
	return appendUvarint(b, u)
}

func appendUvarint(b []byte, u uint64) []byte {
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}

// AppendCompactI64 appends a number in zigzag order, in which small negative
// ones are short too.
func AppendCompactI64(b []byte, v int64) []byte {
	return AppendUvarint(b, uint64(v<<1)^uint64(v>>63))
}

// AppendCompactI32 appends an i16, an i32 or an enum.
func AppendCompactI32(b []byte, v int32) []byte {
	return AppendUvarint(b, uint64(uint32(v<<1)^uint32(v>>31)))
}

// AppendCompactBool appends a bool that is an element.
func AppendCompactBool(b []byte, v bool) []byte {
	return append(b, compactFalse-Byte(v))
}

// AppendCompactDouble appends a floating-point number.
func AppendCompactDouble(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendCompactString appends a string or binary with its length.
func AppendCompactString[T string | []byte](b []byte, s T) []byte {
	return append(AppendUvarint(b, uint64(len(s))), s...)
}

// AppendCompactField appends the head of field id with a compact type, when
// before is the number of the field before.
func AppendCompactField(b []byte, before, id int, t byte) []byte {
	if d := id - before; d > 0 && d < 16 {
		return append(b, byte(d)<<4|t)
	}
	return AppendCompactI32(append(b, t), int32(id))
}

// AppendCompactList appends the head of a list or set of n elements.
func AppendCompactList(b []byte, elem Type, n int) []byte {
	if n < 15 {
		return append(b, byte(n)<<4|toCompact[elem])
	}
	return AppendUvarint(append(b, 0xF0|toCompact[elem]), uint64(n))
}

// AppendCompactMap appends the head of a map of n pairs.
func AppendCompactMap(b []byte, key, value Type, n int) []byte {
	if n == 0 {
		return append(b, 0)
	}
	return append(AppendUvarint(b, uint64(n)), toCompact[key]<<4|toCompact[value])
}

// AppendCompactBools appends a list<bool>.
func AppendCompactBools(b []byte, v []bool) []byte {
	b = AppendCompactList(b, TypeBool, len(v))
	for _, x := range v {
		b = AppendCompactBool(b, x)
	}
	return b
}

// AppendCompactI8s appends a list<i8>.
func AppendCompactI8s(b []byte, v []int8) []byte {
	b = Extend(AppendCompactList(b, TypeI8, len(v)), len(v))
	to := b[len(b)-len(v):]
	for k, x := range v {
		to[k] = byte(x)
	}
	return b
}

// AppendCompactI16s appends a list<i16>.
func AppendCompactI16s(b []byte, v []int16) []byte {
	b = AppendCompactList(b, TypeI16, len(v))
	for _, x := range v {
		b = AppendCompactI32(b, int32(x))
	}
	return b
}

// AppendCompactI32s appends a list<i32> or a list of an enum.
func AppendCompactI32s[T ~int32](b []byte, v []T) []byte {
	b = AppendCompactList(b, TypeI32, len(v))
	for _, x := range v {
		b = AppendCompactI32(b, int32(x))
	}
	return b
}

// AppendCompactI64s appends a list<i64>.
func AppendCompactI64s(b []byte, v []int64) []byte {
	b = AppendCompactList(b, TypeI64, len(v))
	for _, x := range v {
		b = AppendCompactI64(b, x)
	}
	return b
}

// AppendCompactDoubles appends a list<double>.
func AppendCompactDoubles(b []byte, v []float64) []byte {
	b = AppendCompactList(b, TypeDouble, len(v))
	for _, x := range v {
		b = AppendCompactDouble(b, x)
	}
	return b
}

// AppendCompactUUIDs appends a list<uuid>.
func AppendCompactUUIDs(b []byte, v []UUID) []byte {
	b = AppendCompactList(b, TypeUUID, len(v))
	for _, x := range v {
		b = append(b, x[:]...)
	}
	return b
}

// AppendCompactStrings appends a list<string> or list<binary>.
func AppendCompactStrings[T string | []byte](b []byte, v []T) []byte {
	b = AppendCompactList(b, TypeString, len(v))
	for _, s := range v {
		b = AppendCompactString(b, s)
	}
	return b
}
