//go:build race && linux

package ring

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// annotations tell the race detector that what an end publishes comes before what the
// other does with it. It sees that by itself where the ring is in Go's memory, but not in
// memory that is mapped; and there both ends may be in this process.
type annotations struct{ _ byte }

var annotated sync.Map // inode: *annotations

// annotate returns those for the memory behind fd.
func annotate(fd int) *annotations {
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return nil
	}
	a, _ := annotated.LoadOrStore(st.Ino, new(annotations))
	return a.(*annotations)
}

func (a *annotations) acquire() {
	if a != nil {
		runtime.RaceAcquire(unsafe.Pointer(a))
	}
}

func (a *annotations) release() {
	if a != nil {
		runtime.RaceReleaseMerge(unsafe.Pointer(a))
	}
}
