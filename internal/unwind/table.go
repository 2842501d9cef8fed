//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

// #include "unwind.h"
import "C"

import (
	"errors"
	"unsafe"
)

// A Row says how to go from a program counter's frame to its caller's.
type Row struct {
	PC     uint32 // from here on, relative to the start of the text
	Rule   int    // how the CFA is found: SEAM_SP and the like in unwind.h
	Offset int32
	FP, RA int16 // where both are saved, in words from the CFA; see unwind.h for others
}

// Table returns the rows that are made from the bytes of an .eh_frame section at an address,
// for the text in [low, high). It is the parser by itself, for tests.
func Table(frame []byte, address, low, high uintptr) ([]Row, error) {
	var rows *C.seam_row
	var room C.size_t
	n := C.seam_table(C.seam_bytes{at: (*C.uint8_t)(unsafe.SliceData(frame)), size: C.size_t(len(frame)), address: C.uintptr_t(address)},
		C.uintptr_t(low), C.uintptr_t(high), 0, &rows, &room)
	if n < 0 {
		return nil, errors.New("no memory for the table")
	}
	defer C.seam_free_pages(unsafe.Pointer(rows), room)
	var list []Row
	for _, r := range unsafe.Slice(rows, n) {
		list = append(list, Row{PC: uint32(r.pc), Rule: int(r.cfa & 7), Offset: int32(r.cfa >> 3), FP: int16(r.fp), RA: int16(r.ra)})
	}
	return list, nil
}
