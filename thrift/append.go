package thrift

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/seamgo/seam/thrift/internal/swap"
)

// Extend makes b longer by n bytes, whose contents are undefined.
func Extend(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		b = grow(b, n)
	}
	return b[: len(b)+n : cap(b)]
}

//go:noinline
func grow(b []byte, n int) []byte { return slices.Grow(b, n) }

// Byte is 1 for true and 0 for false.
func Byte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// AppendBinaryString appends a string or binary with its length.
func AppendBinaryString[T string | []byte](b []byte, s T) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// AppendBinaryList appends the head of a list or set of n elements.
func AppendBinaryList(b []byte, elem Type, n int) []byte {
	return append(b, byte(elem), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// AppendBinaryMap appends the head of a map of n pairs.
func AppendBinaryMap(b []byte, key, value Type, n int) []byte {
	return append(b, byte(key), byte(value), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// bulk appends the head of a list of n elements of size bytes and gives the
// place for them. Its cost is that of one growth.
func bulk(b []byte, elem Type, n, size int) ([]byte, unsafe.Pointer) {
	at := len(b)
	b = Extend(b, 5+n*size)
	b[at] = byte(elem)
	binary.BigEndian.PutUint32(b[at+1:], uint32(n))
	return b, unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), at+5)
}

// AppendBinaryBools appends a list<bool>.
func AppendBinaryBools(b []byte, v []bool) []byte {
	b, to := bulk(b, TypeBool, len(v), 1)
	copy(unsafe.Slice((*bool)(to), len(v)), v)
	return b
}

// AppendBinaryI8s appends a list<i8>.
func AppendBinaryI8s(b []byte, v []int8) []byte {
	b, to := bulk(b, TypeI8, len(v), 1)
	copy(unsafe.Slice((*int8)(to), len(v)), v)
	return b
}

// AppendBinaryI16s appends a list<i16>.
func AppendBinaryI16s(b []byte, v []int16) []byte {
	b, to := bulk(b, TypeI16, len(v), 2)
	swap.Copy16(to, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryI32s appends a list<i32> or a list of an enum.
func AppendBinaryI32s[T ~int32](b []byte, v []T) []byte {
	b, to := bulk(b, TypeI32, len(v), 4)
	swap.Copy32(to, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryI64s appends a list<i64>.
func AppendBinaryI64s(b []byte, v []int64) []byte {
	b, to := bulk(b, TypeI64, len(v), 8)
	swap.Copy64(to, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryDoubles appends a list<double>.
func AppendBinaryDoubles(b []byte, v []float64) []byte {
	b, to := bulk(b, TypeDouble, len(v), 8)
	swap.Copy64(to, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryUUIDs appends a list<uuid>.
func AppendBinaryUUIDs(b []byte, v []UUID) []byte {
	b, to := bulk(b, TypeUUID, len(v), 16)
	copy(unsafe.Slice((*UUID)(to), len(v)), v)
	return b
}

// AppendBinaryStrings appends a list<string> or list<binary>.
func AppendBinaryStrings[T string | []byte](b []byte, v []T) []byte {
	b = AppendBinaryList(b, TypeString, len(v))
	for _, s := range v {
		b = AppendBinaryString(b, s)
	}
	return b
}

// TooLong tells whether a message of n bytes may hold a string or container
// that is longer than the wire's 32 bits can say.
func TooLong(n int) bool { return n > math.MaxInt32 }
