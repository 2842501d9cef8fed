//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt_test

import (
	"bytes"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf/rt"
)

// A view ends where the string does, and nothing is read behind the memory that can't change.
func TestView(t *testing.T) {
	page := syscall.Getpagesize()
	m, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(m)
	for _, wall := range [][]byte{m[:page], m[2*page:]} {
		if err := syscall.Mprotect(wall, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	fixed := m[page : 2*page]
	// As C has it: how many ranges, and each with its beginning and size.
	table := [1 + 2*64]uintptr{2, uintptr(unsafe.Pointer(&another)), 1, uintptr(unsafe.Pointer(&fixed[0])), uintptr(page)}
	view := func(p *byte) (string, bool) { return rt.SeamView(unsafe.Pointer(&table), unsafe.Pointer(p)) }
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		// Bytes next to 0 and with the highest bit are what an arithmetic of words could get wrong.
		for i := range fixed {
			fixed[i] = []byte{1, 0x7f, 0x80, 0x81, 0xff, 'a'}[random.IntN(6)]
		}
		for range random.IntN(4) {
			fixed[page-1-random.IntN(40)] = 0
		}
		for at := page - 48; at < page; at++ {
			s, ok := view(&fixed[at])
			n := bytes.IndexByte(fixed[at:], 0)
			if ok != (n >= 0) {
				t.Fatalf("at %d of %d: %v, and the first 0 is %d behind it", at, page, ok, n)
			}
			if ok && s != string(fixed[at:at+n]) {
				t.Fatalf("%q, want %q", s, fixed[at:at+n])
			}
			if n > 0 && unsafe.StringData(s) != &fixed[at] {
				t.Fatal("it is a copy")
			}
		}
	}
	other := []byte("elsewhere\x00")
	for _, p := range []*byte{nil, &other[0]} {
		if s, ok := view(p); ok || s != "" {
			t.Errorf("%q of memory that may change", s)
		}
	}
	if _, ok := view((*byte)(unsafe.Add(unsafe.Pointer(&fixed[0]), -1))); ok {
		t.Error("a byte before the range is in it")
	}
	if _, ok := view((*byte)(unsafe.Add(unsafe.Pointer(&fixed[page-1]), 1))); ok {
		t.Error("a byte behind the range is in it")
	}
	table[0] = 0
	if _, ok := view(&fixed[0]); ok {
		t.Error("a table without ranges has one")
	}
}

// The stack may move: what a table has the address of is not there.
var (
	another     byte
	declaration = []byte("function_declaration\x00")
)

// BenchmarkView is what looking takes: at a constant of 20 bytes, and behind six ranges at what may change.
func BenchmarkView(b *testing.B) {
	text := declaration
	table := [1 + 2*64]uintptr{7}
	for i := range 6 {
		table[1+2*i], table[2+2*i] = uintptr(unsafe.Pointer(&another)), 1
	}
	for name, size := range map[string]uintptr{"constant": uintptr(len(text)), "other": 0} {
		b.Run(name, func(b *testing.B) {
			table[13], table[14] = uintptr(unsafe.Pointer(&text[0])), size
			for b.Loop() {
				if _, ok := rt.SeamView(unsafe.Pointer(&table), unsafe.Pointer(&text[0])); ok != (size > 0) {
					b.Fatal(ok)
				}
			}
		})
	}
}
