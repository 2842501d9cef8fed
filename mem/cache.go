package mem

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A Cache keeps some buffers of a [Pool] for one user, such as a worker or a connection. A
// Get and a Put cost one atomic operation instead of the pool's two, and Get returns the
// buffer used last. Its methods must not be called concurrently. End it with
// [Cache.Close].
//
// Nobody else can get a buffer that a cache keeps, not even by [Pool.GetWait]: give the
// pool more buffers than all its caches keep. A Cache must not be copied.
type Cache struct {
	pool  *Pool
	size  int
	class uintptr // the size of its class
	free  []Buffer
}

// NewCache returns a Cache for buffers of at least size bytes. It keeps up to keep of them
// while they are not in use.
func (p *Pool) NewCache(size, keep int) (*Cache, error) {
	if keep < 1 || keep > indexMask {
		return nil, fmt.Errorf("%w: a cache that keeps %d buffers; it must keep at least one, and fewer than a pool may have", ErrInvalid, keep)
	}
	for i := range p.classes {
		if c := &p.classes[i]; uintptr(size) <= c.size {
			return &Cache{p, size, c.size, make([]Buffer, 0, keep)}, nil
		}
	}
	return nil, p.never(size)
}

// Get is [Pool.Get] with the cache's size.
func (c *Cache) Get() (Buffer, error) {
	if n := len(c.free) - 1; n >= 0 {
		b := c.free[n]
		c.free = c.free[:n]
		return b, nil
	}
	if c.pool == nil {
		return Buffer{}, errNoCache
	}
	return c.pool.Get(c.size)
}

// Put is [Buffer.Release], but the cache keeps the buffer if it has room, the buffer is of
// the smallest class that is large enough, and C does not hold it.
func (c *Cache) Put(b Buffer) error {
	if b.pool != c.pool || len(c.free) == cap(c.free) || debugOn {
		return b.Release()
	}
	e := &c.pool.table[b.handle&indexMask]
	s := atomic.LoadUint64(&e.state)
	if s != b.handle>>32<<32|goHas || e.cap != c.class || c.pool.waiting.Load() != 0 {
		return b.Release()
	}
	after := next(s) | goHas
	if !atomic.CompareAndSwapUint64(&e.state, s, after) {
		return b.Release()
	}
	n := len(c.free)
	c.free = c.free[:n+1]
	c.free[n] = Buffer{b.pool, b.data, after&^goHas | b.handle&(1<<32-1)}
	return nil
}

// Close gives the buffers that the cache keeps back to the pool. Buffers in use still have
// to be released. The cache may be used again.
func (c *Cache) Close() {
	for _, b := range c.free {
		_ = b.Release() // nobody else has it
	}
	c.free = c.free[:0]
}

// The table has the layout that C expects.
const (
	_ = uint(unsafe.Sizeof(entry{}) - 64)
	_ = uint(64 - unsafe.Sizeof(entry{}))
	_ = uint(unsafe.Sizeof(poolHeader{}) - 64)
	_ = uint(64 - unsafe.Sizeof(poolHeader{}))
)
