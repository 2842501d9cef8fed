package codec

import (
	"encoding/binary"
	"unsafe"
)

// The loads that follow are for generated code. They check nothing: with Go's
// own checks on every load, decoding a message of many small fields takes a
// tenth longer. They are in bounds because
//   - a field's head is given by [Decoder.BinaryField] only where all bytes of
//     a value of its type are after it, and code loads a value only if the
//     head has the value's type;
//   - the elements of a map are loaded only behind a head from
//     [Decoder.BinaryMap], which has found room for as many pairs, or after
//     [Decoder.Left] was asked;
//   - a position that is negative, which stands for an error, ends a loop
//     over fields, and is returned everywhere else, before it is used.
//
// Each is one expression without calls, and those of several bytes are in load_words.go
// for machines that load from any address, and in load_bytes.go for the others: a
// compiler takes a fifth longer over generated code whose loads are calls of calls that
// it has to inline.

// at is the address of position i of b, where there has to be a byte: a
// pointer past the end of an allocation is one to somebody else's memory.
func at(b []byte, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)
}

// Left is the number of bytes of the input from i on.
func (d *Decoder) Left(i int) int { return len(d.buf) - i }

// Load8 is the byte at i.
func (d *Decoder) Load8(i int) int8 {
	return *(*int8)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.buf)), i))
}

// LoadBool is the truth of the byte at i: everything but 0 is true.
func (d *Decoder) LoadBool(i int) bool {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.buf)), i)) != 0
}

// LoadUUID is the UUID at i.
func (d *Decoder) LoadUUID(i int) UUID {
	return *(*UUID)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.buf)), i))
}

func load16(b []byte, i int) int16 {
	return int16(binary.BigEndian.Uint16((*[2]byte)(at(b, i))[:]))
}

func load32(b []byte, i int) int32 {
	return int32(binary.BigEndian.Uint32((*[4]byte)(at(b, i))[:]))
}

func load64(b []byte, i int) int64 {
	return int64(binary.BigEndian.Uint64((*[8]byte)(at(b, i))[:]))
}

// copy32 copies 32 bytes to where no one else's are. As one array they would be a call of
// memmove, since for all that the compiler knows both sides might overlap; 16 bytes are a load
// and a store.
func copy32(to, from unsafe.Pointer) {
	*(*[16]byte)(to) = *(*[16]byte)(from)
	*(*[16]byte)(unsafe.Add(to, 16)) = *(*[16]byte)(unsafe.Add(from, 16))
}
