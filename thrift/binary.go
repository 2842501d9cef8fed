package thrift

import (
	"encoding/binary"
	"unsafe"

	"github.com/seamgo/seam/thrift/internal/swap"
)

// The binary protocol: a field is its type, its number in two bytes and its
// value; numbers are big-endian; strings and containers begin with their
// length in four bytes, behind the types of a container's elements; a struct
// ends with a zero byte. See
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md

// BinaryField reads the head of a field at i: its type in bits 16 to 23 and
// its number below. A result under 1<<16 is the end of a struct, which takes
// one byte where a field's head takes three; endOfInput is that there is
// none.
func BinaryField(b []byte, i int) uint32 {
	if len(b)-i >= 4 {
		return binary.BigEndian.Uint32((*[4]byte)(at(b, i))[:]) >> 8
	}
	return lastField(b, i)
}

// EndOfInput is what [BinaryField] gives when the input ends in the middle
// of a struct.
const EndOfInput = 0xFF << 24

func lastField(b []byte, i int) uint32 {
	switch {
	case i < len(b) && b[i] == 0:
		return 0
	case len(b)-i >= 3:
		return uint32(b[i])<<16 | uint32(b[i+1])<<8 | uint32(b[i+2])
	}
	return EndOfInput
}

// BinaryString reads a string.
func (d *Decoder) BinaryString(b []byte, i int) (string, int) {
	if len(b)-i < 4 {
		return "", ^i
	}
	n := int(uint32(Load32(b, i)))
	i += 4
	if uint(n) > uint(len(b)-i) { // n is negative where int has 32 bits
		return "", ^i
	}
	return d.str(b, i, n)
}

// BinaryStringPtr reads a string for an optional field.
func (d *Decoder) BinaryStringPtr(b []byte, i int) (*string, int) {
	s, i := d.BinaryString(b, i)
	if i < 0 {
		return nil, i
	}
	return &s, i
}

// BinaryBytes reads a binary into old if that is large enough. The result is
// not nil, however short it is.
func (d *Decoder) BinaryBytes(b []byte, i int, old []byte) ([]byte, int) {
	if len(b)-i < 4 {
		return old, ^i
	}
	n := int(uint32(Load32(b, i)))
	i += 4
	if uint(n) > uint(len(b)-i) || n > d.text {
		return old, ^i
	}
	return d.bytes(b, i, n, old), i + n
}

func (d *Decoder) bytes(b []byte, i, n int, old []byte) []byte {
	switch {
	case n == 0 && (d.views || old == nil):
		return []byte{}
	case !d.views && cap(old) >= n:
		old = old[:n]
		copy(old, b[i:])
		return old
	}
	return unsafe.Slice((*byte)(d.keep(b, i, n)), n)
}

// BinaryList reads the head of a list or set of elements of a type and gives
// their number, of which the rest of the input is long enough to hold all.
func (d *Decoder) BinaryList(b []byte, i int, elem Type) (n, next int) {
	if len(b)-i < 5 {
		return 0, ^i
	}
	n = int(uint32(Load32(b, i+1)))
	i += 5
	if n != 0 && (Type(b[i-5]) != elem || uint(n) > uint(d.container) || n > (len(b)-i)/int(least[elem])) {
		return 0, ^(i - 5)
	}
	return n, i
}

// BinaryMap reads the head of a map and gives the number of its pairs, of
// which the rest of the input is long enough to hold all.
func (d *Decoder) BinaryMap(b []byte, i int, key, value Type) (n, next int) {
	if len(b)-i < 6 {
		return 0, ^i
	}
	n = int(uint32(Load32(b, i+2)))
	i += 6
	if n != 0 && (Type(b[i-6]) != key || Type(b[i-5]) != value || uint(n) > uint(d.container) ||
		n > (len(b)-i)/int(least[key]+least[value])) {
		return 0, ^(i - 6)
	}
	return n, i
}

// Numbers is room for n numbers, in old if that is large enough. What is in
// it is undefined, but that there is none is not nil.
func numbers[T any](d *Decoder, n, left int, old []T) []T {
	if n == 0 {
		if old == nil {
			return []T{}
		}
		return old[:0]
	}
	if cap(old) >= n {
		return old[:n]
	}
	return unsafe.Slice((*T)(d.take(n*int(unsafe.Sizeof(*new(T))), left)), n)
}

