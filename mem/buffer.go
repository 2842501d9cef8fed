package mem

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/bubble"
)

// A Buffer is a registered buffer, which may be used until [Buffer.Release]. It is a
// value: copies name the same buffer, and its release ends all of them. The zero Buffer
// names none.
type Buffer struct {
	pool   *Pool
	data   unsafe.Pointer
	handle uint64
}

// Get returns a free buffer of at least size bytes. Its contents are whatever the last
// user left. Get fails with [ErrLimit] if no buffer of the pool is that large and with
// [ErrExhausted] if none of those that are is free. In debug mode it may also fail as
// [Pool.Check] does; the damaged buffer is then not used again.
func (p *Pool) Get(size int) (Buffer, error) {
	// The address of the goroutine's stack decides where its search starts: mostly at the
	// buffer it had last, which is still in the processor's cache, and mostly not at one
	// that another goroutine uses.
	var here byte
	start := uint64(uintptr(unsafe.Pointer(&here))>>11) * 0x9e3779b97f4a7c15 >> 32
	for i := range p.classes {
		c := &p.classes[i]
		if uintptr(size) > c.size {
			continue
		}
		k := uint32(start * uint64(c.count) >> 32)
		n := c.first + k
		e := &p.table[n]
		if s := atomic.LoadUint64(&e.state); uint32(s) == 0 && !debugOn && atomic.CompareAndSwapUint64(&e.state, s, s|goHas) {
			return Buffer{p, unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.memory)), uintptr(k)*c.stride),
				s | uint64(p.tag)<<indexBits | uint64(n)}, nil
		}
		break
	}
	b, err := p.search(size)
	if err == errExhausted {
		err = p.exhausted(size)
	}
	return b, err
}

// errExhausted is ErrExhausted without the numbers, which take a look at every buffer.
var errExhausted = fmt.Errorf("%w", ErrExhausted)

// search tries all buffers that are large enough. In each class it starts at the one that
// the last search found: if one goroutine takes many, the next free one is usually there
// or right after it.
func (p *Pool) search(size int) (Buffer, error) {
	for {
		claims := p.claims.Load()
		for i := range p.classes {
			c := &p.classes[i]
			if uintptr(size) > c.size {
				continue
			}
			k := c.found.Load()
			for range c.count {
				if b, ok, err := p.take(c, k); ok || err != nil {
					if c.found.Load() != k {
						c.found.Store(k)
					}
					return b, err
				}
				if k++; k >= c.count {
					k = 0
				}
			}
		}
		if err := p.never(size); err != nil {
			return Buffer{}, err
		}
		if claims%2 == 0 && p.claims.Load() == claims {
			return Buffer{}, errExhausted
		}
		p.mu.Lock() // wait until Close or Check has given back what it took
		closed := p.closed
		p.mu.Unlock()
		if closed {
			return Buffer{}, errClosedGet()
		}
	}
}

// take takes the k-th buffer of a class if it is free.
func (p *Pool) take(c *class, k uint32) (b Buffer, ok bool, err error) {
	n := c.first + k
	e := &p.table[n]
	s := atomic.LoadUint64(&e.state)
	if uint32(s) != 0 || !atomic.CompareAndSwapUint64(&e.state, s, s|goHas) {
		return Buffer{}, false, nil
	}
	if debugOn {
		if err := p.inspect(n); err != nil {
			p.discard(n)
			return Buffer{}, false, err
		}
		atomic.StoreUint64(&e.poisoned, 0)
	}
	return Buffer{p, unsafe.Pointer(unsafe.SliceData(c.buffer(k))), s | uint64(p.tag)<<indexBits | uint64(n)}, true, nil
}

// never returns why there can't ever be a buffer of that size, or nil if there may be.
func (p *Pool) never(size int) error {
	if p.header == nil {
		return errNoPool
	}
	largest := p.classes[len(p.classes)-1].size
	switch {
	case size < 0:
		return fmt.Errorf("%w: a buffer of %d bytes", errNegative, size)
	case uintptr(size) > largest:
		return fmt.Errorf("%w: %d bytes, the largest buffer has %d", errTooLarge, size, largest)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosedGet()
	}
	return nil
}

