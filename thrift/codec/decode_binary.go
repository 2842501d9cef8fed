package codec

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

// lastOf is BinaryField where little is left.
//
//go:noinline
func lastOf(d *Decoder, i int) uint32 { return lastField(d.buf, i) }

// longestField is how many bytes a field of fixed size takes at most, its head among them: a
// UUID is the longest.
const longestField = 3 + 16

// binaryField is BinaryField for bytes that no Decoder has.
func binaryField(b []byte, i int) uint32 {
	if len(b)-i >= longestField {
		return binary.BigEndian.Uint32((*[4]byte)(at(b, i))[:]) >> 8
	}
	return lastField(b, i)
}

// noField is a head that no field has.
const noField = 0xFF << 24

func lastField(b []byte, i int) uint32 {
	switch {
	case i < len(b) && b[i] == 0:
		return 0
	case len(b)-i < 3 || len(b)-i-3 < int(fixed[b[i]]):
		return noField
	}
	return uint32(b[i])<<16 | uint32(b[i+1])<<8 | uint32(b[i+2])
}

// The readers below read a value at i of the Decoder's input into the place
// that they are given, and give the position after it. They are calls, not
// inlined, because most of the code of a message would be theirs. The memory
// of old is used again if it is large enough. A list that is empty is not nil.

// BinaryString reads a string.
func (d *Decoder) BinaryString(i int, to *string) int {
	if uint(i) >= d.safe {
		return d.lastString(i, to)
	}
	n := int(uint32(load32(d.buf, i)))
	i += 4
	if uint(n-1) < d.short && d.used < d.most {
		*(*header)(unsafe.Pointer(to)) = header{d.shortText(i, n), n}
		return i + n
	}
	if uint(n-1) < d.viewed && n <= len(d.buf)-i {
		*(*header)(unsafe.Pointer(to)) = header{at(d.buf, i), n}
		return i + n
	}
	return d.longString(i, n, to)
}

// lastString is BinaryString where little is left, or nothing.
//
//go:noinline
func (d *Decoder) lastString(i int, to *string) int {
	if len(d.buf)-i < 4 {
		return ^i
	}
	return d.longString(i+4, int(uint32(load32(d.buf, i))), to)
}

// binaryText is BinaryString that gives the string. While the garbage collector marks, each string
// that is stored through a pointer is shown to it, on the stack too; what is returned isn't.
//
//go:noinline
func (d *Decoder) binaryText(i int) (s string, next int) {
	if uint(i) >= d.safe {
		next = d.lastString(i, &s)
		return s, next
	}
	n := int(uint32(load32(d.buf, i)))
	i += 4
	if uint(n-1) < d.short && d.used < d.most {
		return unsafe.String((*byte)(d.shortText(i, n)), n), i + n
	}
	if uint(n-1) < d.viewed && n <= len(d.buf)-i {
		return d.view(i, n), i + n
	}
	next = d.longString(i, n, &s)
	return s, next
}

// view is n bytes of the input as a string, where they are.
func (d *Decoder) view(i, n int) string { return unsafe.String((*byte)(at(d.buf, i)), n) }

// BinaryStringPtr reads a string for an optional field.
//
//go:noinline
func (d *Decoder) BinaryStringPtr(i int, to **string) int {
	s := d.newString()
	if i = d.BinaryString(i, s); i >= 0 {
		*to = s
	}
	return i
}

// BinaryBytes reads a binary.
func (d *Decoder) BinaryBytes(i int, to *[]byte, old []byte) int {
	if len(d.buf)-i < 4 {
		return ^i
	}
	n := int(uint32(load32(d.buf, i)))
	i += 4
	if uint(n) > uint(len(d.buf)-i) || n > d.limits.String {
		return ^i
	}
	*to = d.bytes(i, n, old)
	return i + n
}

func (d *Decoder) bytes(i, n int, old []byte) []byte {
	switch {
	case n == 0 && (d.views || old == nil):
		return []byte{}
	case !d.views && cap(old) >= n:
		old = old[:n]
		copy(old, d.buf[i:])
		return old
	}
	return unsafe.Slice((*byte)(d.keep(i, n)), n)
}

