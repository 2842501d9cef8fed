// Package good waits without the lock.
package good

// #include <poll.h>
// static int wait_packet(int fd) { struct pollfd p = { fd, POLLIN, 0 }; return poll(&p, 1, 100); }
// static int next_packet(int fd) { return fd; }
import "C"

import (
	"sync"
	"sync/atomic"
)

// Handle captures packets.
type Handle struct {
	mu   sync.Mutex
	fd   C.int
	stop atomic.Bool
}

// Read returns the next packet.
func (h *Handle) Read() int {
	for !h.stop.Load() {
		if C.wait_packet(h.fd) > 0 {
			h.mu.Lock()
			defer h.mu.Unlock()
			return int(C.next_packet(h.fd))
		}
	}
	return -1
}

// Close ends it.
func (h *Handle) Close() {
	h.stop.Store(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fd = -1
}
