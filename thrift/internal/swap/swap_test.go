//seam:test toolchains arm64 386 pointers

package swap

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"
)

// An op is one function of the package beside the simplest loop that does the same.
type op struct {
	name  string
	size  int // bytes of a word
	run   func(dst, src unsafe.Pointer, n int)
	naive func(dst, src []byte)
}

var ops = []op{
	{"copy16", 2, Copy16, func(dst, src []byte) {
		for i := 0; i < len(src); i += 2 {
			binary.NativeEndian.PutUint16(dst[i:], binary.BigEndian.Uint16(src[i:]))
		}
	}},
	{"copy32", 4, Copy32, func(dst, src []byte) {
		for i := 0; i < len(src); i += 4 {
			binary.NativeEndian.PutUint32(dst[i:], binary.BigEndian.Uint32(src[i:]))
		}
	}},
	{"copy64", 8, Copy64, func(dst, src []byte) {
		for i := 0; i < len(src); i += 8 {
			binary.NativeEndian.PutUint64(dst[i:], binary.BigEndian.Uint64(src[i:]))
		}
	}},
	{"bools", 1, Bools, func(dst, src []byte) {
		for i, b := range src {
			dst[i] = 0
			if b != 0 {
				dst[i] = 1
			}
		}
	}},
}

// forEach runs a test for every operation on every path that this machine has.
func forEach(t *testing.T, test func(t *testing.T, o op)) {
	for _, p := range paths() {
		for _, o := range ops {
			t.Run(fmt.Sprintf("path=%s/op=%s", p, o.name), func(t *testing.T) {
				take(t, p)
				test(t, o)
			})
		}
	}
}

// random fills b so that a quarter of its bytes are 0, the others anything.
func random(b []byte) {
	r := rand.New(rand.NewPCG(1, uint64(len(b))))
	for i := range b {
		if v := r.Uint32(); v&3 != 0 {
			b[i] = byte(v >> 8)
		} else {
			b[i] = 0
		}
	}
}

const (
	canary = 0xa5
	fence  = 64 // canaries before and after, more than a vector
)

var canaries = bytes.Repeat([]byte{canary}, fence)

// A field is memory to work in, with canaries around the area that is used.
type field []byte

func newField(most int) field { return bytes.Repeat([]byte{canary}, fence+64+most+fence) }

// at returns the area of that size whose address is offset bytes past a
// multiple of 32.
func (f field) at(offset, size int) (area []byte, start int) {
	base := int(-uintptr(unsafe.Pointer(&f[fence])) & 31)
	start = fence + base + offset
	return f[start : start+size : start+size], start
}

// intact says whether the canaries around an area are alive.
func (f field) intact(start, size int) bool {
	return bytes.Equal(f[start-fence:start], canaries) && bytes.Equal(f[start+size:start+size+fence], canaries)
}

// clear makes an area canaries again.
func (f field) clear(start, size int) {
	for i := range f[start : start+size] {
		f[start+i] = canary
	}
}

// pointer is the address of b's first byte, or nil.
func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func TestEveryLengthAtEveryAlignment(t *testing.T) {
	const most = 300
	// A few alignments are enough for the race detector and an emulator, which
	// would take half a minute for all.
	all := !sanitized && os.Getenv("SEAM_TEST_EMULATOR") == ""
	offsets := make([]int, 0, 32)
	for i := 0; i < 32; i++ {
		if all || i < 2 || i == 8 || i == 15 || i == 31 {
			offsets = append(offsets, i)
		}
	}
	forEach(t, func(t *testing.T, o op) {
		content := make([]byte, most*o.size)
		random(content)
		want := make([]byte, most*o.size)
		o.naive(want, content)
		from, to := newField(most*o.size), newField(most*o.size)
		for n := 0; n <= most; n++ {
			size := n * o.size
			for _, i := range offsets {
				src, srcStart := from.at(i, size)
				copy(src, content)
				for _, j := range offsets {
					dst, dstStart := to.at(j, size)
					o.run(pointer(dst), pointer(src), n)
					if !bytes.Equal(dst, want[:size]) {
						t.Fatalf("%d words from offset %d to %d: got % x, want % x", n, i, j, dst, want[:size])
					}
					if !to.intact(dstStart, size) {
						t.Fatalf("%d words from offset %d to %d: bytes around the destination are overwritten", n, i, j)
					}
					to.clear(dstStart, size)
				}
				if !bytes.Equal(src, content[:size]) || !from.intact(srcStart, size) {
					t.Fatalf("%d words from offset %d: the source is overwritten", n, i)
				}
				// In place.
				o.run(pointer(src), pointer(src), n)
				if !bytes.Equal(src, want[:size]) || !from.intact(srcStart, size) {
					t.Fatalf("%d words in place at offset %d: got % x, want % x", n, i, src, want[:size])
				}
				from.clear(srcStart, size)
			}
		}
	})
}

