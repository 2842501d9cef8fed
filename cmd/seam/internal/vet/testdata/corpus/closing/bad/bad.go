// Package bad can't be closed while it waits for a packet.
package bad

// #include <poll.h>
// static int wait_packet(int fd) { struct pollfd p = { fd, POLLIN, 0 }; return poll(&p, 1, -1); }
// static int next_packet(int fd) { return fd; }
import "C"

import "sync"

// Handle captures packets.
type Handle struct {
	mu sync.Mutex
	fd C.int
}

// Read returns the next packet.
func (h *Handle) Read() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.nextLocked() // want warning "may wait (nextLocked → wait → wait_packet → poll) while mu is locked"
}

func (h *Handle) nextLocked() int {
	h.wait()
	return int(C.next_packet(h.fd))
}

func (h *Handle) wait() { C.wait_packet(h.fd) }

// Close ends it.
func (h *Handle) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fd = -1
}
