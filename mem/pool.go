package mem

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Class says how many buffers of one size a [Pool] has.
type Class struct {
	Size  int // bytes of a buffer, rounded up to a multiple of 64
	Count int // buffers
}

// A Pool has buffers of Go memory that C knows. They are allocated and pinned once, when
// the pool is made, and then reused. C gets the address of the pool once ([Pool.C]) and
// from then on handles of buffers, which it looks up in a table: the handle of a buffer
// released since is an error there, not somebody else's memory. Make a Pool with [NewPool]
// and end it with [Pool.Close]. Its methods may be called from any goroutine.
//
// The classes bound the memory. If no buffer is free, [Pool.Get] fails and [Pool.GetWait]
// waits. Users who wait for a second buffer while they have one, say an input and an
// output, may wait for each other: use two pools, or take both by Get.
type Pool struct {
	classes []class
	table   []entry     // C reads and writes it; pinned
	header  *poolHeader // C reads it
	tag     uint32
	pins    runtime.Pinner

	waiting atomic.Int32 // len(waiters), for Release to look at
	_       [60]byte     // keeps what others write out of its cache line

	mu      sync.Mutex
	waiters []*waiter
	closed  bool
	// claims is odd while Close or Check briefly has all free buffers: a search that found
	// none meanwhile looks again. It changes under mu.
	claims atomic.Uint32

	damage struct { // debug mode
		sync.Mutex
		found map[uint32]bool // buffers that are out of use
	}
}

// A class has the buffers of one size. They lie in one piece of memory, stride apart.
type class struct {
	size, stride uintptr
	first, count uint32 // in the table
	memory       []byte
	found        *atomic.Uint32 // where the last search ended; in a cache line of its own, as every Get reads the rest
}

// poolHeader is seam_pool.
type poolHeader struct {
	abi, tag, count, debug uint32
	entries                uintptr
	_                      [48 - unsafe.Sizeof(uintptr(0))]byte
}

// An entry is seam_buffer_entry: one cache line, so that two buffers never share one. The
// garbage collector sees no pointers in it: the classes keep the memory alive and the pins
// keep it in place.
type entry struct {
	// generation << 32 | goHas | holds, atomic. The low half is 0 when the buffer is
	// free. The goroutine that frees it increments the generation, which makes its handles stale.
	state uint64
	data  uintptr
	cap   uintptr
	_     [16 - 2*unsafe.Sizeof(uintptr(0))]byte
	// Debug mode: 1 if free and as poison left it. C sets it too.
	poisoned uint64
	_        [32]byte
}

const (
	poolABI  = 0x5ea30001
	goHas    = 0x80000000
	holdMask = 0x7fffffff

	// A handle is generation << 32 | tag << indexBits | index.
	indexBits = 20
	indexMask = 1<<indexBits - 1
	maxPools  = 1 << 12
)

// pools are the open ones. A pool that is never closed stays: C may have its address.
var pools struct {
	sync.Mutex
	open [maxPools]*Pool
	next int
}

// headers are the pools' headers by number. They are never freed, so that C can tell that a
// pool is closed. They are a variable of their own so that the linker puts them into the
// segment without pointers: cgo's checks let C have addresses there unseen.
var headers [maxPools]poolHeader

