package mem

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// A Handle names a Go value for C, as a uint64_t. 0 names none.
type Handle uint64

// Handles gives out handles for values of one type: C keeps the number and hands it back,
// and Go finds the value. It is cgo.Handle with two differences: using a deleted handle is
// an error, not a panic or somebody else's value, and a lookup takes a few loads and no lock.
// A number comes again after four billion uses of its slot.
//
// The zero Handles is empty and ready to use. Its methods may be called from any goroutine.
// It must not be copied.
type Handles[T any] struct {
	blocks [maxBlocks]atomic.Pointer[[blockSize]handleSlot[T]]

	mu   sync.Mutex
	free []uint32
	made atomic.Uint32 // slots that were ever used
	live int
}

type handleSlot[T any] struct {
	value      atomic.Pointer[T]
	generation atomic.Uint32
}

// A handle is generation << 32 | index + 1. Slots are allocated in blocks as they are
// needed. Blocks never move, so Get needs no lock.
const (
	blockSize = 1 << 10
	maxBlocks = 1 << 12
)

// New returns a handle for the value at v and keeps the value alive until [Handles.Delete].
// It fails with [ErrInvalid] if v is nil, and with [ErrLimit] if there are four million
// handles already, which means that somebody forgets to delete them.
func (h *Handles[T]) New(v *T) (Handle, error) {
	if v == nil {
		return 0, fmt.Errorf("%w: a handle of nothing", errNil)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var i uint32
	if n := len(h.free); n > 0 {
		i, h.free = h.free[n-1], h.free[:n-1]
	} else {
		i = h.made.Load()
		if i >= blockSize*maxBlocks {
			return 0, fmt.Errorf("%w: there are %d handles, as many as there can be; are they deleted?", ErrLimit, i)
		}
		if i%blockSize == 0 {
			// Generations start at random, so a small number, or a handle of another
			// Handles, is hardly ever valid.
			b, start := new([blockSize]handleSlot[T]), rand.Uint32()
			for k := range b {
				b[k].generation.Store(start)
			}
			h.blocks[i/blockSize].Store(b)
		}
		h.made.Store(i + 1)
	}
	h.live++
	s := &h.blocks[i/blockSize].Load()[i%blockSize]
	s.value.Store(v)
	return Handle(s.generation.Load())<<32 | Handle(i+1), nil
}

// Get returns the value of a handle. It fails with [ErrReleased] if the handle was deleted
// and with [ErrInvalid] if the number never was one.
func (h *Handles[T]) Get(x Handle) (*T, error) {
	i := uint32(x) - 1
	if i >= blockSize*maxBlocks {
		return nil, h.wrong(x)
	}
	b := h.blocks[i/blockSize].Load()
	if b == nil {
		return nil, h.wrong(x)
	}
	s := &b[i%blockSize]
	// The value first: if the generation is still ours after that, so was the value.
	v := s.value.Load()
	if s.generation.Load() != uint32(x>>32) || v == nil {
		return nil, h.wrong(x)
	}
	return v, nil
}

// Delete ends a handle. It fails as [Handles.Get] does.
func (h *Handles[T]) Delete(x Handle) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := h.Get(x); err != nil {
		return err
	}
	i := uint32(x) - 1
	s := &h.blocks[i/blockSize].Load()[i%blockSize]
	s.generation.Add(1) // before the value goes: Get looks in the other order
	s.value.Store(nil)
	h.free = append(h.free, i)
	h.live--
	return nil
}

// Len returns how many handles there are.
func (h *Handles[T]) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live
}

//go:noinline
func (h *Handles[T]) wrong(x Handle) error {
	if i := uint32(x) - 1; i < h.made.Load() {
		g := h.blocks[i/blockSize].Load()[i%blockSize].generation.Load()
		return fmt.Errorf("%w: %#x is of generation %d of its place, which is at %d", errStale, uint64(x), uint32(x>>32), g)
	}
	return fmt.Errorf("%w: %#x", errHandle, uint64(x))
}
