package thrift

import (
	"math"
	"unsafe"
)

// The compact protocol: a field's head is one byte with its type and the
// distance to the field before, or three and more if that is over 15;
// numbers are varints in zigzag order; a bool field's value is in its head. See
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

// Uvarint reads a varint of at most 64 bits at i.
func Uvarint(b []byte, i int) (uint64, int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return uvarint(b, i)
}

func uvarint(b []byte, i int) (uint64, int) {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		if i >= len(b) {
			return 0, ^i
		}
		c := b[i]
		i++
		if c < 0x80 {
			if shift == 63 && c > 1 {
				break
			}
			return v | uint64(c)<<shift, i
		}
		v |= uint64(c&0x7F) << shift
	}
	return 0, ^(i - 1)
}

func zigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// CompactI64 reads a number.
func CompactI64(b []byte, i int) (int64, int) {
	u, i := Uvarint(b, i)
	return zigzag(u), i
}

// CompactI32 reads a number. One that takes more than 32 bits is wrong.
func CompactI32(b []byte, i int) (int32, int) {
	u, next := Uvarint(b, i)
	if u > math.MaxUint32 {
		return 0, ^i
	}
	return int32(zigzag(u)), next
}

// CompactI16 reads a number. One that takes more than 16 bits is wrong.
func CompactI16(b []byte, i int) (int16, int) {
	u, next := Uvarint(b, i)
	if u > math.MaxUint16 {
		return 0, ^i
	}
	return int16(zigzag(u)), next
}

// CompactI8 reads a byte.
func CompactI8(b []byte, i int) (int8, int) {
	if i >= len(b) {
		return 0, ^i
	}
	return int8(b[i]), i + 1
}

// CompactBool reads a bool that is an element. 1 is true; 2 and, in some
// old writers, 0 are false.
func CompactBool(b []byte, i int) (bool, int) {
	if i >= len(b) {
		return false, ^i
	}
	return b[i] == compactTrue, i + 1
}

// CompactDouble reads a floating-point number, which is little-endian here.
func CompactDouble(b []byte, i int) (float64, int) {
	if len(b)-i < 8 {
		return 0, ^i
	}
	return LoadDoubleLE(b, i), i + 8
}

// CompactUUID reads a UUID.
func CompactUUID(b []byte, i int) (UUID, int) {
	if len(b)-i < 16 {
		return UUID{}, ^i
	}
	return LoadUUID(b, i), i + 16
}

// CompactField reads the head of a field at i. before is the key of the
// field before, 0 for the first. A key is the field's number shifted left by
// four bits, with the type below; it is 0 at the end of a struct.
func CompactField(b []byte, i int, before int) (key, next int) {
	if i >= len(b) {
		return 0, ^i
	}
	c := int(b[i])
	i++
	if c>>4 != 0 && c&15 != 0 {
		return int(int16(before>>4+c>>4))<<4 | c&15, i
	}
	if c&15 == 0 {
		return 0, i
	}
	id, next := CompactI16(b, i)
	return int(id)<<4 | c&15, next
}

// compactLength reads the length of a string or container.
func compactLength(b []byte, i int) (n, next int) {
	u, next := Uvarint(b, i)
	if u > math.MaxInt32 {
		return 0, ^i
	}
	return int(u), next
}

func compactListHead(b []byte, i int) (elem Type, n, next int) {
	if i >= len(b) {
		return 0, 0, ^i
	}
	elem, n = fromCompact[b[i]&15], int(b[i]>>4)
	i++
	if n == 15 {
		n, i = compactLength(b, i)
	}
	return elem, n, i
}

func compactMapHead(b []byte, i int) (key, value Type, n, next int) {
	n, i = compactLength(b, i)
	if i < 0 || n == 0 {
		return 0, 0, 0, i
	}
	if i >= len(b) {
		return 0, 0, 0, ^i
	}
	return fromCompact[b[i]>>4], fromCompact[b[i]&15], n, i + 1
}

// CompactList reads the head of a list or set, as [Decoder.BinaryList] does.
func (d *Decoder) CompactList(b []byte, i int, elem Type) (n, next int) {
	t, n, next := compactListHead(b, i)
	if next < 0 {
		return 0, next
	}
	if n != 0 && (t != elem || n > d.container || n > (len(b)-next)/int(leastCompact[elem])) {
		return 0, ^i
	}
	return n, next
}

// CompactMap reads the head of a map, as [Decoder.BinaryMap] does.
func (d *Decoder) CompactMap(b []byte, i int, key, value Type) (n, next int) {
	k, v, n, next := compactMapHead(b, i)
	if next < 0 {
		return 0, next
	}
	if n != 0 && (k != key || v != value || n > d.container ||
		n > (len(b)-next)/int(leastCompact[key]+leastCompact[value])) {
		return 0, ^i
	}
	return n, next
}