func errClosedGet() error { return fmt.Errorf("%w: Get of a closed Pool", ErrClosed) }

// exhausted says who has the buffers.
func (p *Pool) exhausted(size int) error {
	s := p.Stats()
	return fmt.Errorf("%w of %d bytes or more: of %d in all, Go has %d and C alone holds %d", ErrExhausted, size, s.Buffers, s.InUse, s.HeldByC)
}

// A waiter is a GetWait that found no buffer.
type waiter struct {
	size  uintptr
	freed chan uintptr // the size of the buffer that was freed; closed with the pool; nil if it only polls
}

// A release by Go wakes a waiter. A release by C can't, so a waiter also polls.
const shortestPause, longestPause = time.Millisecond, 16 * time.Millisecond

// GetWait is [Pool.Get], except that it waits while all buffers are in use. If ctx ends
// first it returns context.Cause(ctx). In a bubble of testing/synctest it only polls, by the
// bubble's clock.
func (p *Pool) GetWait(ctx context.Context, size int) (Buffer, error) {
	b, err := p.search(size)
	if err != errExhausted {
		return b, err
	}
	if bubble.Inside() {
		return p.poll(ctx, size)
	}
	pause := shortestPause
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		w := p.enlist(&waiter{uintptr(size), make(chan uintptr, 1)})
		// Once more, for what was released before the waiter was in the list.
		if b, err = p.search(size); err != errExhausted {
			p.leave(w)
			return b, err
		}
		woken := uintptr(0)
		select {
		case woken = <-w.freed:
		case <-timer.C:
			pause = min(2*pause, longestPause)
			timer.Reset(pause)
			p.leave(w)
		case <-ctx.Done():
			p.leave(w)
			return Buffer{}, context.Cause(ctx)
		}
		b, err = p.search(size)
		if err == nil && woken != 0 && p.table[b.handle&indexMask].cap != woken {
			p.wake(woken) // woken for another buffer, which may still be free
		}
		if err != errExhausted {
			return b, err
		}
	}
}

// Wake makes all waiting calls of GetWait look again. Call it when C, usually the last to
// release a buffer in your program, reports that it has released one; otherwise GetWait
// polls, first after 1 ms and then at intervals of up to 16 ms.
func (p *Pool) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = slices.DeleteFunc(p.waiters, func(w *waiter) bool {
		if w.freed != nil {
			w.freed <- 0 // no size: a waiter that gives up has nothing to pass on
		}
		return w.freed != nil
	})
	p.waiting.Store(int32(len(p.waiters)))
}

func (p *Pool) enlist(w *waiter) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = append(p.waiters, w)
	p.waiting.Store(int32(len(p.waiters)))
	return w
}

// leave takes w off the list. If w has been woken meanwhile it wakes the next waiter.
func (p *Pool) leave(w *waiter) {
	p.mu.Lock()
	if i := slices.Index(p.waiters, w); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
		p.waiting.Store(int32(len(p.waiters)))
	}
	p.mu.Unlock()
	select {
	case size, ok := <-w.freed:
		if ok {
			p.wake(size)
		}
	default:
	}
}

// wake wakes the first waiter for which a buffer of the given size is large enough.
func (p *Pool) wake(size uintptr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range p.waiters {
		if w.freed != nil && w.size <= size {
			p.waiters = slices.Delete(p.waiters, i, i+1)
			p.waiting.Store(int32(len(p.waiters)))
			w.freed <- size
			return
		}
	}
}

// Buffer returns the buffer for a handle that comes from C. It fails with [ErrReleased] if
// Go has released the buffer and with [ErrInvalid] if the handle is not of this pool.
func (p *Pool) Buffer(handle uint64) (Buffer, error) {
	i := uint32(handle) & indexMask
	if uint32(handle)>>indexBits != p.tag || int(i) >= len(p.table) {
		return Buffer{}, fmt.Errorf("%w of this pool: %#x", errHandle, handle)
	}
	if s := atomic.LoadUint64(&p.table[i].state); s>>32 != handle>>32 || s&goHas == 0 {
		return Buffer{}, fmt.Errorf("%w: %#x: Go has released the buffer since", errStale, handle)
	}
	c := p.classOf(i)
	return Buffer{p, unsafe.Pointer(unsafe.SliceData(c.buffer(i - c.first))), handle}, nil
}