// NewPool returns a pool with buffers of the given classes, in any order. It allocates all
// memory, zeroed. A pool has at most 1,048,576 buffers, and a program at most 4096 pools.
func NewPool(classes ...Class) (*Pool, error) {
	p := &Pool{}
	total, err := p.plan(classes)
	if err != nil {
		return nil, err
	}
	table := aligned(total * int(unsafe.Sizeof(entry{})))
	p.pins.Pin(unsafe.SliceData(table))
	p.table = unsafe.Slice((*entry)(unsafe.Pointer(unsafe.SliceData(table))), total)
	// Generations start at random: a handle of a closed pool is not one of the pool that
	// gets its number.
	generation := uint64(rand.Uint32())
	for i := range p.classes {
		c := &p.classes[i]
		c.memory = aligned(int(c.stride) * int(c.count))
		c.found = (*atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(aligned(64))))
		p.pins.Pin(unsafe.SliceData(c.memory))
		for k := range c.count {
			data := c.buffer(k)
			p.table[c.first+k] = entry{state: max(generation, 1) << 32, data: uintptr(unsafe.Pointer(unsafe.SliceData(data))), cap: c.size}
			if debugOn {
				copy(c.memory[uintptr(k)*c.stride+c.size:], canary)
			}
		}
	}
	if err := p.register(); err != nil {
		p.pins.Unpin()
		return nil, err
	}
	h := p.header
	h.tag, h.count, h.entries, h.debug = p.tag, uint32(total), uintptr(unsafe.Pointer(unsafe.SliceData(table))), 0
	if debugOn {
		h.debug = 1
	}
	atomic.StoreUint32(&h.abi, poolABI) // C looks at this first
	return p, nil
}

// plan checks the classes and puts them in order of size.
func (p *Pool) plan(classes []Class) (total int, err error) {
	if len(classes) == 0 {
		return 0, fmt.Errorf("%w: a pool needs a class of buffers", ErrInvalid)
	}
	for i, c := range classes {
		if c.Size <= 0 || c.Count <= 0 {
			return 0, fmt.Errorf("%w: class %d of the pool is %d buffers of %d bytes; both must be above 0", ErrInvalid, i, c.Count, c.Size)
		}
		if c.Count > indexMask+1-total {
			return 0, fmt.Errorf("%w: class %d of the pool makes it %d buffers; a pool has at most %d", ErrLimit, i, total+c.Count, indexMask+1)
		}
		total += c.Count
		size := (uintptr(c.Size) + 63) &^ 63
		stride := size
		if debugOn {
			stride += canarySize
		}
		if high, low := bits.Mul64(uint64(stride), uint64(c.Count)); size < uintptr(c.Size) || high != 0 || low > maxSize {
			return 0, fmt.Errorf("%w: class %d of the pool is %d buffers of %d bytes", errOverflow, i, c.Count, c.Size)
		}
		p.classes = append(p.classes, class{size: size, stride: stride, count: uint32(c.Count)})
	}
	sort.SliceStable(p.classes, func(i, j int) bool { return p.classes[i].size < p.classes[j].size })
	first := uint32(0)
	for i := range p.classes {
		p.classes[i].first = first
		first += p.classes[i].count
	}
	return total, nil
}

// register gives the pool a number that no other open pool has.
func (p *Pool) register() error {
	pools.Lock()
	defer pools.Unlock()
	for range maxPools {
		i := pools.next
		pools.next = (pools.next + 1) % maxPools
		if pools.open[i] == nil {
			pools.open[i] = p
			p.tag, p.header = uint32(i), &headers[i]
			return nil
		}
	}
	return fmt.Errorf("%w: %d pools are open, as many as there can be; close one", ErrLimit, maxPools)
}

// aligned returns size zero bytes at an address that is a multiple of 64.
func aligned(size int) []byte {
	b := make([]byte, size+63)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & 63
	return b[skip : int(skip)+size : int(skip)+size]
}

func (c *class) buffer(k uint32) []byte {
	at := uintptr(k) * c.stride
	return c.memory[at : at+c.size : at+c.size]
}

// C returns the address of the pool for C, a seam_pool *. It never moves. C may use the
// pool until [Pool.Close]; after that its calls fail, until another pool gets the same
// number, of which there are 4096.
func (p *Pool) C() unsafe.Pointer { return unsafe.Pointer(p.header) }

