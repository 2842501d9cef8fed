package ring

import (
	"sync"
	"unsafe"
)

// memory is a ring's. The ends of the ring in this process hold it.
type memory struct {
	capacity uint64
	start    uint64 // the first position: 0, but for tests
	data     unsafe.Pointer
	unmap    func() // nil for Go's own memory
	sync     *annotations

	mu    sync.RWMutex // for ctl, once there are ends
	ctl   *control     // nil when unmapped
	users int
	last  Stats // when it was unmapped
}

// heapMemory is Go's, so that the race detector sees what happens there, and the collector
// frees it.
func heapMemory(capacity uint64) *memory {
	const align = 128
	words := make([]uint64, (controlSize+capacity+align)/8)
	p := unsafe.Pointer(unsafe.SliceData(words))
	p = unsafe.Add(p, -uintptr(p)&(align-1))
	m := &memory{ctl: (*control)(p), data: unsafe.Add(p, controlSize), capacity: capacity, users: 2}
	m.ctl.begin(capacity, 0)
	return m
}

// drop is called by each end once, when it uses the memory no more.
func (m *memory) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users == 0 {
		m.last = m.now()
		m.ctl, m.data = nil, nil
		if m.unmap != nil {
			m.unmap()
		}
	}
}

func (m *memory) stats() Stats {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.ctl == nil {
		return m.last
	}
	return m.now()
}

// now returns what the ring has done. The capacity isn't what the peer might have written.
func (m *memory) now() Stats {
	s := m.ctl.stats()
	s.Capacity = m.capacity
	return s
}

// abort marks the writer of this process as one that gave up.
func (m *memory) abort() {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.ctl != nil {
		m.ctl.writer.abort()
	}
}

// hangUp marks an end of this process as closed, for its peer in another one to see, and
// wakes that. Any goroutine may call it.
func (m *memory) hangUp(e *end, of func(*control) *side) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.ctl != nil {
		of(m.ctl).state.Or(closed)
		e.other.wake()
	}
}
