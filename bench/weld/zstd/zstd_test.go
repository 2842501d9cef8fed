//go:build cgo

// Package zstd measures github.com/DataDog/zstd with small blocks and contexts
// that are used again. C does most of the work here: welding must not harm it.
package zstd

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/DataDog/zstd"
)

func BenchmarkWeld(b *testing.B) {
	for _, size := range []int{256, 4096} {
		block := events(size)
		packed := pack(b, block)
		b.Run(fmt.Sprintf("mod=zstd/op=compress%d", size), func(b *testing.B) { compress(b, block, packed) })
		b.Run(fmt.Sprintf("mod=zstd/op=decompress%d", size), func(b *testing.B) { decompress(b, block, packed) })
	}
}

func compress(b *testing.B, block, packed []byte) {
	context := zstd.NewCtx()
	buffer := make([]byte, zstd.CompressBound(len(block)))
	b.SetBytes(int64(len(block)))
	b.ReportAllocs()
	b.ResetTimer()
	var got []byte
	for range b.N {
		var err error
		if got, err = context.CompressLevel(buffer, block, 1); err != nil || len(got) != len(packed) {
			b.Fatalf("%d bytes are packed into %d (%v), want %d", len(block), len(got), err, len(packed))
		}
	}
	if !bytes.Equal(got, packed) {
		b.Fatal("the last block is not packed as the first one was")
	}
}

func decompress(b *testing.B, block, packed []byte) {
	context := zstd.NewCtx()
	buffer := make([]byte, len(block))
	b.SetBytes(int64(len(block)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if n, err := context.DecompressInto(buffer, packed); err != nil || n != len(block) {
			b.Fatalf("%d bytes are unpacked (%v), want %d", n, err, len(block))
		}
	}
	if !bytes.Equal(buffer, block) {
		b.Fatal("the last block is not what was packed")
	}
}

// events returns so many bytes of a log, as services send them.
func events(size int) []byte {
	var log []byte
	for i := 0; len(log) < size; i++ {
		log = fmt.Appendf(log, `{"time":%d,"level":"info","path":"/v1/items/%d","ms":%d}`+"\n", 1700000000+i*7, i*i%1013, i*i*i%251)
	}
	return log[:size]
}

// pack compresses a block and makes sure that it comes back.
func pack(b *testing.B, block []byte) []byte {
	packed, err := zstd.CompressLevel(nil, block, 1)
	if err != nil {
		b.Fatal(err)
	}
	back, err := zstd.Decompress(nil, packed)
	if err != nil || !bytes.Equal(back, block) || len(packed) >= len(block) {
		b.Fatalf("a block of %d bytes, packed into %d, does not come back (%v)", len(block), len(packed), err)
	}
	return packed
}