// Close ends the pool and frees its memory. It fails with [ErrBusy] and changes nothing
// while Go or C has not released a buffer or a [Cache] keeps one. In debug mode it may
// return an error of [Pool.Check], and the pool is closed all the same. A second Close
// returns [ErrClosed].
func (p *Pool) Close() error {
	if p.header == nil {
		return errNoPool
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("%w: a second Close of a Pool", ErrClosed)
	}
	p.claims.Add(1)
	defer p.claims.Add(1)
	p.damage.Lock()
	damaged := p.damage.found
	p.damage.Unlock() // no more come while none is free
	// Take all buffers, so that nobody else can.
	var taken []*entry
	for i := range p.table {
		e := &p.table[i]
		if s := atomic.LoadUint64(&e.state); uint32(s) == 0 && atomic.CompareAndSwapUint64(&e.state, s, s|goHas) {
			taken = append(taken, e)
		}
	}
	if len(taken)+len(damaged) != len(p.table) {
		held := p.Stats().HeldByC
		for _, e := range taken {
			atomic.StoreUint64(&e.state, atomic.LoadUint64(&e.state)&^goHas)
		}
		return fmt.Errorf("%w: %d of %d, %d of them held by C alone; Close works when all are released",
			ErrBusy, len(p.table)-len(taken)-len(damaged), len(p.table), held)
	}
	var err error
	if debugOn {
		for i := range p.table {
			if !damaged[uint32(i)] { // those were reported
				err = errors.Join(err, p.inspect(uint32(i)))
			}
		}
	}
	p.closed = true
	for i := range p.table {
		e := &p.table[i]
		atomic.StoreUint64(&e.state, next(atomic.LoadUint64(&e.state))|goHas)
	}
	atomic.StoreUint32(&p.header.abi, 0)
	pools.Lock()
	pools.open[p.tag] = nil
	pools.Unlock()
	p.pins.Unpin()
	for _, w := range p.waiters {
		if w.freed != nil {
			close(w.freed)
		}
	}
	p.waiters = nil
	p.waiting.Store(0)
	return err
}

// next returns the state of a free buffer in the next generation. No generation is 0, so
// no handle is.
func next(state uint64) uint64 {
	return uint64(max(uint32(state>>32)+1, 1)) << 32
}

// Check looks at all free buffers in debug mode and returns [ErrCorrupt] if somebody wrote
// to one after its release or past its end. Outside debug mode it returns nil.
func (p *Pool) Check() error {
	if !debugOn {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims.Add(1)
	defer p.claims.Add(1)
	var err error
	for i := range p.table {
		e := &p.table[i]
		s := atomic.LoadUint64(&e.state)
		if uint32(s) != 0 || !atomic.CompareAndSwapUint64(&e.state, s, s|goHas) {
			continue
		}
		err = errors.Join(err, p.inspect(uint32(i)))
		atomic.StoreUint64(&e.state, s) // nobody had it, so the generation stays
	}
	return err
}

// inspect checks one buffer, which the caller has taken.
func (p *Pool) inspect(i uint32) error {
	c := p.classOf(i)
	b := c.buffer(i - c.first)
	if at := brokenCanary(b); at >= 0 {
		return errOverrunBuffer(i, at, len(b))
	}
	if atomic.LoadUint64(&p.table[i].poisoned) != 0 {
		if at := spoiled(b); at >= 0 {
			return fmt.Errorf("%w: buffer %d of the pool, byte %d is %#x: somebody kept its address without seam_buffer_hold", errKept, i, at, b[at])
		}
	}
	return nil
}

// discard takes a buffer, which the caller has, out of use for good: it stays taken.
func (p *Pool) discard(i uint32) {
	p.damage.Lock()
	defer p.damage.Unlock()
	if p.damage.found == nil {
		p.damage.found = map[uint32]bool{}
	}
	p.damage.found[i] = true
}

func (p *Pool) classOf(i uint32) *class {
	for k := range p.classes {
		if c := &p.classes[k]; i-c.first < c.count {
			return c
		}
	}
	panic("mem: buffer of no class") // the table has an entry for each buffer of a class
}
