//go:build !(386 || amd64 || arm64 || ppc64le)

package codec

import (
	"encoding/binary"
	"math"
)

// The loads and stores of load_words.go on other machines.

// Load16 is the big-endian number at i.
func (d *Decoder) Load16(i int) int16 {
	return int16(binary.BigEndian.Uint16((*[2]byte)(at(d.buf, i))[:]))
}

// Load32 is the big-endian number at i.
func (d *Decoder) Load32(i int) int32 {
	return int32(binary.BigEndian.Uint32((*[4]byte)(at(d.buf, i))[:]))
}

// Load64 is the big-endian number at i.
func (d *Decoder) Load64(i int) int64 {
	return int64(binary.BigEndian.Uint64((*[8]byte)(at(d.buf, i))[:]))
}

// LoadDouble is the big-endian floating-point number at i.
func (d *Decoder) LoadDouble(i int) float64 {
	return math.Float64frombits(binary.BigEndian.Uint64((*[8]byte)(at(d.buf, i))[:]))
}

// LoadDoubleLE is the little-endian floating-point number at i, as the
// compact protocol has it.
func (d *Decoder) LoadDoubleLE(i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64((*[8]byte)(at(d.buf, i))[:]))
}

// BinaryField reads the head of a field at i: its type in bits 16 to 23 and
// its number below. A result under 1<<16 is the end of a struct, which takes
// one byte where a field's head takes three; noField is that there is
// none. A value of fixed size is wholly there after its head, so loading it
// needs no check.
func (d *Decoder) BinaryField(i int) uint32 {
	if uint(i) < d.heads {
		return binary.BigEndian.Uint32((*[4]byte)(at(d.buf, i))[:]) >> 8
	}
	return lastOf(d, i)
}

// BinaryNext reports whether BinaryField would give that head at i, which may be negative.
// It may say no where there is little behind it.
func (d *Decoder) BinaryNext(i int, head uint32) bool {
	return uint(i) < d.heads && binary.BigEndian.Uint32((*[4]byte)(at(d.buf, i))[:])>>8 == head
}

// BinaryAt reports whether a field with that head is at i. A number need not be there wholly.
func (d *Decoder) BinaryAt(i int, head uint32) bool {
	// The head as it is on the wire, which is a constant then.
	return uint(i) < d.ends && (binary.LittleEndian.Uint32((*[4]byte)(at(d.buf, i))[:])^(head>>16|head&0xFF00|head<<16))<<8 == 0
}

// BinaryWithin reports whether a field is at i whose number is one of those. After a run of
// numbers was not found it says whether to ask for them one by one: writers that write what has a
// fixed size first, as Kitex does, have written them before.
func (d *Decoder) BinaryWithin(i int, first, last uint16) bool {
	return uint(i) < d.ends && binary.BigEndian.Uint16((*[2]byte)(at(d.buf, i+1))[:])-first <= last-first
}

// Unlike is 0 if the head of a field at i, behind which there has to be a byte, is that one.
func (d *Decoder) Unlike(i int, head uint32) uint32 {
	return (binary.LittleEndian.Uint32((*[4]byte)(at(d.buf, i))[:]) ^ (head>>16 | head&0xFF00 | head<<16)) << 8
}

// PutHead stores the head of a field, and a zero byte where its value will be: one store, not
// three.
func PutHead(b []byte, head uint32) { binary.BigEndian.PutUint32(b, head<<8) }

// Put16 stores a big-endian number.
func Put16(b []byte, v int16) { binary.BigEndian.PutUint16(b, uint16(v)) }

// Put32 stores a big-endian number.
func Put32(b []byte, v int32) { binary.BigEndian.PutUint32(b, uint32(v)) }

// Put64 stores a big-endian number.
func Put64(b []byte, v int64) { binary.BigEndian.PutUint64(b, uint64(v)) }

// PutDouble stores a big-endian floating-point number.
func PutDouble(b []byte, v float64) { binary.BigEndian.PutUint64(b, math.Float64bits(v)) }