// Handle returns the number by which C knows the buffer, a seam_buffer. It is never 0, and
// no other use of a buffer gets it for the next four billion uses of this one.
func (b Buffer) Handle() uint64 { return b.handle }

// Bytes returns the buffer's memory, all of its capacity. The slice must not be used once
// the buffer is released; from then on Bytes returns [ErrReleased].
func (b Buffer) Bytes() ([]byte, error) {
	if b.pool == nil {
		return nil, errZeroBuffer()
	}
	e := &b.pool.table[b.handle&indexMask]
	if s := atomic.LoadUint64(&e.state); s>>32 != b.handle>>32 || s&goHas == 0 {
		return nil, b.stale(s)
	}
	return unsafe.Slice((*byte)(b.data), e.cap), nil
}

// Release gives the buffer back. If C holds it (seam_buffer_hold), it becomes free when C
// has released it too. A second Release only returns [ErrReleased]. In debug mode Release
// fails with [ErrCorrupt] if somebody wrote past the buffer's end; the buffer is then not
// used again.
func (b Buffer) Release() error {
	if b.pool == nil {
		return errZeroBuffer()
	}
	e := &b.pool.table[b.handle&indexMask]
	s := atomic.LoadUint64(&e.state)
	// The state while only Go has it.
	if s == b.handle>>32<<32|goHas && !debugOn && atomic.CompareAndSwapUint64(&e.state, s, next(s)) {
		// After the store: a waiter is in the list before it looks for the last time.
		if b.pool.waiting.Load() != 0 {
			b.pool.wake(e.cap)
		}
		return nil
	}
	return b.release(e)
}

// release is Release off the fast path.
func (b Buffer) release(e *entry) error {
	i := uint32(b.handle & indexMask)
	c := b.pool.classOf(i)
	for {
		s := atomic.LoadUint64(&e.state)
		if s>>32 != b.handle>>32 || s&goHas == 0 {
			return b.stale(s)
		}
		after := s &^ goHas
		if uint32(after) == 0 {
			after = next(s)
		}
		if debugOn && uint32(after) == 0 {
			return b.releaseDebug(e, s, i, c)
		}
		if atomic.CompareAndSwapUint64(&e.state, s, after) {
			if debugOn { // C still holds it, and its last release frees it
				if at := brokenCanary(c.buffer(i - c.first)); at >= 0 {
					return errOverrunBuffer(i, at, int(c.size))
				}
			}
			if uint32(after) == 0 && b.pool.waiting.Load() != 0 {
				b.pool.wake(c.size)
			}
			return nil
		}
	}
}

// releaseDebug ends the last use of a buffer in debug mode. It first makes all handles
// stale, then overwrites the buffer, and only then frees it.
func (b Buffer) releaseDebug(e *entry, s uint64, i uint32, c *class) error {
	if !atomic.CompareAndSwapUint64(&e.state, s, next(s)|goHas) {
		return b.release(e)
	}
	data := c.buffer(i - c.first)
	if at := brokenCanary(data); at >= 0 {
		b.pool.discard(i)
		return errOverrunBuffer(i, at, len(data))
	}
	poison(data)
	atomic.StoreUint64(&e.poisoned, 1)
	atomic.StoreUint64(&e.state, next(s))
	if b.pool.waiting.Load() != 0 {
		b.pool.wake(c.size)
	}
	return nil
}

func errOverrunBuffer(i uint32, at, size int) error {
	return fmt.Errorf("%w: buffer %d of the pool, %d bytes past its %d", errOverrun, i, at+1, size)
}

//go:noinline
func errZeroBuffer() error { return fmt.Errorf("%w: the zero Buffer", errHandle) }

// stale says what has become of a buffer.
func (b Buffer) stale(s uint64) error {
	what := "it has been free or used %d times since"
	times := uint32(s>>32) - uint32(b.handle>>32)
	if times == 0 {
		what, times = "C still has %d holds on it", uint32(s)&holdMask
	}
	return fmt.Errorf("%w: buffer %d of the pool; "+what, ErrReleased, b.handle&indexMask, times)
}
