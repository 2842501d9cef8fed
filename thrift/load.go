package thrift

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// The loads and stores that follow are for generated code, which has
// compared the position with the length of b before. They check nothing:
// with Go's own checks on every load, decoding a message of many small
// fields takes a tenth longer.

// at is the address of position i of b.
func at(b []byte, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)
}

// Load8 is the byte at i.
func Load8(b []byte, i int) int8 { return *(*int8)(at(b, i)) }

// LoadBool is the truth of the byte at i: everything but 0 is true.
func LoadBool(b []byte, i int) bool { return *(*byte)(at(b, i)) != 0 }

// Load16 is the big-endian number at i.
func Load16(b []byte, i int) int16 {
	return int16(binary.BigEndian.Uint16((*[2]byte)(at(b, i))[:]))
}

// Load32 is the big-endian number at i.
func Load32(b []byte, i int) int32 {
	return int32(binary.BigEndian.Uint32((*[4]byte)(at(b, i))[:]))
}

// Load64 is the big-endian number at i.
func Load64(b []byte, i int) int64 {
	return int64(binary.BigEndian.Uint64((*[8]byte)(at(b, i))[:]))
}

// LoadDouble is the big-endian floating-point number at i.
func LoadDouble(b []byte, i int) float64 {
	return math.Float64frombits(binary.BigEndian.Uint64((*[8]byte)(at(b, i))[:]))
}

// LoadUUID is the UUID at i.
func LoadUUID(b []byte, i int) UUID { return *(*UUID)(at(b, i)) }

// LoadDoubleLE is the little-endian floating-point number at i, as the
// compact protocol has it.
func LoadDoubleLE(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64((*[8]byte)(at(b, i))[:]))
}
