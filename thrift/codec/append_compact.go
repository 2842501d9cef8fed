package codec

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// appendUvarint appends a varint.
func appendUvarint(b []byte, u uint64) []byte {
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}

// opened appends the head of a field in the compact protocol, if there is one.
func opened(b []byte, head byte) []byte {
	if head != 0 {
		b = append(b, head)
	}
	return b
}

// AppendCompactI64 appends a number in zigzag order, in which small negative
// ones are short too.
//
//go:noinline
func AppendCompactI64(b []byte, head byte, v int64) []byte {
	return appendUvarint(opened(b, head), uint64(v<<1)^uint64(v>>63))
}

// AppendCompactI32 appends an i16, an i32 or an enum.
//
//go:noinline
func AppendCompactI32(b []byte, head byte, v int32) []byte {
	return appendUvarint(opened(b, head), uint64(uint32(v<<1)^uint32(v>>31)))
}

// AppendCompactBool appends a bool that is an element.
func AppendCompactBool(b []byte, v bool) []byte {
	return append(b, compactFalse-Byte(v))
}

// AppendCompactDouble appends a floating-point number.
//
//go:noinline
func AppendCompactDouble(b []byte, head byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(opened(b, head), math.Float64bits(v))
}

// AppendCompactUUID appends a UUID.
//
//go:noinline
func AppendCompactUUID(b []byte, head byte, v *UUID) []byte {
	return append(opened(b, head), v[:]...)
}

// AppendCompactString appends a string with its length.
//
//go:noinline
func AppendCompactString(b []byte, head byte, s string) []byte {
	return append(appendUvarint(opened(b, head), uint64(len(s))), s...)
}

// AppendCompactStringRun appends n strings that are fields: the first with that head.
//
//go:noinline
func AppendCompactStringRun(b []byte, head byte, first *string, n int) []byte {
	for _, s := range unsafe.Slice(first, n) {
		b = AppendCompactString(b, head, s)
		head = nextString
	}
	return b
}

// nextString is the head of a string that is the field after the one before.
const nextString = 1<<4 | 8

// AppendCompactBytes appends a binary with its length.
//
//go:noinline
func AppendCompactBytes(b []byte, head byte, s []byte) []byte {
	return append(appendUvarint(opened(b, head), uint64(len(s))), s...)
}

// AppendCompactField appends the head of field id with a compact type, when
// before is the number of the field before.
//
//go:noinline
func AppendCompactField(b []byte, before, id int, t byte) []byte {
	if d := id - before; d > 0 && d < 16 {
		return append(b, byte(d)<<4|t)
	}
	return AppendCompactI32(b, t, int32(id))
}

// AppendCompactList appends the head of a list or set of n elements.
//
//go:noinline
func AppendCompactList(b []byte, head byte, elem Type, n int) []byte {
	b = opened(b, head)
	if n < 15 {
		return append(b, byte(n)<<4|toCompact[elem])
	}
	return appendUvarint(append(b, 0xF0|toCompact[elem]), uint64(n))
}

// AppendCompactMap appends the head of a map of n pairs.
//
//go:noinline
func AppendCompactMap(b []byte, head byte, key, value Type, n int) []byte {
	b = opened(b, head)
	if n == 0 {
		return append(b, 0)
	}
	return append(appendUvarint(b, uint64(n)), toCompact[key]<<4|toCompact[value])
}

// AppendCompactBools appends a list<bool>.
func AppendCompactBools(b []byte, head byte, v []bool) []byte {
	b = AppendCompactList(b, head, TypeBool, len(v))
	for _, x := range v {
		b = AppendCompactBool(b, x)
	}
	return b
}

// AppendCompactI8s appends a list<i8>.
func AppendCompactI8s(b []byte, head byte, v []int8) []byte {
	b = Extend(AppendCompactList(b, head, TypeI8, len(v)), len(v))
	to := b[len(b)-len(v):]
	for k, x := range v {
		to[k] = byte(x)
	}
	return b
}

// AppendCompactI16s appends a list<i16>.
func AppendCompactI16s(b []byte, head byte, v []int16) []byte {
	b = AppendCompactList(b, head, TypeI16, len(v))
	return appendZigzags(b, v)
}

// AppendCompactI32s appends a list<i32> or a list of an enum.
func AppendCompactI32s[T ~int32](b []byte, head byte, v []T) []byte {
	return appendCompactI32s(b, head, unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(v))), len(v)))
}

func appendCompactI32s(b []byte, head byte, v []int32) []byte {
	b = AppendCompactList(b, head, TypeI32, len(v))
	return appendZigzags(b, v)
}

// AppendCompactI64s appends a list<i64>.
func AppendCompactI64s(b []byte, head byte, v []int64) []byte {
	b = AppendCompactList(b, head, TypeI64, len(v))
	return appendZigzags(b, v)
}

// AppendCompactDoubles appends a list<double>.
func AppendCompactDoubles(b []byte, head byte, v []float64) []byte {
	b = AppendCompactList(b, head, TypeDouble, len(v))
	for _, x := range v {
		b = AppendCompactDouble(b, 0, x)
	}
	return b
}

// AppendCompactUUIDs appends a list<uuid>.
func AppendCompactUUIDs(b []byte, head byte, v []UUID) []byte {
	b = AppendCompactList(b, head, TypeUUID, len(v))
	for k := range v {
		b = append(b, v[k][:]...)
	}
	return b
}

// AppendCompactStrings appends a list<string>.
func AppendCompactStrings(b []byte, head byte, v []string) []byte {
	b = AppendCompactList(b, head, TypeString, len(v))
	for _, s := range v {
		b = AppendCompactString(b, 0, s)
	}
	return b
}

// AppendCompactBinaries appends a list<binary>.
func AppendCompactBinaries(b []byte, head byte, v [][]byte) []byte {
	b = AppendCompactList(b, head, TypeString, len(v))
	for _, s := range v {
		b = AppendCompactBytes(b, 0, s)
	}
	return b
}

// AppendCompactStringMap appends a map<string, string>.
func AppendCompactStringMap(b []byte, head byte, v map[string]string) []byte {
	b = AppendCompactMap(b, head, TypeString, TypeString, len(v))
	for k, s := range v {
		b = AppendCompactString(AppendCompactString(b, 0, k), 0, s)
	}
	return b
}
