package dl

import (
	"fmt"
	"sync"
	"unsafe"
)

// A Handle is a number that stands for a Go value in C, which hands it on as a void *. Its zero value
// stands for none. A handle is not an address: C must not read through it.
type Handle uintptr

// A number is a place in the table and how often it was used before, so that an old handle is
// told from a new one with the same place. On 32-bit machines that wraps after 4,096 uses. On
// 64-bit machines the upper bit is set, as in no address: C's void * is often an
// unsafe.Pointer in Go, where the garbage collector would take the number for an address.
const (
	placeBits = 20 + 12*(unsafe.Sizeof(uintptr(0))/8)
	placeMask = 1<<placeBits - 1
	noAddress = (unsafe.Sizeof(uintptr(0)) / 8) << (8*unsafe.Sizeof(uintptr(0)) - 1)
)

var handles struct {
	sync.RWMutex
	places []handlePlace
	free   []uint32
}

type handlePlace struct {
	value any
	now   Handle // 0 if it is free
	uses  uintptr
}

// NewHandle returns a handle for the value, which it keeps alive until [Handle.Delete].
func NewHandle(value any) Handle {
	handles.Lock()
	defer handles.Unlock()
	at := uint32(len(handles.places))
	if n := len(handles.free); n > 0 {
		at, handles.free = handles.free[n-1], handles.free[:n-1]
	} else if uintptr(at)+1 > placeMask {
		panic("dl: there are too many handles: Delete was forgotten")
	} else {
		handles.places = append(handles.places, handlePlace{})
	}
	p := &handles.places[at]
	p.uses++
	p.value, p.now = value, Handle(noAddress|p.uses<<placeBits|uintptr(at+1))
	return p.now
}

// Value returns the handle's value. It panics if the handle was deleted or never made.
func (h Handle) Value() any {
	handles.RLock()
	defer handles.RUnlock()
	return h.place("Value").value
}

// Delete ends the handle. It panics if that was done before, or the handle was never made.
func (h Handle) Delete() {
	handles.Lock()
	defer handles.Unlock()
	p := h.place("Delete")
	p.value, p.now = nil, 0
	handles.free = append(handles.free, uint32(uintptr(h)&placeMask-1))
}

func (h Handle) place(method string) *handlePlace {
	at := uintptr(h)&placeMask - 1
	if h == 0 || at >= uintptr(len(handles.places)) || handles.places[at].now != h {
		panic(fmt.Sprintf("dl: Handle.%s: %#x was deleted or never made", method, uintptr(h)))
	}
	return &handles.places[at]
}

// Pointer returns the handle as C takes it.
func (h Handle) Pointer() uintptr { return uintptr(h) }