// BinaryList reads the head of a list or set of elements of a type and gives
// their number, of which the rest of the input is long enough to hold all.
//
//go:noinline
func (d *Decoder) BinaryList(i int, elem Type) (n, next int) {
	b := d.buf
	if len(b)-i < 5 {
		return 0, ^i
	}
	n = int(uint32(load32(b, i+1)))
	i += 5
	if n != 0 && (Type(b[i-5]) != elem || uint(n) > uint(d.limits.Container) || uint64(n)*uint64(least[elem]) > uint64(len(b)-i)) {
		return 0, ^(i - 5)
	}
	return n, i
}

// BinaryMap reads the head of a map and returns the number of its pairs, of
// which the rest of the input is long enough to hold all.
func (d *Decoder) BinaryMap(i int, key, value Type) (n, next int) {
	b := d.buf
	if len(b)-i < 6 {
		return 0, ^i
	}
	n = int(uint32(load32(b, i+2)))
	i += 6
	if n != 0 && (Type(b[i-6]) != key || Type(b[i-5]) != value || uint(n) > uint(d.limits.Container) ||
		uint64(n)*uint64(least[key]+least[value]) > uint64(len(b)-i)) {
		return 0, ^(i - 6)
	}
	return n, i
}

// numbers is room for n numbers, in old if that is large enough. What is in
// it is undefined.
func numbers[T any](d *Decoder, n int, old []T) []T {
	if n == 0 {
		if old == nil {
			return []T{}
		}
		return old[:0]
	}
	if cap(old) >= n {
		return old[:n]
	}
	size := n * int(unsafe.Sizeof(*new(T)))
	if d.room != nil {
		return unsafe.Slice((*T)(d.shared(size)), n)
	}
	return unsafe.Slice((*T)(d.take(size)), n)
}

// listOfNumbers reads the head of a list and makes room for its n numbers. If n
// is 0, as it is where next is negative, there must be no pointer to the first
// one: it may be past the input.
func listOfNumbers[T any](d *Decoder, i int, elem Type, to *[]T, old []T) (n, next int) {
	n, i = d.BinaryList(i, elem)
	if i >= 0 {
		*to = numbers(d, n, old)
	}
	return n, i
}

// mostRoom is the most that lists of numbers in a list share.
const mostRoom = 1 << 20

// BinaryRoom makes room for the numbers, of size bytes, of n lists that follow each other at i,
// have of which may be used again: large ones share one allocation, which takes less time than
// one each. What is wrong with the lists is for their readers to find out.
func (d *Decoder) BinaryRoom(i, n, have, size int) {
	all := 0
	for k := 0; k < n && len(d.buf)-i >= 5 && all <= mostRoom; k++ {
		count := int(uint32(load32(d.buf, i+1)))
		i += 5
		if uint64(uint32(count))*uint64(size) > uint64(len(d.buf)-i) {
			return
		}
		if k >= have {
			all += (count*size + 7) &^ 7
		}
		i += count * size
	}
	if all > chunk && all <= mostRoom {
		d.room = undefined(all)
	}
}

// shared cuts n bytes from the room of [Decoder.BinaryRoom], of which nothing stays for others:
// they would keep all of it.
func (d *Decoder) shared(n int) unsafe.Pointer {
	size := (n + 7) &^ 7
	if size > len(d.room) {
		d.room = nil
		return d.take(n)
	}
	p := unsafe.Pointer(unsafe.SliceData(d.room))
	if d.room = d.room[size:]; len(d.room) == 0 {
		d.room = nil // and not an address behind it
	}
	return p
}

// BinaryBools reads a list<bool>.
func (d *Decoder) BinaryBools(i int, to *[]bool, old []bool) int {
	n, i := listOfNumbers(d, i, TypeBool, to, old)
	if n > 0 {
		swap.Bools(unsafe.Pointer(unsafe.SliceData(*to)), at(d.buf, i), n)
	}
	return i + n
}

// BinaryI8s reads a list<i8>.
//
//go:noinline
func (d *Decoder) BinaryI8s(i int, to *[]int8, old []int8) int {
	n, i := d.BinaryList(i, TypeI8)
	if i < 0 {
		return i
	}
	*to = d.int8s(i, n, old)
	return i + n
}

func (d *Decoder) int8s(i, n int, old []int8) []int8 {
	v := d.bytes(i, n, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(old))), cap(old)))
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// BinaryI16s reads a list<i16>.
func (d *Decoder) BinaryI16s(i int, to *[]int16, old []int16) int {
	n, i := listOfNumbers(d, i, TypeI16, to, old)
	if n > 0 {
		swap.Copy16(unsafe.Pointer(unsafe.SliceData(*to)), at(d.buf, i), n)
	}
	return i + 2*n
}

