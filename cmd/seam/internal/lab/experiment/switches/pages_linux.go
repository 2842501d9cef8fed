package switches

import (
	"fmt"
	"syscall"
)

// mapPages returns fresh memory that a forked process shares, every page
// already present. Memory of the Go heap would not do: some of it lies in huge
// pages and some does not.
func mapPages(n int) ([]byte, error) {
	mem, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|syscall.MAP_ANON|syscall.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("can't map %d bytes for the working set: %w", n, err)
	}
	return mem, nil
}

// unmapPages can only fail for a slice that mapPages did not return.
func unmapPages(mem []byte) { _ = syscall.Munmap(mem) }
