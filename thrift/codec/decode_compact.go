package codec

import (
	"math"
	"unsafe"
)

// The compact protocol: a field's head is one byte with its type and the
// distance to the field before, or three and more if that is over 15;
// numbers are varints in zigzag order; a bool field's value is in its head. See
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

// Strings, lists and maps of them are read as in decode_binary.go, by functions
// that differ in the protocol of what they call. They are not shared: a func
// value would be an indirect call for each string.

// uvarint reads a varint of at most 64 bits at i, byte by byte.
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

// varint64 reads a number.
func varint64(b []byte, i int) (int64, int) {
	u, i := fastUvarint(b, i)
	return zigzag(u), i
}

// varint32 reads a number. One that takes more than 32 bits is wrong.
func varint32(b []byte, i int) (int32, int) {
	u, next := fastUvarint(b, i)
	if u > math.MaxUint32 {
		return 0, ^i
	}
	return int32(zigzag(u)), next
}

// varint16 reads a number. One that takes more than 16 bits is wrong.
func varint16(b []byte, i int) (int16, int) {
	u, next := fastUvarint(b, i)
	if u > math.MaxUint16 {
		return 0, ^i
	}
	return int16(zigzag(u)), next
}

// CompactI64 reads a number into the place it is given.
//
//go:noinline
func (d *Decoder) CompactI64(i int, to *int64) int {
	*to, i = varint64(d.buf, i)
	return i
}

// CompactI32 reads a number or an enum.
//
//go:noinline
func (d *Decoder) CompactI32(i int, to *int32) int {
	*to, i = varint32(d.buf, i)
	return i
}

// CompactI16 reads a number.
//
//go:noinline
func (d *Decoder) CompactI16(i int, to *int16) int {
	*to, i = varint16(d.buf, i)
	return i
}

// CompactI8 reads a byte.
//
//go:noinline
func (d *Decoder) CompactI8(i int, to *int8) int {
	if i >= len(d.buf) {
		return ^i
	}
	*to = int8(d.buf[i])
	return i + 1
}

// CompactBool reads a bool that is an element. 1 is true; 2 and, in some
// old writers, 0 are false.
//
//go:noinline
func (d *Decoder) CompactBool(i int, to *bool) int {
	if i >= len(d.buf) {
		return ^i
	}
	*to = d.buf[i] == compactTrue
	return i + 1
}

// CompactDouble reads a floating-point number, which is little-endian here.
//
//go:noinline
func (d *Decoder) CompactDouble(i int, to *float64) int {
	if len(d.buf)-i < 8 {
		return ^i
	}
	*to = d.LoadDoubleLE(i)
	return i + 8
}

// CompactUUID reads a UUID.
//
//go:noinline
func (d *Decoder) CompactUUID(i int, to *UUID) int {
	if len(d.buf)-i < 16 {
		return ^i
	}
	*to = d.LoadUUID(i)
	return i + 16
}

// CompactField reads the head of a field at i. before is the key of the
// field before, 0 for the first. A key is the field's number shifted left by
// four bits, with the type below; it is 0 at the end of a struct, and where
// there is no head.
//
//go:noinline
func (d *Decoder) CompactField(i, before int) (key, next int) { return compactField(d.buf, i, before) }

func compactField(b []byte, i, before int) (key, next int) {
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
	id, next := varint16(b, i)
	if next < 0 {
		return 0, next // nobody may take the position for one
	}
	return int(id)<<4 | c&15, next
}

// CompactNext reports whether the head at i, which may be negative, is that single byte.
func (d *Decoder) CompactNext(i int, head byte) bool {
	return uint(i) < uint(len(d.buf)) && d.buf[i] == head
}

// compactLength reads the length of a string or container.
func compactLength(b []byte, i int) (n, next int) {
	u, next := fastUvarint(b, i)
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
func (d *Decoder) CompactList(i int, elem Type) (n, next int) {
	t, n, next := compactListHead(d.buf, i)
	if next < 0 {
		return 0, next
	}
	if n != 0 && (t != elem || n > d.limits.Container || uint64(n)*uint64(leastCompact[elem]) > uint64(len(d.buf)-next)) {
		return 0, ^i
	}
	return n, next
}

// CompactMap reads the head of a map, as [Decoder.BinaryMap] does.
func (d *Decoder) CompactMap(i int, key, value Type) (n, next int) {
	k, v, n, next := compactMapHead(d.buf, i)
	if next < 0 {
		return 0, next
	}
	if n != 0 && (k != key || v != value || n > d.limits.Container ||
		uint64(n)*uint64(leastCompact[key]+leastCompact[value]) > uint64(len(d.buf)-next)) {
		return 0, ^i
	}
	return n, next
}

// CompactString reads a string.
func (d *Decoder) CompactString(i int, to *string) int {
	n, i := compactLength(d.buf, i)
	if i < 0 {
		return i
	}
	return d.string(i, n, to)
}

// string is longString with a way of its own for short ones.
func (d *Decoder) string(i, n int, to *string) int {
	if uint(n-1) < d.short && len(d.buf)-i >= 2*short && d.used < d.most {
		*(*header)(unsafe.Pointer(to)) = header{d.shortText(i, n), n}
		return i + n
	}
	return d.longString(i, n, to)
}

// CompactStringPtr reads a string for an optional field.
//
//go:noinline
func (d *Decoder) CompactStringPtr(i int, to **string) int {
	s := d.newString()
	if i = d.CompactString(i, s); i >= 0 {
		*to = s
	}
	return i
}

// CompactBytes reads a binary.
func (d *Decoder) CompactBytes(i int, to *[]byte, old []byte) int {
	n, i := compactLength(d.buf, i)
	if i < 0 {
		return i
	}
	if n > len(d.buf)-i || n > d.limits.String {
		return ^i
	}
	*to = d.bytes(i, n, old)
	return i + n
}

// CompactI8s reads a list<i8>.
func (d *Decoder) CompactI8s(i int, to *[]int8, old []int8) int {
	n, i := d.CompactList(i, TypeI8)
	if i < 0 {
		return i
	}
	*to = d.int8s(i, n, old)
	return i + n
}

// CompactBools reads a list<bool>.
func (d *Decoder) CompactBools(i int, to *[]bool, old []bool) int {
	n, i := d.CompactList(i, TypeBool)
	if i < 0 {
		return i
	}
	v := numbers(d, n, old)
	for k, c := range d.buf[i : i+n] {
		v[k] = c == compactTrue
	}
	*to = v
	return i + n
}

// varints reads n varints at i, which may take as little as a byte each, so
// that not all of their memory may be paid for yet.
func varints[T any](d *Decoder, i, n int, to *[]T, old []T, read func(b []byte, i int) (T, int)) int {
	v := old
	if cap(v) >= n {
		v = numbers(d, n, v)
	} else {
		v = numbers(d, d.Afford(n, int(unsafe.Sizeof(*new(T)))), v)
	}
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = MoreSlots(d, v, n); v == nil {
				return ^i
			}
		}
		if v[k], i = read(d.buf, i); i < 0 {
			return i
		}
	}
	*to = v
	return i
}

