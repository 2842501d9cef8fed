//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt_test

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf/rt"
)

// As C has it: a line for the switch, and the entries.
type blocks [8 + 64*2*4]uint64

// A block is kept for strings of its size, and is never in two hands.
func TestReuse(t *testing.T) {
	b := new(blocks)
	take := func(n int) (p unsafe.Pointer, size, place uintptr) { return rt.SeamTake(unsafe.Pointer(b), n) }
	give := func(p unsafe.Pointer, place uintptr) bool { return rt.SeamGive(unsafe.Pointer(b), p, place) }
	for n, want := range map[int]uintptr{0: 64, 63: 64, 64: 512, 511: 512, 512: 0, 1 << 20: 0} {
		p, size, place := take(n)
		if p != nil || size != want || (place != 0) != (want != 0) {
			t.Errorf("for %d bytes: %v, %d bytes, place %d", n, p, size, place)
		}
	}
	memory := new([16][512]byte)
	_, _, small := take(1)
	_, _, large := take(100)
	for i := range 5 {
		if got := give(unsafe.Pointer(&memory[i]), small); got != (i < 4) {
			t.Errorf("block %d: kept: %v", i, got)
		}
	}
	if p, _, _ := take(100); p != nil {
		t.Error("a block has another size")
	}
	if !give(unsafe.Pointer(&memory[8]), large) {
		t.Error("the large one isn't kept")
	}
	seen := map[unsafe.Pointer]bool{}
	for i := range 5 {
		p, _, _ := take(1)
		if (p != nil) != (i < 4) || p != nil && seen[p] {
			t.Errorf("take %d: %v", i, p)
		}
		seen[p] = true
	}

	// Freed twice: the second goes to malloc, and nobody gets the block.
	if !give(unsafe.Pointer(&memory[0]), small) || give(unsafe.Pointer(&memory[0]), small) {
		t.Error("a block is kept twice")
	}
	if p, _, _ := take(1); p != nil {
		t.Error("a block that was freed twice is used again")
	}

	b[0] = 1 // off
	if p, size, place := take(1); p != nil || size != 0 || place != 0 {
		t.Error("it is off, and has a place")
	}
}

// Who takes a block has it alone, also if it is given back by another goroutine.
func TestReuseAlone(t *testing.T) {
	b := new(blocks)
	var group sync.WaitGroup
	var pinner runtime.Pinner
	defer pinner.Unpin()
	type held struct {
		p     *uint64
		place uintptr
	}
	give := make(chan held, 4)
	var mu sync.Mutex
	made := 0
	for g := range uint64(8) {
		group.Go(func() {
			for i := range 3000 {
				p, _, place := rt.SeamTake(unsafe.Pointer(b), int(g%2)*100)
				x := (*uint64)(p)
				if x == nil {
					x = &new([64]uint64)[0]
					mu.Lock()
					pinner.Pin(x) // the table is no pointer to the collector
					made++
					mu.Unlock()
				}
				mine := g<<32 | uint64(i)
				*x = mine
				if i%16 == 0 {
					runtime.Gosched()
				}
				if *x != mine {
					t.Error("a block is in two hands")
					return
				}
				select {
				case give <- held{x, place}:
					h := <-give
					rt.SeamGive(unsafe.Pointer(b), unsafe.Pointer(h.p), h.place)
				default:
					rt.SeamGive(unsafe.Pointer(b), unsafe.Pointer(x), place)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d blocks for 24,000 strings", made)
}

// BenchmarkReuse is what a string takes besides its copy.
func BenchmarkReuse(b *testing.B) {
	table := new(blocks)
	block := new([64]byte)
	_, _, place := rt.SeamTake(unsafe.Pointer(table), 1)
	rt.SeamGive(unsafe.Pointer(table), unsafe.Pointer(block), place)
	for b.Loop() {
		p, _, place := rt.SeamTake(unsafe.Pointer(table), 20)
		rt.SeamGive(unsafe.Pointer(table), p, place)
	}
}