// BinaryBools reads a list<bool>.
func (d *Decoder) BinaryBools(b []byte, i int, old []bool) ([]bool, int) {
	n, i := d.BinaryList(b, i, TypeBool)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	swap.Bools(unsafe.Pointer(unsafe.SliceData(v)), at(b, i), n)
	return v, i + n
}

// BinaryI8s reads a list<i8>.
func (d *Decoder) BinaryI8s(b []byte, i int, old []int8) ([]int8, int) {
	n, i := d.BinaryList(b, i, TypeI8)
	if i < 0 {
		return old, i
	}
	return d.int8s(b, i, n, old), i + n
}

func (d *Decoder) int8s(b []byte, i, n int, old []int8) []int8 {
	v := d.bytes(b, i, n, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(old))), cap(old)))
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// BinaryI16s reads a list<i16>.
func (d *Decoder) BinaryI16s(b []byte, i int, old []int16) ([]int16, int) {
	n, i := d.BinaryList(b, i, TypeI16)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	swap.Copy16(unsafe.Pointer(unsafe.SliceData(v)), at(b, i), n)
	return v, i + 2*n
}

// BinaryI32s reads a list<i32> or a list of an enum.
func BinaryI32s[T ~int32](d *Decoder, b []byte, i int, old []T) ([]T, int) {
	n, i := d.BinaryList(b, i, TypeI32)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	swap.Copy32(unsafe.Pointer(unsafe.SliceData(v)), at(b, i), n)
	return v, i + 4*n
}

// BinaryI64s reads a list<i64>.
func (d *Decoder) BinaryI64s(b []byte, i int, old []int64) ([]int64, int) {
	n, i := d.BinaryList(b, i, TypeI64)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	swap.Copy64(unsafe.Pointer(unsafe.SliceData(v)), at(b, i), n)
	return v, i + 8*n
}

// BinaryDoubles reads a list<double>.
func (d *Decoder) BinaryDoubles(b []byte, i int, old []float64) ([]float64, int) {
	n, i := d.BinaryList(b, i, TypeDouble)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	swap.Copy64(unsafe.Pointer(unsafe.SliceData(v)), at(b, i), n)
	return v, i + 8*n
}

// BinaryUUIDs reads a list<uuid>.
func (d *Decoder) BinaryUUIDs(b []byte, i int, old []UUID) ([]UUID, int) {
	n, i := d.BinaryList(b, i, TypeUUID)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	copy(v, unsafe.Slice((*UUID)(at(b, i)), n))
	return v, i + 16*n
}

// BinaryStrings reads a list<string>.
func (d *Decoder) BinaryStrings(b []byte, i int, old []string) ([]string, int) {
	n, i := d.BinaryList(b, i, TypeString)
	if i < 0 {
		return old, i
	}
	v := slots(d, n, old)
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = moreSlots(d, v, n); v == nil {
				return old, ^i
			}
		}
		if v[k], i = d.BinaryString(b, i); i < 0 {
			return old, i
		}
	}
	return v, i
}

// Slots is a list to decode elements into: of n or, where the input has not
// proven that many, fewer.
func slots[T any](d *Decoder, n int, old []T) []T {
	if cap(old) >= n && old != nil {
		return old[:n]
	}
	return make([]T, d.Afford(n, int(unsafe.Sizeof(*new(T)))))
}

func moreSlots[T any](d *Decoder, v []T, n int) []T {
	c := d.More(len(v), n, int(unsafe.Sizeof(*new(T))))
	if c == 0 {
		return nil
	}
	longer := make([]T, c)
	copy(longer, v)
	return longer
}

// Slots is room for the n elements of a list: all of them, those of old
// first, or as many as the input can pay for.
func Slots[T any](d *Decoder, old []T, n int) []T { return slots(d, n, old) }

// MoreSlots is a longer list than v, which is full, for a list of n. It is
// nil if the message may not take so much.
func MoreSlots[T any](d *Decoder, v []T, n int) []T { return moreSlots(d, v, n) }

// BinaryBinaries reads a list<binary>.
func (d *Decoder) BinaryBinaries(b []byte, i int, old [][]byte) ([][]byte, int) {
	n, i := d.BinaryList(b, i, TypeString)
	if i < 0 {
		return old, i
	}
	v := slots(d, n, old)
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = moreSlots(d, v, n); v == nil {
				return old, ^i
			}
		}
		if v[k], i = d.BinaryBytes(b, i, v[k]); i < 0 {
			return old, i
		}
	}
	return v, i
}
