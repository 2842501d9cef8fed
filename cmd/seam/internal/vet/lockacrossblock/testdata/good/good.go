// Package good waits without a lock.
package good

// #include <poll.h>
// static int wait_for(int fd) { struct pollfd p = { fd, POLLIN, 0 }; return poll(&p, 1, -1); }
// static int quick(int fd) { return fd + 1; }
import "C"

import "sync"

// Conn is a connection.
type Conn struct {
	mu, own sync.Mutex
	fd      C.int
}

// Read unlocks first.
func (c *Conn) Read() int {
	c.mu.Lock()
	fd := c.fd
	c.mu.Unlock()
	return int(C.wait_for(fd))
}

// Alone holds what nobody else needs.
func (c *Conn) Alone() int {
	c.own.Lock()
	defer c.own.Unlock()
	return int(C.wait_for(c.fd))
}

// Quick doesn't wait.
func (c *Conn) Quick() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(C.quick(c.fd))
}

// polite unlocks before it waits.
func (c *Conn) polite() C.int {
	c.mu.Unlock()
	n := C.wait_for(c.fd)
	c.mu.Lock()
	return n
}

// Polite calls it.
func (c *Conn) Polite() C.int {
	c.mu.Lock()
	defer c.mu.Unlock()
	go c.Read()
	return c.polite()
}
