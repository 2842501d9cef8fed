//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

import (
	"debug/elf"
	"os"
	"slices"
	"syscall"
	"testing"
)

// guarded returns a copy of b that ends where a page begins that can't be read.
func guarded(t *testing.T, b []byte) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	room := (len(b) + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, room+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	if err := syscall.Mprotect(m[room:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	copied := m[room-len(b) : room]
	copy(copied, b)
	return copied
}

// FuzzTable: whatever the section says, nothing outside of it is read, and the rows are in
// order and in the text.
func FuzzTable(f *testing.F) {
	exe, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	address, low, high, frame := section(f, exe)
	f.Add(frame[:min(len(frame), 1<<10)], uint64(address), uint64(low), uint64(high))
	f.Add(frame[:min(len(frame), 1<<10)-3], uint64(address), uint64(low), uint64(high))
	f.Add([]byte{4, 0, 0, 0, 0, 0, 0, 0}, uint64(0), uint64(0), ^uint64(0))
	f.Add(slices.Concat([]byte{0xff, 0xff, 0xff, 0xff}, make([]byte, 20)), uint64(1<<40), uint64(0), uint64(1<<20))
	f.Fuzz(func(t *testing.T, frame []byte, address, low, high uint64) {
		rows, err := Table(guarded(t, frame), uintptr(address), uintptr(low), uintptr(high))
		if err != nil {
			t.Skip(err)
		}
		for i, r := range rows {
			if uint64(r.PC) > high-low {
				t.Errorf("row %d is at %#x of %#x bytes of text", i, r.PC, high-low)
			}
			if i > 0 && rows[i-1].PC >= r.PC {
				t.Errorf("row %d is at %#x, the one before at %#x", i, r.PC, rows[i-1].PC)
			}
		}
	})
}

// section returns an executable's .eh_frame and the bounds of its text.
func section(tb testing.TB, path string) (address, low, high uintptr, frame []byte) {
	tb.Helper()
	f, err := elf.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".eh_frame")
	if s == nil {
		tb.Fatalf("%s has no .eh_frame", path)
	}
	if frame, err = s.Data(); err != nil {
		tb.Fatal(err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			low, high = uintptr(p.Vaddr), uintptr(p.Vaddr+p.Memsz)
		}
	}
	return uintptr(s.Addr), low, high, frame
}

// Of what compilers write, little is beyond what rows can say.
func TestFewUnknown(t *testing.T) {
	const unknown = 7 // SEAM_UNKNOWN
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	address, low, high, frame := section(t, exe)
	rows, err := Table(frame, address, low, high)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, r := range rows {
		if r.Rule == unknown {
			count++
		}
	}
	if len(rows) < 100 || count*100 > len(rows) {
		t.Errorf("%d rows, %d of them unknown", len(rows), count)
	}
	t.Logf("%d bytes of .eh_frame, %d rows, %d unknown", len(frame), len(rows), count)
}
