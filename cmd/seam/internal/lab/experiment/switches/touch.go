package switches

import (
	"sync"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// lineWords is the distance of two touched words: a cache line of 64 bytes, in
// words of 8.
const lineWords = 64 / 8

// touch reads and writes the first word of each cache line. It is a call even
// for an empty buffer, and the same call in all kinds.
//
//go:noinline
func touch(buf []uint64) {
	for i := 0; i < len(buf); i += lineWords {
		buf[i]++
	}
}

// buffers are what the two parties touch. All kinds with the same working set
// get the same pages: which cache sets a buffer falls into is drawn when its
// pages are, and would differ by more than the cost to be found.
type buffers struct {
	ours, theirs []uint64
	ws, users    int
}

var shared struct {
	sync.Mutex
	bySize map[int]*buffers
}

// acquire returns the buffers of a working set; release gives them back.
func acquire(ws int) (*buffers, error) {
	shared.Lock()
	defer shared.Unlock()
	b := shared.bySize[ws]
	if b == nil {
		b = &buffers{ws: ws}
		if ws > 0 {
			mem, err := mapPages(2 * ws)
			if err != nil {
				return nil, err
			}
			words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(mem))), 2*ws/8)
			b.ours, b.theirs = words[:ws/8:ws/8], words[ws/8:]
		}
		if shared.bySize == nil {
			shared.bySize = map[int]*buffers{}
		}
		shared.bySize[ws] = b
	}
	b.users++
	return b, nil
}

// with has setup use the buffers of a working set. What it returns releases them.
func with(setup func(*buffers) *lab.Op) func(ws int) (*lab.Op, error) {
	return func(ws int) (*lab.Op, error) {
		b, err := acquire(ws)
		if err != nil {
			return nil, err
		}
		return setup(b), nil
	}
}

func (b *buffers) release() {
	shared.Lock()
	defer shared.Unlock()
	if b.users--; b.users > 0 {
		return
	}
	delete(shared.bySize, b.ws)
	if b.ws > 0 {
		unmapPages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.ours))), 2*b.ws))
	}
	b.ours, b.theirs = nil, nil
}
