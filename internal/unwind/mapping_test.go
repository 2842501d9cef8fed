//go:build linux && !android && cgo && (amd64 || arm64)

package unwind_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/internal/unwind/ctest"
)

// A file's path may be longer than the room for a line of /proc/self/maps.
func TestMapping(t *testing.T) {
	for _, folders := range []int{0, 6, 12} {
		dir := t.TempDir()
		begin := dir
		for range folders {
			dir = filepath.Join(dir, strings.Repeat("d", 200))
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, make([]byte, 3*os.Getpagesize()), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m, err := syscall.Mmap(int(f.Fd()), 0, 3*os.Getpagesize(), syscall.PROT_READ, syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Munmap(m)
		if got := ctest.Mapping(uintptr(unsafe.Pointer(&m[os.Getpagesize()]))); !strings.Contains(got, begin) {
			t.Errorf("in %d folders: %s", folders, got)
		}
	}
	if got := ctest.Mapping(8); got != "near NULL, nothing is mapped there" {
		t.Error(got)
	}
}
