package main

/*
#include "quote.h"
#include "layout_seam.h"
*/
import "C"

import (
	"bytes"
	"unsafe"
)

//go:generate go run ../../cmd/seam layout --write

// Level is a price with what can be had for it.
//
//seam:layout struct level
type Level struct {
	Price  float64
	Size   uint32
	Orders uint32
}

// Quote is what C's feed hands out.
//
//seam:layout struct quote
type Quote struct {
	Sequence uint64
	Symbol   [8]byte
	TimeNS   int64
	Side     uint32
	Venue    uint16
	Flags    uint8
	Levels   [3]Level
}

// Name is the symbol up to its zero byte.
func (q *Quote) Name() string {
	name, _, _ := bytes.Cut(q.Symbol[:], []byte{0})
	return string(name)
}

// Fill has C fill the quotes where they are.
func Fill(list []Quote) int {
	if len(list) == 0 {
		return 0
	}
	return int(C.quotes((*C.struct_quote)(unsafe.Pointer(&list[0])), C.int(len(list))))
}

// Worth has C add up prices times sizes.
func Worth(list []Quote) float64 {
	if len(list) == 0 {
		return 0
	}
	return float64(C.worth((*C.struct_quote)(unsafe.Pointer(&list[0])), C.int(len(list))))
}
