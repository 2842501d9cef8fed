package codec

import (
	"encoding/binary"
	"unsafe"
)

// Writers write fields in the order of their numbers, so most decoders ask for one field
// after the other, in a straight line: a function of this file is given the head of the field
// that may come next, and gives the position it was given where there is another one. What
// comes in any other order is found by asking for all of them again; [Decoder.BinaryRest] says
// whether to. A position that is negative, an error, is handed on.
//
// No bound has to be looked at twice: a field of a struct has at least a byte behind it, the
// end of the struct, so that where less is left than a field takes there is no such field.

// Stop is 0 if a struct ends at i, where there has to be a byte.
func (d *Decoder) Stop(i int) uint32 {
	return uint32(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.buf)), i)))
}

// Has reports whether there are n bytes at i.
func (d *Decoder) Has(i, n int) bool { return i >= 0 && len(d.buf)-i >= n }

// BinaryEnd reports whether a struct ends at i.
func (d *Decoder) BinaryEnd(i int) bool { return uint(i) < uint(len(d.buf)) && d.buf[i] == 0 }

// BinaryRest goes on where a straight line ended, at i; it began at start, and last is the
// highest number in it. It passes over fields that are unknown and reports whether to begin
// again. If not, it gives the position after the struct.
//
//go:noinline
func (d *Decoder) BinaryRest(i, start int, last uint16) (next int, again bool) {
	if i < 0 {
		return i, false
	}
	unknown := i == start // since nobody took it
	for {
		h := d.BinaryField(i)
		if h < 1<<16 {
			return i + 1, false
		}
		if uint16(h) <= last && !unknown {
			return i, true
		}
		if i = d.SkipBinaryField(i, h); i < 0 {
			return i, false
		}
		unknown = false
	}
}

// BinaryStringField reads the field with that head if it is at i. Its head and its length are
// one load.
func (d *Decoder) BinaryStringField(i int, head uint32, to *string) int {
	if uint(i) >= d.safe {
		return d.lastStringField(i, head, to)
	}
	w := binary.BigEndian.Uint64((*[8]byte)(at(d.buf, i))[:])
	if uint32(w>>40) != head {
		return i
	}
	n := int(uint32(w >> 8))
	i += textHead
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

// lastStringField is BinaryStringField where little is left, or nothing.
//
//go:noinline
func (d *Decoder) lastStringField(i int, head uint32, to *string) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	return d.lastString(i+3, to)
}

// The numbers. What is cut off is an error, as it is for everybody else.

// BinaryBoolField reads the field with that head if it is at i.
//
//go:noinline
func (d *Decoder) BinaryBoolField(i int, head uint32, to *bool) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	*to = d.LoadBool(i + 3)
	return i + 4
}

// BinaryI8Field reads the field with that head if it is at i.
//
//go:noinline
func (d *Decoder) BinaryI8Field(i int, head uint32, to *int8) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	*to = d.Load8(i + 3)
	return i + 4
}

// BinaryI16Field reads the field with that head if it is at i.
//
//go:noinline
func (d *Decoder) BinaryI16Field(i int, head uint32, to *int16) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	if d.Left(i) < 5 {
		return ^i
	}
	*to = d.Load16(i + 3)
	return i + 5
}

// BinaryI32Field reads the field with that head if it is at i.
//
//go:noinline
func (d *Decoder) BinaryI32Field(i int, head uint32, to *int32) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	if d.Left(i) < 7 {
		return ^i
	}
	*to = d.Load32(i + 3)
	return i + 7
}

// BinaryI64Field reads the field with that head if it is at i.
//
//go:noinline
func (d *Decoder) BinaryI64Field(i int, head uint32, to *int64) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	if d.Left(i) < 11 {
		return ^i
	}
	*to = d.Load64(i + 3)
	return i + 11
}

// BinaryDoubleField reads the field with that head if it is at i.
//
//go:noinline
func (d *Decoder) BinaryDoubleField(i int, head uint32, to *float64) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	if d.Left(i) < 11 {
		return ^i
	}
	*to = d.LoadDouble(i + 3)
	return i + 11
}

// BinaryUUIDField reads the field with that head if it is at i.
//
//go:noinline
func (d *Decoder) BinaryUUIDField(i int, head uint32, to *UUID) int {
	if !d.BinaryAt(i, head) {
		return i
	}
	if d.Left(i) < 19 {
		return ^i
	}
	*to = d.LoadUUID(i + 3)
	return i + 19
}
