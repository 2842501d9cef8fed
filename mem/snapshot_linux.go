package mem

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A snapshot is a copy of C memory on read-only pages of its own. It ends at a page that
// can't be read.
type snapshot struct {
	pages []byte
	at    unsafe.Pointer
}

// maxSnapshots is how many there may be at a time. Views beyond that are of the memory
// itself.
const maxSnapshots = 4096

var live atomic.Int32 // snapshots that can be read

// takeSnapshot copies size bytes from p. The kernel does the copying, so that unmapped
// memory is an error and not a fault.
func takeSnapshot(p unsafe.Pointer, size, align uintptr) (snapshot, error) {
	// The kernel limits a process's mappings, and Go itself dies at that limit.
	if size == 0 || size > maxSize {
		return snapshot{}, nil
	}
	if live.Add(1) > maxSnapshots {
		live.Add(-1)
		return snapshot{}, nil
	}
	page := uintptr(syscall.Getpagesize())
	room := (size + page - 1) &^ (page - 1)
	pages, err := syscall.Mmap(-1, 0, int(room+page), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		live.Add(-1)
		return snapshot{}, nil // as if debug mode were off
	}
	at := unsafe.Pointer(&pages[(room-size)&^(align-1)])
	if err := copyOut(at, p, size); err != nil {
		snapshot{pages: pages}.drop()
		return snapshot{}, err
	}
	// If these fail, the snapshot can be written to or read past its end, and is good enough.
	_ = syscall.Mprotect(pages[room:], syscall.PROT_NONE)
	_ = syscall.Mprotect(pages[:room], syscall.PROT_READ)
	return snapshot{pages, at}, nil
}

// copyOut copies size bytes of C's memory through a pipe: for unmapped memory the kernel
// returns EFAULT. (process_vm_readv would take one call, but sandboxes and emulators lack
// it.)
func copyOut(to, from unsafe.Pointer, size uintptr) error {
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size)) // no descriptors left
		return nil
	}
	defer syscall.Close(pipe[0])
	defer syscall.Close(pipe[1])
	const piece = 4096 // an empty pipe always takes this much
	for done := uintptr(0); done < size; {
		n, _, errno := syscall.Syscall(syscall.SYS_WRITE, uintptr(pipe[1]), uintptr(unsafe.Add(from, done)), min(piece, size-done))
		switch {
		case errno == syscall.EINTR:
			continue
		case errno == syscall.EFAULT && done == 0:
			return errors.New("not mapped")
		case errno == syscall.EFAULT:
			return fmt.Errorf("only the first %d of %d bytes are mapped", done, size)
		case errno != 0:
			return fmt.Errorf("the kernel can't copy it: %w", errno)
		}
		for end := done + n; done < end; {
			got, err := syscall.Read(pipe[0], unsafe.Slice((*byte)(unsafe.Add(to, done)), end-done))
			if err != nil && err != syscall.EINTR {
				return fmt.Errorf("copying it: %w", err)
			}
			done += uintptr(max(got, 0))
		}
	}
	return nil
}

// drop gives the pages back.
func (s snapshot) drop() {
	live.Add(-1)
	_ = syscall.Munmap(s.pages)
}

// The last keptSnapshots that were forbidden keep their addresses, so that nothing else is
// mapped there.
const keptSnapshots = 1024

var kept struct {
	sync.Mutex
	ring [keptSnapshots][]byte
	next int
}

// forbid makes the pages inaccessible for code that still has a slice of them.
func (s snapshot) forbid() {
	if s.pages == nil {
		return
	}
	live.Add(-1)
	_ = syscall.Mprotect(s.pages, syscall.PROT_NONE)
	_ = syscall.Madvise(s.pages, syscall.MADV_DONTNEED)
	kept.Lock()
	old := kept.ring[kept.next]
	kept.ring[kept.next] = s.pages
	kept.next = (kept.next + 1) % keptSnapshots
	kept.Unlock()
	if old != nil {
		_ = syscall.Munmap(old)
	}
}