// CompactI16s reads a list<i16>.
func (d *Decoder) CompactI16s(i int, to *[]int16, old []int16) int {
	n, i := d.CompactList(i, TypeI16)
	if i < 0 {
		return i
	}
	return varints(d, i, n, to, old, varint16)
}

// CompactI32s reads a list<i32> or a list of an enum.
func CompactI32s[T ~int32](d *Decoder, i int, to *[]T, old []T) int {
	return d.compactI32s(i, (*[]int32)(unsafe.Pointer(to)), unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(old))), cap(old)))
}

func (d *Decoder) compactI32s(i int, to *[]int32, old []int32) int {
	n, i := d.CompactList(i, TypeI32)
	if i < 0 {
		return i
	}
	return varints(d, i, n, to, old, varint32)
}

// CompactI64s reads a list<i64>.
func (d *Decoder) CompactI64s(i int, to *[]int64, old []int64) int {
	n, i := d.CompactList(i, TypeI64)
	if i < 0 {
		return i
	}
	return varints(d, i, n, to, old, varint64)
}

// CompactDoubles reads a list<double>.
func (d *Decoder) CompactDoubles(i int, to *[]float64, old []float64) int {
	n, i := d.CompactList(i, TypeDouble)
	if i < 0 {
		return i
	}
	v := numbers(d, n, old)
	for k := range v {
		v[k] = d.LoadDoubleLE(i)
		i += 8
	}
	*to = v
	return i
}

// CompactUUIDs reads a list<uuid>.
func (d *Decoder) CompactUUIDs(i int, to *[]UUID, old []UUID) int {
	n, i := d.CompactList(i, TypeUUID)
	if i < 0 {
		return i
	}
	v := numbers(d, n, old)
	if n > 0 { // else the pointer would be behind the input
		copy(v, unsafe.Slice((*UUID)(at(d.buf, i)), n))
	}
	*to = v
	return i + 16*n
}

// CompactStrings reads a list<string>.
func (d *Decoder) CompactStrings(i int, to *[]string, old []string) int {
	n, i := d.CompactList(i, TypeString)
	if i < 0 {
		return i
	}
	v := d.stringSlots(old, n)
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = MoreSlots(d, v, n); v == nil {
				return ^i
			}
		}
		if i = d.CompactString(i, &v[k]); i < 0 {
			return i
		}
	}
	*to = v
	return i
}

// CompactBinaries reads a list<binary>.
func (d *Decoder) CompactBinaries(i int, to *[][]byte, old [][]byte) int {
	n, i := d.CompactList(i, TypeString)
	if i < 0 {
		return i
	}
	v := Slots(d, old, n)
	for k := 0; k < n; k++ {
		if k == len(v) {
			if v = MoreSlots(d, v, n); v == nil {
				return ^i
			}
		}
		if i = d.CompactBytes(i, &v[k], v[k]); i < 0 {
			return i
		}
	}
	*to = v
	return i
}

// CompactStringMap reads a map<string, string>.
func (d *Decoder) CompactStringMap(i int, to *map[string]string, old map[string]string) int {
	n, i := d.CompactMap(i, TypeString, TypeString)
	if i < 0 {
		return i
	}
	v := d.stringMap(n, old)
	if v == nil {
		return ^i
	}
	*to = v
	for range n {
		var key, value string
		if i = d.CompactString(i, &key); i < 0 {
			return i
		}
		if i = d.CompactString(i, &value); i < 0 {
			return i
		}
		v[key] = value
	}
	return i
}

// CompactKey reads a binary that is the key of a Go map.
//
//go:noinline
func (d *Decoder) CompactKey(i int, to *string) int {
	utf8 := d.utf8
	d.utf8 = false
	i = d.CompactString(i, to)
	d.utf8 = utf8
	return i
}
