package swap

import (
	"bytes"
	"syscall"
	"testing"
)

// guarded returns memory with a page before and one behind that can't be
// touched.
func guarded(t *testing.T, size int) []byte {
	page := syscall.Getpagesize()
	size = (size + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, page+size+page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(m); err != nil {
			t.Error(err)
		}
	})
	area := m[page : page+size : page+size]
	if err := syscall.Mprotect(area, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return area
}

// A byte too many, read or written, faults here and ends the test.
func TestAtTheEdgesOfMemory(t *testing.T) {
	const most = 300
	forEach(t, func(t *testing.T, o op) {
		from, to := guarded(t, most*o.size), guarded(t, most*o.size)
		content, want := make([]byte, most*o.size), make([]byte, most*o.size)
		random(content)
		o.naive(want, content)
		for n := 1; n <= most; n++ {
			size := n * o.size
			for _, edge := range []struct {
				name     string
				src, dst []byte
			}{
				{"start", from[:size], to[:size]},
				{"end", from[len(from)-size:], to[len(to)-size:]},
			} {
				copy(edge.src, content)
				clear(edge.dst)
				o.run(pointer(edge.dst), pointer(edge.src), n)
				if !bytes.Equal(edge.dst, want[:size]) {
					t.Fatalf("%d words at the %s: got % x, want % x", n, edge.name, edge.dst, want[:size])
				}
				o.run(pointer(edge.src), pointer(edge.src), n)
				if !bytes.Equal(edge.src, want[:size]) {
					t.Fatalf("%d words in place at the %s: got % x, want % x", n, edge.name, edge.src, want[:size])
				}
			}
		}
	})
}

// Long lists are stored to aligned addresses, from two loads a vector: both
// have to end where the source does, wherever words begin.
func TestAlignedStoresAtTheEdgesOfMemory(t *testing.T) {
	const longest = 2048 + 128
	forEach(t, func(t *testing.T, o op) {
		from, to := guarded(t, longest), guarded(t, longest+64)
		content, want := make([]byte, longest), make([]byte, longest)
		random(content)
		o.naive(want, content)
		for size := 2048; size <= longest; size += 8 {
			for offset := range 64 {
				for _, src := range [][]byte{from[:size], from[len(from)-size:]} {
					copy(src, content)
					clear(to[:longest+64])
					o.run(pointer(to[offset:]), pointer(src), size/o.size)
					if !bytes.Equal(to[offset:offset+size], want[:size]) {
						t.Fatalf("%d bytes to offset %d are wrong", size, offset)
					}
					for _, b := range [][]byte{to[:offset], to[offset+size : longest+64]} {
						if bytes.ContainsFunc(b, func(r rune) bool { return r != 0 }) {
							t.Fatalf("%d bytes to offset %d: a byte beside them was written", size, offset)
						}
					}
				}
			}
		}
	})
}