// Lengths around the pieces that long areas are cut into.
func TestLongAreas(t *testing.T) {
	const piece = 32 << 10
	forEach(t, func(t *testing.T, o op) {
		for _, size := range []int{piece, 2*piece - 8, 2 * piece, 2*piece + 8, 3*piece - 8, 3 * piece, 3*piece + 8, 5*piece + 72} {
			content, want := make([]byte, size), make([]byte, size)
			random(content)
			o.naive(want, content)
			from, to := newField(size), newField(size)
			src, srcStart := from.at(1, size)
			copy(src, content)
			dst, dstStart := to.at(3, size)
			o.run(pointer(dst), pointer(src), size/o.size)
			if !bytes.Equal(dst, want) || !to.intact(dstStart, size) {
				t.Errorf("%d bytes: wrong result, or bytes around it overwritten", size)
			}
			o.run(pointer(src), pointer(src), size/o.size)
			if !bytes.Equal(src, want) || !from.intact(srcStart, size) {
				t.Errorf("%d bytes in place: wrong result, or bytes around it overwritten", size)
			}
		}
	})
}

func TestNothingIsTouchedForNoWords(t *testing.T) {
	forEach(t, func(t *testing.T, o op) {
		for _, n := range []int{0, -1, math.MinInt, math.MinInt/2 - 1, math.MinInt/4 - 1, math.MinInt/8 - 1} {
			o.run(nil, nil, n)
		}
	})
}

func TestEachByteAsABool(t *testing.T) {
	for _, p := range paths() {
		take(t, p)
		var src, dst [256]byte
		for i := range src {
			src[i] = byte(i)
		}
		Bools(unsafe.Pointer(&dst), unsafe.Pointer(&src), len(src))
		for i, got := range dst {
			if want := min(i, 1); int(got) != want {
				t.Errorf("path %s: %d became %d, want %d", p, i, got, want)
			}
		}
	}
}

func FuzzOperations(f *testing.F) {
	f.Add([]byte{}, byte(0), byte(0))
	f.Add([]byte("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"), byte(1), byte(7))
	f.Add(bytes.Repeat([]byte{0, 1, 0x80, 0xff}, 100), byte(31), byte(0))
	f.Fuzz(func(t *testing.T, content []byte, i, j byte) {
		for _, p := range paths() {
			take(t, p)
			for _, o := range ops {
				n := len(content) / o.size
				size := n * o.size
				want := make([]byte, size)
				o.naive(want, content[:size])
				from, to := newField(size), newField(size)
				src, srcStart := from.at(int(i%32), size)
				copy(src, content)
				dst, dstStart := to.at(int(j%32), size)
				o.run(pointer(dst), pointer(src), n)
				if !bytes.Equal(dst, want) || !to.intact(dstStart, size) {
					t.Fatalf("%s, path %s: got % x, want % x", o.name, p, dst, want)
				}
				o.run(pointer(src), pointer(src), n)
				if !bytes.Equal(src, want) || !from.intact(srcStart, size) {
					t.Fatalf("%s in place, path %s: got % x, want % x", o.name, p, src, want)
				}
			}
		}
	})
}

func BenchmarkSwap(b *testing.B) {
	for _, o := range ops {
		for _, size := range []int{8, 64, 4096} {
			for _, p := range paths() {
				b.Run(fmt.Sprintf("op=%s/size=%d/path=%s", o.name, size, p), func(b *testing.B) {
					take(b, p)
					src, dst := make([]byte, size), make([]byte, size)
					random(src)
					b.SetBytes(int64(size))
					for b.Loop() {
						o.run(pointer(dst), pointer(src), size/o.size)
					}
				})
			}
		}
	}
}
