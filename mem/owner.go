package mem

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// An Owner stands for C memory that somebody has to give back: what C allocated, the
// object of a C library that the memory belongs to. Views are bound to it and can't be
// used once it is released. Make one with [NewOwner]; its methods may be called from any
// goroutine.
type Owner struct {
	released uint32 // atomic; 1: yes. (With atomic.Bool View.Slice would not be inlined.)
	release  func()

	mu        sync.Mutex // debug mode
	snapshots []snapshot
}

// NewOwner returns an owner whose Release calls release, which gives the memory back (by
// C.free, say) and may be nil.
func NewOwner(release func()) *Owner { return &Owner{release: release} }

// Release gives the memory back. Views of it fail from now on with [ErrReleased]; slices
// that were taken from them must no longer be used, which debug mode enforces: there they
// fault. A second Release does nothing but return [ErrReleased].
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

// Released reports whether the memory has been given back.
func (o *Owner) Released() bool { return atomic.LoadUint32(&o.released) != 0 }

// keep notes a snapshot, unless the owner has been released.
func (o *Owner) keep(s snapshot) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.Released() {
		return false
	}
	o.snapshots = append(o.snapshots, s)
	return true
}
