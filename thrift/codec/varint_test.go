package codec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// The reference is the loop over bytes, and encoding/binary.
func TestVarintsByWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(u uint64) {
		t.Helper()
		var got [maxVarint]byte
		n := putUvarint(unsafe.Pointer(&got), u)
		want := binary.AppendUvarint(nil, u)
		if !bytes.Equal(got[:n], want) {
			t.Fatalf("%#x is written % x, want % x", u, got[:n], want)
		}
		for _, behind := range [][]byte{nil, {0}, bytes.Repeat([]byte{0xFF}, 12), bytes.Repeat([]byte{0}, 12)} {
			in := append(append([]byte{0xAA}, want...), behind...)
			if v, next := fastUvarint(in, 1); v != u || next != 1+n {
				t.Fatalf("% x is read as %#x up to %d, want %#x up to %d", in, v, next, u, 1+n)
			}
		}
	}
	for shift := range 64 {
		check(1 << shift)
		check(1<<shift - 1)
		check(^uint64(0) >> shift)
		for range 100 {
			check(r.Uint64() >> shift)
		}
	}
	// Bytes of any kind: both give the same number, or none at the same place.
	for range 100_000 {
		in := make([]byte, r.IntN(14))
		for k := range in {
			in[k] = byte(r.Uint32()) | 0x80*byte(r.IntN(2))
		}
		v, next := fastUvarint(in, 0)
		if want, end := uvarint(in, 0); v != want || next != end {
			t.Fatalf("% x: %#x up to %d, want %#x up to %d", in, v, next, want, end)
		}
	}
}

func TestListsOfVarintsEndWhereTheyDo(t *testing.T) {
	for n := range 200 {
		list := make([]int64, n)
		for k := range list {
			list[k] = int64(k-n/2) << (k % 60)
		}
		var want []byte
		for _, x := range list {
			want = binary.AppendUvarint(want, zagged(x))
		}
		room := bytes.Repeat([]byte{0x5A}, len(want)+20)
		got := appendZigzags(room[:0:len(room)], list)
		if !bytes.Equal(got, want) {
			t.Fatalf("%d numbers: % x, want % x", n, got, want)
		}
		if unsafe.SliceData(got) == unsafe.SliceData(room) && bits.OnesCount8(room[len(want)]) != 4 {
			t.Fatalf("%d numbers: the byte behind them is %#x", n, room[len(want)])
		}
	}
}
