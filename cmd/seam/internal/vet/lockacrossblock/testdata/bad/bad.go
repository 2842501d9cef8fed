// Package bad waits with a lock.
package bad

// #include <poll.h>
// #include <unistd.h>
// static int wait_for(int fd) { struct pollfd p = { fd, POLLIN, 0 }; return poll(&p, 1, -1); }
import "C"

import "sync"

// Conn is a connection.
type Conn struct {
	mu sync.Mutex
	fd C.int
}

// Read waits.
func (c *Conn) Read() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(C.wait_for(c.fd)) // want warning "this call may wait (wait_for → poll) while mu is locked"
}

// Nap sleeps.
func (c *Conn) Nap() {
	c.mu.Lock()
	C.sleep(1) // want warning "may wait (sleep)"
	c.mu.Unlock()
}

// Close has to wait too.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fd = -1
}

func (c *Conn) next() C.int { return C.wait_for(c.fd) }

// Next waits in another function.
func (c *Conn) Next() C.int {
	c.mu.Lock()
	n := c.next() // want warning "may wait (next → wait_for → poll) while mu is locked"
	c.mu.Unlock()
	return n
}

// Embeds has the mutex without a name.
type Embeds struct {
	sync.RWMutex
	fd C.int
}

// Read waits.
func (e *Embeds) Read() {
	e.RLock()
	C.wait_for(e.fd) // want warning "while RWMutex is locked"
	e.RUnlock()
}

// Close has to wait too.
func (e *Embeds) Close() {
	e.Lock()
	defer e.Unlock()
	e.fd = -1
}