// CompactString reads a string.
func (d *Decoder) CompactString(b []byte, i int) (string, int) {
	n, i := compactLength(b, i)
	if i < 0 {
		return "", i
	}
	if n > len(b)-i {
		return "", ^i
	}
	return d.str(b, i, n)
}

// CompactStringPtr reads a string for an optional field.
func (d *Decoder) CompactStringPtr(b []byte, i int) (*string, int) {
	s, i := d.CompactString(b, i)
	if i < 0 {
		return nil, i
	}
	return &s, i
}

// CompactBytes reads a binary, as [Decoder.BinaryBytes] does.
func (d *Decoder) CompactBytes(b []byte, i int, old []byte) ([]byte, int) {
	n, i := compactLength(b, i)
	if i < 0 {
		return old, i
	}
	if n > len(b)-i || n > d.text {
		return old, ^i
	}
	return d.bytes(b, i, n, old), i + n
}

// CompactI8s reads a list<i8>.
func (d *Decoder) CompactI8s(b []byte, i int, old []int8) ([]int8, int) {
	n, i := d.CompactList(b, i, TypeI8)
	if i < 0 {
		return old, i
	}
	return d.int8s(b, i, n, old), i + n
}

// CompactBools reads a list<bool>.
func (d *Decoder) CompactBools(b []byte, i int, old []bool) ([]bool, int) {
	n, i := d.CompactList(b, i, TypeBool)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	for k, c := range b[i : i+n] {
		v[k] = c == compactTrue
	}
	return v, i + n
}

// compactNumbers is room for n numbers that may take as little as a byte
// each on the wire, so that not all of it may be paid for yet.
func compactNumbers[T any](d *Decoder, n, left int, old []T) []T {
	if cap(old) >= n {
		return numbers(d, n, left, old)
	}
	return numbers(d, d.Afford(n, int(unsafe.Sizeof(*new(T)))), left, old)
}

// CompactI16s reads a list<i16>.
func (d *Decoder) CompactI16s(b []byte, i int, old []int16) ([]int16, int) {
	n, i := d.CompactList(b, i, TypeI16)
	if i < 0 {
		return old, i
	}
	v := compactNumbers(d, n, len(b)-i, old)
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = moreSlots(d, v, n); v == nil {
				return old, ^i
			}
		}
		if v[k], i = CompactI16(b, i); i < 0 {
			return old, i
		}
	}
	return v, i
}

// CompactI32s reads a list<i32> or a list of an enum.
func CompactI32s[T ~int32](d *Decoder, b []byte, i int, old []T) ([]T, int) {
	n, i := d.CompactList(b, i, TypeI32)
	if i < 0 {
		return old, i
	}
	v := compactNumbers(d, n, len(b)-i, old)
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = moreSlots(d, v, n); v == nil {
				return old, ^i
			}
		}
		var x int32
		if x, i = CompactI32(b, i); i < 0 {
			return old, i
		}
		v[k] = T(x)
	}
	return v, i
}

// CompactI64s reads a list<i64>.
func (d *Decoder) CompactI64s(b []byte, i int, old []int64) ([]int64, int) {
	n, i := d.CompactList(b, i, TypeI64)
	if i < 0 {
		return old, i
	}
	v := compactNumbers(d, n, len(b)-i, old)
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = moreSlots(d, v, n); v == nil {
				return old, ^i
			}
		}
		u, next := Uvarint(b, i)
		if next < 0 {
			return old, next
		}
		v[k], i = zigzag(u), next
	}
	return v, i
}

// CompactDoubles reads a list<double>.
func (d *Decoder) CompactDoubles(b []byte, i int, old []float64) ([]float64, int) {
	n, i := d.CompactList(b, i, TypeDouble)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	for k := range v {
		v[k] = LoadDoubleLE(b, i)
		i += 8
	}
	return v, i
}

// CompactUUIDs reads a list<uuid>.
func (d *Decoder) CompactUUIDs(b []byte, i int, old []UUID) ([]UUID, int) {
	n, i := d.CompactList(b, i, TypeUUID)
	if i < 0 {
		return old, i
	}
	v := numbers(d, n, len(b)-i, old)
	copy(v, unsafe.Slice((*UUID)(at(b, i)), n))
	return v, i + 16*n
}

// CompactStrings reads a list<string>.
func (d *Decoder) CompactStrings(b []byte, i int, old []string) ([]string, int) {
	n, i := d.CompactList(b, i, TypeString)
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
		if v[k], i = d.CompactString(b, i); i < 0 {
			return old, i
		}
	}
	return v, i
}

// CompactBinaries reads a list<binary>.
func (d *Decoder) CompactBinaries(b []byte, i int, old [][]byte) ([][]byte, int) {
	n, i := d.CompactList(b, i, TypeString)
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
		if v[k], i = d.CompactBytes(b, i, v[k]); i < 0 {
			return old, i
		}
	}
	return v, i
}
