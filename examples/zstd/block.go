//go:build cgo && seam_libs

package main

// #include "stream.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
)

// Within these a block takes libzstd some ten microseconds: then it is a leaf. What is
// larger, or smaller at the price of time, goes through cgo.
const (
	leafInput  = 4 << 10
	leafOutput = 16 << 10
	leafLevel  = 3
)

// blockArgs is stream_block_args, with strings and room as package mem has them.
type blockArgs struct {
	s    *C.stream
	in   mem.Str
	out  mem.Bytes
	zstd C.size_t
}

// It lies as C's does, or this does not compile.
const (
	_ = uint(unsafe.Sizeof(blockArgs{}) - C.sizeof_stream_block_args)
	_ = uint(C.sizeof_stream_block_args - unsafe.Sizeof(blockArgs{}))
	_ = uint(unsafe.Offsetof(blockArgs{}.out) - unsafe.Offsetof(C.stream_block_args{}.out))
	_ = uint(unsafe.Offsetof(C.stream_block_args{}.out) - unsafe.Offsetof(blockArgs{}.out))
)

var block = leaf.Of[blockArgs]("stream_block", unsafe.Pointer(C.stream_block))

// A Block compresses or decompresses one whole frame at a time, as messages and pages of a
// database want it. It is for one goroutine at a time; end it with Close.
type Block struct {
	c    *C.stream
	leaf bool // of a level that is quick
}

// NewBlock returns a Block of a level from 1 to 22; 0 is for decompressing.
func NewBlock(level int) (*Block, error) {
	if level < 0 || level > 22 {
		return nil, fmt.Errorf("zstd: level %d, want 0 to 22", level)
	}
	c := C.stream_new(nil, C.int(level))
	if c == nil {
		return nil, errors.New("zstd: no memory for a block")
	}
	return &Block{c, level <= leafLevel}, nil
}

// Close frees what C has.
func (b *Block) Close() {
	C.stream_free(b.c)
	b.c = nil
}

// Run returns what src becomes. The result lies in dst's memory if its capacity is enough,
// and has at most limit bytes; more is mem.ErrLimit. (Compressing needs room for the worst
// case, somewhat more than src has.)
func (b *Block) Run(dst, src []byte, limit int) ([]byte, error) {
	if b.c == nil {
		return nil, errClosed
	}
	fill := mem.FillInto(dst)
	for again := true; again; {
		var zstd C.size_t
		room := fill.Room()
		if b.leaf && len(src) <= leafInput && room.Cap <= leafOutput {
			args := blockArgs{s: b.c, in: mem.StrOfBytes(src), out: room}
			block.Call(&args)
			room, zstd = args.out, args.zstd
		} else {
			room, zstd = b.long(src, room)
		}
		if zstd != 0 {
			return nil, zstdError(zstd)
		}
		var err error
		if again, err = fill.Again(room, limit); err != nil {
			return nil, fmt.Errorf("zstd: a block of %d bytes: %w", len(src), err)
		}
	}
	return fill.Bytes(), nil
}

// long is a function of its own because what is given to cgo by address lies on the heap: a
// leaf call does not allocate.
func (b *Block) long(src []byte, room mem.Bytes) (mem.Bytes, C.size_t) {
	var out C.stream_block_out
	C.stream_block_long(b.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.size_t(len(src)),
		(*C.uint8_t)(room.Data), C.size_t(room.Cap), &out)
	room.Len, room.Need = int(out.len), int(out.need)
	return room, out.zstd
}