// BinaryI32s reads a list<i32> or a list of an enum.
func BinaryI32s[T ~int32](d *Decoder, i int, to *[]T, old []T) int {
	return d.binaryI32s(i, (*[]int32)(unsafe.Pointer(to)), unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(old))), cap(old)))
}

// binaryI32s is for all of the types of BinaryI32s, which have the same
// memory.
func (d *Decoder) binaryI32s(i int, to *[]int32, old []int32) int {
	n, i := listOfNumbers(d, i, TypeI32, to, old)
	if n > 0 {
		swap.Copy32(unsafe.Pointer(unsafe.SliceData(*to)), at(d.buf, i), n)
	}
	return i + 4*n
}

// BinaryI64s reads a list<i64>.
func (d *Decoder) BinaryI64s(i int, to *[]int64, old []int64) int {
	n, i := listOfNumbers(d, i, TypeI64, to, old)
	if n > 0 {
		swap.Copy64(unsafe.Pointer(unsafe.SliceData(*to)), at(d.buf, i), n)
	}
	return i + 8*n
}

// BinaryDoubles reads a list<double>.
func (d *Decoder) BinaryDoubles(i int, to *[]float64, old []float64) int {
	n, i := listOfNumbers(d, i, TypeDouble, to, old)
	if n > 0 {
		swap.Copy64(unsafe.Pointer(unsafe.SliceData(*to)), at(d.buf, i), n)
	}
	return i + 8*n
}

// BinaryUUIDs reads a list<uuid>.
func (d *Decoder) BinaryUUIDs(i int, to *[]UUID, old []UUID) int {
	n, i := listOfNumbers(d, i, TypeUUID, to, old)
	if n > 0 {
		copy(*to, unsafe.Slice((*UUID)(at(d.buf, i)), n))
	}
	return i + 16*n
}

// BinaryStrings reads a list<string>.
func (d *Decoder) BinaryStrings(i int, to *[]string, old []string) int {
	n, i := d.BinaryList(i, TypeString)
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
		if i = d.BinaryString(i, &v[k]); i < 0 {
			return i
		}
	}
	*to = v
	return i
}

// BinaryBinaries reads a list<binary>.
func (d *Decoder) BinaryBinaries(i int, to *[][]byte, old [][]byte) int {
	n, i := d.BinaryList(i, TypeString)
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
		if i = d.BinaryBytes(i, &v[k], v[k]); i < 0 {
			return i
		}
	}
	*to = v
	return i
}

// BinaryStringMap reads a map<string, string>, the most frequent of all.
func (d *Decoder) BinaryStringMap(i int, to *map[string]string, old map[string]string) int {
	n, i := d.BinaryMap(i, TypeString, TypeString)
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
		if key, i = d.binaryText(i); i < 0 {
			return i
		}
		if value, i = d.binaryText(i); i < 0 {
			return i
		}
		v[key] = value
	}
	return i
}

// stringMap is an empty map for n pairs, nil if the message may not take so
// much.
func (d *Decoder) stringMap(n int, old map[string]string) map[string]string {
	room := d.AffordMap(n, 32)
	switch {
	case d.Exhausted():
		return nil
	case old == nil:
		return make(map[string]string, room)
	}
	clear(old)
	return old
}

// Slots is room for the n elements of a list: all of them, those of old
// first, or as many as the input can pay for.
func Slots[T any](d *Decoder, old []T, n int) []T {
	if cap(old) >= n && old != nil {
		if n > len(old) {
			clear(old[len(old):n]) // see Structs
		}
		return old[:n]
	}
	v := make([]T, d.Afford(n, int(unsafe.Sizeof(*new(T)))))
	copy(v, old)
	return v
}

// MoreSlots is a longer list than v, which is full, for a list of n. It is
// nil if the message may not take so much.
func MoreSlots[T any](d *Decoder, v []T, n int) []T {
	c := d.More(len(v), n, int(unsafe.Sizeof(*new(T))))
	if c == 0 {
		return nil
	}
	longer := make([]T, c)
	copy(longer, v)
	return longer
}

// BinaryKey reads a binary that is the key of a Go map.
//
//go:noinline
func (d *Decoder) BinaryKey(i int, to *string) int {
	utf8 := d.utf8
	d.utf8 = false
	i = d.BinaryString(i, to)
	d.utf8 = utf8
	return i
}
