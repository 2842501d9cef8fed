package mem

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"
)

// A Buffer is a registered buffer that its holder may use until [Buffer.Release]. It is a
// value: a copy is the same buffer, and all copies end with the release. The zero Buffer
// is none.
type Buffer struct {
	pool   *Pool
	data   unsafe.Pointer
	handle uint64
}

// Get returns a free buffer of at least size bytes. What is in it is left over from
// before. It fails with [ErrLimit] or, when no buffer of that size or larger is free,
// [ErrExhausted]; in debug mode also with the errors of [Pool.Check], and the damaged
// buffer is not used again.
func (p *Pool) Get(size int) (Buffer, error) {
	// A goroutine begins its search where its stack says: mostly at the buffer that it
	// had last, which lies in its processor's cache, and mostly not at that of another.
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

// errExhausted is ErrExhausted without numbers, which take a look at all buffers.
var errExhausted = fmt.Errorf("%w", ErrExhausted)

// search tries all buffers that are large enough, and in each class from the one
// that a search found last: where one goroutine has many, the next free one is mostly there
// or right behind it.
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
		p.mu.Lock() // until Close or Check has given back what it took
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

// never returns why there will be no buffer of that size, nil if there may be one.
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
	freed chan uintptr // the size of the buffer that was freed; closed with the pool
}

// GetWait is [Pool.Get], but where all buffers are in use it waits for one until ctx ends,
// and then returns context.Cause(ctx).
func (p *Pool) GetWait(ctx context.Context, size int) (Buffer, error) {
	b, err := p.search(size)
	if err != errExhausted {
		return b, err
	}
	// Go's own releases wake the waiter. C's can't: it looks by itself for those.
	const shortest, longest = time.Millisecond, 16 * time.Millisecond
	pause := shortest
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		w := &waiter{uintptr(size), make(chan uintptr, 1)}
		p.mu.Lock()
		p.waiters = append(p.waiters, w)
		p.waiting.Store(int32(len(p.waiters)))
		p.mu.Unlock()
		// Again, for what was released before the waiter was in the list.
		if b, err = p.search(size); err != errExhausted {
			p.leave(w)
			return b, err
		}
		woken := uintptr(0)
		select {
		case woken = <-w.freed:
		case <-timer.C:
			pause = min(2*pause, longest)
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

// Wake has all calls of GetWait look again. It is for programs in which C is mostly the last
// to release a buffer, and tells Go so: otherwise they look by themselves, after 1 ms and up
// to 16 ms later.
func (p *Pool) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.waiters {
		w.freed <- 0 // no size: who does not want it any more has nothing to pass on
	}
	p.waiters = nil
	p.waiting.Store(0)
}

// leave takes w off the list. If it has been woken meanwhile, the next is.
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

// wake wakes the first waiter that a buffer of the given size is enough for.
func (p *Pool) wake(size uintptr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range p.waiters {
		if w.size <= size {
			p.waiters = slices.Delete(p.waiters, i, i+1)
			p.waiting.Store(int32(len(p.waiters)))
			w.freed <- size
			return
		}
	}
}

// Buffer returns the buffer that C names by a handle, one that Go has not released. It fails
// with [ErrReleased] or [ErrInvalid].
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

// Handle returns what C knows the buffer by, a seam_buffer. It is never 0, and no other
// buffer has it for the next four billion uses of this one.
func (b Buffer) Handle() uint64 { return b.handle }

// Bytes returns the memory of the buffer, all of its capacity, until it is released. After
// that Bytes returns [ErrReleased]; a slice from before must not be used any longer.
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

// Release gives the buffer back. If C holds it (seam_buffer_hold) it is free when C has
// released it too. Of a second release nothing comes but [ErrReleased]. In debug mode a
// release may fail with [ErrCorrupt]; the buffer is not used again then.
func (b Buffer) Release() error {
	if b.pool == nil {
		return errZeroBuffer()
	}
	e := &b.pool.table[b.handle&indexMask]
	s := atomic.LoadUint64(&e.state)
	// What it is while nobody but Go has it.
	if s == b.handle>>32<<32|goHas && !debugOn && atomic.CompareAndSwapUint64(&e.state, s, next(s)) {
		// Behind the store: a waiter is in the list before it looks for the last time.
		if b.pool.waiting.Load() != 0 {
			b.pool.wake(e.cap)
		}
		return nil
	}
	return b.release(e)
}

// release is Release where it is not done at once.
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
			if debugOn { // C holds it; its last release makes it free
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

// releaseDebug ends the last use of a buffer in debug mode. First nobody's handle is good
// for it any longer; only then is it overwritten, and then it is free.
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
	return fmt.Errorf("%w: buffer %d of the pool, %d bytes behind its %d", errOverrun, i, at+1, size)
}

//go:noinline
func errZeroBuffer() error { return fmt.Errorf("%w: the zero Buffer", errHandle) }

// stale says what became of a buffer.
func (b Buffer) stale(s uint64) error {
	what := "it has been free or used %d times since"
	times := uint32(s>>32) - uint32(b.handle>>32)
	if times == 0 {
		what, times = "C still has %d holds on it", uint32(s)&holdMask
	}
	return fmt.Errorf("%w: buffer %d of the pool; "+what, ErrReleased, b.handle&indexMask, times)
}
