package codec

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/seamgo/seam/thrift/internal/swap"
)

// What is appended begins with the head of its field, if that is not 0: in
// the binary protocol the type and the number of the field as [Decoder.BinaryField]
// gives them, in the compact one the head's byte. It is one call, and one
// growth of the buffer, for both. The functions are for generated code.

// Extend makes b longer by n bytes, whose contents are undefined.
func Extend(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		b = grow(b, n)
	}
	return b[: len(b)+n : cap(b)]
}

//go:noinline
func grow(b []byte, n int) []byte { return slices.Grow(b, n) }

// At is the address of byte n of b, which there has to be: without Go's checks, for what [Extend]
// has made room for.
func At(b []byte, n int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), n)
}

// Byte is 1 for true and 0 for false.
func Byte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// headSize is how many bytes the head of a field takes.
const headSize = 3

func put32(p unsafe.Pointer, n int) { binary.BigEndian.PutUint32((*[4]byte)(p)[:], uint32(n)) }

// mostMoved is the length up to which a string is moved without a call of memmove.
const mostMoved = 64

// AppendBinaryString appends a string that is a field, with its length.
//
//go:noinline
func AppendBinaryString(b []byte, head uint32, s string) []byte {
	// Most strings are short: two moves that overlap where they must are less
	// than the call of memmove.
	n, l := len(b)+7, len(s)
	if l > mostMoved || cap(b)-n < mostMoved {
		return appendLong(b, head, s)
	}
	// Head and length in one store; its last byte is the string's first.
	binary.BigEndian.PutUint64((*[8]byte)(at(b, n-7))[:], uint64(head)<<40|uint64(l)<<8)
	to, from := at(b, n), unsafe.Pointer(unsafe.StringData(s))
	switch {
	case l > 32:
		copy32(to, from)
		copy32(unsafe.Add(to, l-32), unsafe.Add(from, l-32))
	case l >= 16:
		*(*[16]byte)(to) = *(*[16]byte)(from)
		*(*[16]byte)(unsafe.Add(to, l-16)) = *(*[16]byte)(unsafe.Add(from, l-16))
	case l >= 8:
		*(*[8]byte)(to) = *(*[8]byte)(from)
		*(*[8]byte)(unsafe.Add(to, l-8)) = *(*[8]byte)(unsafe.Add(from, l-8))
	case l >= 4:
		*(*[4]byte)(to) = *(*[4]byte)(from)
		*(*[4]byte)(unsafe.Add(to, l-4)) = *(*[4]byte)(unsafe.Add(from, l-4))
	case l > 0:
		*(*byte)(to) = s[0]
		*(*byte)(unsafe.Add(to, l/2)) = s[l/2]
		*(*byte)(unsafe.Add(to, l-1)) = s[l-1]
	}
	return b[: n+l : cap(b)]
}

// AppendBinaryStringRun appends n strings that are fields whose numbers follow each other, from
// the one with that head on. They are fields that follow each other in a struct.
//
// The moves are those of AppendBinaryString, whose call would take a third of the time.
//
//go:noinline
func AppendBinaryStringRun(b []byte, head uint32, first *string, n int) []byte {
	i := len(b)
	safe := cap(b) - 7 - mostMoved
	for k := range n {
		s := *(*string)(unsafe.Add(unsafe.Pointer(first), uintptr(k)*unsafe.Sizeof("")))
		l := len(s)
		if l > mostMoved || i > safe && cap(b)-i < 7+max(l, 1) {
			b = appendLong(b[:i], head, s)
			i, head, safe = len(b), head+1, cap(b)-7-mostMoved
			continue
		}
		to, from := at(b, i), unsafe.Pointer(unsafe.StringData(s))
		binary.BigEndian.PutUint64((*[8]byte)(to)[:], uint64(head)<<40|uint64(uint32(l))<<8)
		to = unsafe.Add(to, 7)
		switch {
		case l > 32:
			copy32(to, from)
			copy32(unsafe.Add(to, l-32), unsafe.Add(from, l-32))
		case l >= 16:
			*(*[16]byte)(to) = *(*[16]byte)(from)
			*(*[16]byte)(unsafe.Add(to, l-16)) = *(*[16]byte)(unsafe.Add(from, l-16))
		case l >= 8:
			*(*[8]byte)(to) = *(*[8]byte)(from)
			*(*[8]byte)(unsafe.Add(to, l-8)) = *(*[8]byte)(unsafe.Add(from, l-8))
		case l >= 4:
			*(*[4]byte)(to) = *(*[4]byte)(from)
			*(*[4]byte)(unsafe.Add(to, l-4)) = *(*[4]byte)(unsafe.Add(from, l-4))
		case l > 0:
			*(*byte)(to) = *(*byte)(from)
			*(*byte)(unsafe.Add(to, l/2)) = *(*byte)(unsafe.Add(from, l/2))
			*(*byte)(unsafe.Add(to, l-1)) = *(*byte)(unsafe.Add(from, l-1))
		}
		i, head = i+7+l, head+1
	}
	return b[:i:cap(b)]
}

