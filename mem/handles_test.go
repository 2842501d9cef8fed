package mem_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seamgo/seam/mem"
)

func TestHandles(t *testing.T) {
	var h mem.Handles[string]
	words := []string{"a", "b", "c"}
	var list []mem.Handle
	for i := range words {
		x := newHandle(t, &h, &words[i])
		if x == 0 {
			t.Fatal("a handle of 0")
		}
		list = append(list, x)
	}
	for i, x := range list {
		if v, err := h.Get(x); err != nil || v != &words[i] {
			t.Errorf("%v, %v", v, err)
		}
	}
	if err := h.Delete(list[1]); err != nil || h.Len() != 2 {
		t.Fatalf("%v, %d left", err, h.Len())
	}
	if _, err := h.Get(list[1]); !errors.Is(err, mem.ErrStale) {
		t.Errorf("Get of a deleted handle: %v", err)
	}
	if err := h.Delete(list[1]); !errors.Is(err, mem.ErrStale) {
		t.Errorf("second Delete: %v", err)
	}
	again := newHandle(t, &h, &words[1])
	if again == list[1] {
		t.Error("a handle that was there before")
	}
	if _, err := h.Get(list[1]); !errors.Is(err, mem.ErrStale) {
		t.Errorf("the old handle after its place was used again: %v", err)
	}
	for _, x := range []mem.Handle{0, 4, 1 << 20, 1<<32 - 1, 1 << 63} {
		if _, err := h.Get(x); !errors.Is(err, mem.ErrHandle) {
			t.Errorf("%#x: %v", uint64(x), err)
		}
		if err := h.Delete(x); !errors.Is(err, mem.ErrHandle) {
			t.Errorf("Delete of %#x: %v", uint64(x), err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _ = h.Delete(newHandle(t, &h, &words[0])) }); n != 0 {
		t.Errorf("%v allocations for New and Delete", n)
	}
	if _, err := h.New(nil); !errors.Is(err, mem.ErrNil) {
		t.Errorf("New of nil: %v", err)
	}
}

func newHandle[T any](t testing.TB, h *mem.Handles[T], v *T) mem.Handle {
	x, err := h.New(v)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// There are as many handles as there can be, and then an error.
func TestHandlesLimit(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes 64 MB, and 1.5 GB with the race detector")
	}
	var h mem.Handles[int]
	v := new(int)
	for range 1 << 22 {
		newHandle(t, &h, v)
	}
	if _, err := h.New(v); !errors.Is(err, mem.ErrLimit) {
		t.Errorf("one too many: %v", err)
	}
}

// A handle never leads to another value than its own, no matter who deletes what meanwhile.
func TestHandlesAtOnce(t *testing.T) {
	type value struct{ x atomic.Uint64 }
	var h mem.Handles[value]
	var shared [8]atomic.Uint64
	rounds := 20_000
	if testing.Short() {
		rounds = 2000
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range rounds {
				i := rand.IntN(len(shared))
				x := mem.Handle(shared[i].Load())
				if v, err := h.Get(x); err == nil && v.x.Load() != uint64(x) && v.x.Load() != 0 {
					t.Errorf("handle %#x leads to the value of %#x", x, v.x.Load())
					return
				}
				v := new(value)
				fresh, err := h.New(v)
				if err != nil {
					t.Error(err)
					return
				}
				v.x.Store(uint64(fresh))
				old := mem.Handle(shared[i].Swap(uint64(fresh)))
				if old != 0 {
					if err := h.Delete(old); err != nil {
						t.Error(err)
						return
					}
				}
				if n%1000 == 0 {
					runtime.GC()
				}
			}
		}()
	}
	wg.Wait()
	if h.Len() != len(shared) {
		t.Errorf("%d handles left", h.Len())
	}
}
