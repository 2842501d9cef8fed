package mem

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// An Owner stands for C memory that has to be freed: memory that C allocated, or the
// object of a C library that the memory belongs to. Views are bound to it and can't be
// used once it is released. Make one with [NewOwner]. Its methods may be called from any
// goroutine.
type Owner struct {
	released uint32 // atomic, 0 or 1. With atomic.Bool View.Slice would not be inlined.
	release  func()

	mu        sync.Mutex // debug mode
	snapshots []snapshot
}

// NewOwner returns an owner whose Release calls release, which frees the memory, by C.free
// for example. release may be nil.
func NewOwner(release func()) *Owner { return &Owner{release: release} }

// Release frees the memory. From then on its views fail with [ErrReleased], and slices taken
// from them must not be used; in debug mode they fault. A second Release only returns
// [ErrReleased].
func (o *Owner) Release() error {
	if atomic.SwapUint32(&o.released, 1) != 0 {
		return fmt.Errorf("%w: a second Release of an Owner", ErrReleased)
	}
	if debugOn {
		o.mu.Lock()
		for _, s := range o.snapshots {
			s.forbid()
		}
		o.snapshots = nil
		o.mu.Unlock()
	}
	if o.release != nil {
		o.release()
	}
	return nil
}

// Released reports whether the memory has been freed.
func (o *Owner) Released() bool { return atomic.LoadUint32(&o.released) != 0 }

// keep records a snapshot, unless the owner has been released.
func (o *Owner) keep(s snapshot) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.Released() {
		return false
	}
	o.snapshots = append(o.snapshots, s)
	return true
}