// AppendBinaryElement appends a string that is an element, with its length.
func AppendBinaryElement(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

//go:noinline
func appendLong(b []byte, head uint32, s string) []byte {
	n := len(b)
	if cap(b)-n < textHead+len(s) {
		b = grow(b, textHead+len(s))
	}
	if head != 0 {
		put32(at(b, n), int(head<<8)) // its last byte is the length's first
		n += headSize
	}
	put32(at(b, n), len(s))
	n += textHead - headSize
	b = b[: n+len(s) : cap(b)]
	copy(b[n:], s)
	return b
}

// AppendBinaryBytes appends a binary with its length.
func AppendBinaryBytes(b []byte, head uint32, s []byte) []byte {
	if head == 0 {
		return AppendBinaryElement(b, unsafe.String(unsafe.SliceData(s), len(s)))
	}
	return AppendBinaryString(b, head, unsafe.String(unsafe.SliceData(s), len(s)))
}

// AppendBinaryList appends the head of a list or set of n elements.
//
//go:noinline
func AppendBinaryList(b []byte, head uint32, elem Type, n int) []byte {
	i := len(b)
	if cap(b)-i < 8 {
		b = grow(b, 8)
	}
	p := at(b, i)
	if head == 0 {
		*(*byte)(p) = byte(elem)
		put32(unsafe.Add(p, 1), n)
		return b[: i+5 : cap(b)]
	}
	binary.BigEndian.PutUint64((*[8]byte)(p)[:], uint64(head)<<40|uint64(elem)<<32|uint64(uint32(n)))
	return b[: i+8 : cap(b)]
}

// AppendBinaryMap appends the head of a map of n pairs.
//
//go:noinline
func AppendBinaryMap(b []byte, head uint32, key, value Type, n int) []byte {
	i := len(b)
	if cap(b)-i < 9 {
		b = grow(b, 9)
	}
	p := at(b, i)
	if head == 0 {
		*(*[2]byte)(p) = [2]byte{byte(key), byte(value)}
		put32(unsafe.Add(p, 2), n)
		return b[: i+6 : cap(b)]
	}
	binary.BigEndian.PutUint64((*[8]byte)(p)[:], uint64(head)<<40|uint64(key)<<32|uint64(value)<<24|uint64(uint32(n))>>8)
	*(*byte)(unsafe.Add(p, 8)) = byte(n)
	return b[: i+9 : cap(b)]
}

// list appends the head of a list of n elements of size bytes and returns the
// place for them: nil if there are none, since a pointer past the end of an
// allocation is one to somebody else's memory.
func list(b []byte, head uint32, elem Type, n, size int) ([]byte, unsafe.Pointer) {
	if n == 0 {
		return AppendBinaryList(b, head, elem, 0), nil
	}
	if cap(b)-len(b) < 8+n*size {
		b = grow(b, 8+n*size)
	}
	b = AppendBinaryList(b, head, elem, n)
	i := len(b)
	return b[: i+n*size : cap(b)], at(b, i)
}

// AppendBinaryBools appends a list<bool>.
//
//go:noinline
func AppendBinaryBools(b []byte, head uint32, v []bool) []byte {
	b, p := list(b, head, TypeBool, len(v), 1)
	copy(unsafe.Slice((*bool)(p), len(v)), v)
	return b
}

// AppendBinaryI8s appends a list<i8>.
//
//go:noinline
func AppendBinaryI8s(b []byte, head uint32, v []int8) []byte {
	b, p := list(b, head, TypeI8, len(v), 1)
	copy(unsafe.Slice((*int8)(p), len(v)), v)
	return b
}

// AppendBinaryI16s appends a list<i16>.
func AppendBinaryI16s(b []byte, head uint32, v []int16) []byte {
	b, p := list(b, head, TypeI16, len(v), 2)
	swap.Copy16(p, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryI32s appends a list<i32> or a list of an enum.
func AppendBinaryI32s[T ~int32](b []byte, head uint32, v []T) []byte {
	return appendBinaryI32s(b, head, unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(v))), len(v)))
}

func appendBinaryI32s(b []byte, head uint32, v []int32) []byte {
	b, p := list(b, head, TypeI32, len(v), 4)
	swap.Copy32(p, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryI64s appends a list<i64>.
func AppendBinaryI64s(b []byte, head uint32, v []int64) []byte {
	b, p := list(b, head, TypeI64, len(v), 8)
	swap.Copy64(p, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryDoubles appends a list<double>.
func AppendBinaryDoubles(b []byte, head uint32, v []float64) []byte {
	b, p := list(b, head, TypeDouble, len(v), 8)
	swap.Copy64(p, unsafe.Pointer(unsafe.SliceData(v)), len(v))
	return b
}

// AppendBinaryUUIDs appends a list<uuid>.
//
//go:noinline
func AppendBinaryUUIDs(b []byte, head uint32, v []UUID) []byte {
	b, p := list(b, head, TypeUUID, len(v), 16)
	copy(unsafe.Slice((*UUID)(p), len(v)), v)
	return b
}

// AppendBinaryStrings appends a list<string>.
func AppendBinaryStrings(b []byte, head uint32, v []string) []byte {
	b = AppendBinaryList(b, head, TypeString, len(v))
	i := len(b)
	safe := cap(b) - 4 - mostMoved
	for _, s := range v {
		l := len(s)
		if l > mostMoved || i > safe && cap(b)-i < 4+max(l, 1) {
			b = AppendBinaryElement(b[:i], s)
			i, safe = len(b), cap(b)-4-mostMoved
			continue
		}
		to, from := at(b, i), unsafe.Pointer(unsafe.StringData(s))
		put32(to, l)
		to = unsafe.Add(to, 4)
		// moveText written out: its call takes 1.5 % of an order's time.
		switch {
		case l > 32:
			copy32(to, from)
			copy32(unsafe.Add(to, l-32), unsafe.Add(from, l-32))
		case l >= 16:
			*(*[16]byte)(to) = *(*[16]byte)(from)
			*(*[16]byte)(unsafe.Add(to, l-16)) = *(*[16]byte)(unsafe.Add(from, l-16))
		case l >= 8:
			*(*[8]byte)(to) = *(*[8]byte)(from)
			*(*[8]byte)(unsafe.Add(to, l-8)) = *(*[8]byte)(unsafe.Add(from, l-8))
		case l >= 4:
			*(*[4]byte)(to) = *(*[4]byte)(from)
			*(*[4]byte)(unsafe.Add(to, l-4)) = *(*[4]byte)(unsafe.Add(from, l-4))
		case l > 0:
			*(*byte)(to) = s[0]
			*(*byte)(unsafe.Add(to, l/2)) = s[l/2]
			*(*byte)(unsafe.Add(to, l-1)) = s[l-1]
		}
		i += 4 + l
	}
	return b[:i:cap(b)]
}

// AppendBinaryBinaries appends a list<binary>.
func AppendBinaryBinaries(b []byte, head uint32, v [][]byte) []byte {
	b = AppendBinaryList(b, head, TypeString, len(v))
	for _, s := range v {
		b = AppendBinaryElement(b, unsafe.String(unsafe.SliceData(s), len(s)))
	}
	return b
}

// AppendBinaryStringMap appends a map<string, string>.
func AppendBinaryStringMap(b []byte, head uint32, v map[string]string) []byte {
	b = AppendBinaryMap(b, head, TypeString, TypeString, len(v))
	if len(v) == 0 {
		return b // without setting out on a walk
	}
	i := len(b)
	for k, s := range v {
		n := 8 + len(k) + len(s)
		if len(k)|len(s) >= mostMoved || cap(b)-i < n {
			b = AppendBinaryElement(AppendBinaryElement(b[:i], k), s)
			i = len(b)
			continue
		}
		to := at(b, i)
		put32(to, len(k))
		moveText(unsafe.Add(to, 4), k)
		to = unsafe.Add(to, 4+len(k))
		put32(to, len(s))
		if s != "" {
			moveText(unsafe.Add(to, 4), s)
		}
		i += n
	}
	return b[:i:cap(b)]
}

// moveText copies a string of up to mostMoved bytes. In a loop over a map all that is in registers
// is stored around calls anyway.
//
//go:noinline
func moveText(to unsafe.Pointer, s string) {
	l, from := len(s), unsafe.Pointer(unsafe.StringData(s))
	switch {
	case l > 32:
		copy32(to, from)
		copy32(unsafe.Add(to, l-32), unsafe.Add(from, l-32))
	case l >= 16:
		*(*[16]byte)(to) = *(*[16]byte)(from)
		*(*[16]byte)(unsafe.Add(to, l-16)) = *(*[16]byte)(unsafe.Add(from, l-16))
	case l >= 8:
		*(*[8]byte)(to) = *(*[8]byte)(from)
		*(*[8]byte)(unsafe.Add(to, l-8)) = *(*[8]byte)(unsafe.Add(from, l-8))
	case l >= 4:
		*(*[4]byte)(to) = *(*[4]byte)(from)
		*(*[4]byte)(unsafe.Add(to, l-4)) = *(*[4]byte)(unsafe.Add(from, l-4))
	case l > 0:
		*(*byte)(to) = s[0]
		*(*byte)(unsafe.Add(to, l/2)) = s[l/2]
		*(*byte)(unsafe.Add(to, l-1)) = s[l-1]
	}
}
