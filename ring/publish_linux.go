package ring

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A Publisher is one writer of records for any number of readers in other processes, each of
// which reads at its own pace. It never waits: a reader that is further behind than the capacity
// loses the oldest records, and is told how many. Records are stored once, whatever the number of
// readers, in memory that readers can't write to.
//
// Its methods may be called from any goroutine.
type Publisher struct {
	mu       sync.Mutex
	place    *place
	fd       int // the memory, for subscribers to come
	memory   []byte
	head     *publication // nil when closed
	data     unsafe.Pointer
	capacity uint64
	pos      uint64 // the next record's
	oldest   uint64 // head.oldest
	number   uint64 // of the last record
	flushes  uint64
	seats    map[*subscription]struct{}
	sync     *annotations
}

// subscription is a subscriber as its publisher sees it.
type subscription struct {
	seat   *seat
	memory []byte
	sock   *net.UnixConn
	waker  *socketWaker
}

// Publish makes a publisher whose subscribers find it by path: that of a Unix socket, which is
// made, for processes of the same user (os.Chmod lets others in), and of a file PATH.lock beside
// it. What a publisher that was killed left there is replaced; a path at which one runs is
// [ErrInvalid].
func Publish(path string, o PublishOptions) (*Publisher, error) {
	capacity := uint64(o.Capacity)
	if o.Capacity == 0 {
		capacity = 1 << 20
	}
	if err := checkCapacity(capacity); err != nil {
		return nil, err
	}
	p := &Publisher{capacity: capacity, seats: map[*subscription]struct{}{}}
	var err error
	if p.fd, p.memory, err = publicMemory(capacity); err != nil {
		return nil, err
	}
	p.sync = annotate(p.fd)
	base := unsafe.Pointer(unsafe.SliceData(p.memory))
	p.head, p.data = (*publication)(base), unsafe.Add(base, publicationSize)
	var life [8]byte
	rand.Read(life[:])
	p.head.magic, p.head.version, p.head.size = publicationMagic, publicationVersion, uint32(publicationSize)
	p.head.capacity, p.head.life = capacity, binary.NativeEndian.Uint64(life[:])|1
	if p.place, err = listenAt(path); err != nil {
		syscall.Close(p.fd)
		syscall.Munmap(p.memory)
		return nil, err
	}
	go p.place.each(p.welcome)
	return p, nil
}

// publicMemory is writable here, and nowhere else.
func publicMemory(capacity uint64) (fd int, memory []byte, err error) {
	size := publicationBytes(capacity)
	if fd, err = unsealedMemfd(int64(size)); err != nil {
		return -1, nil, fmt.Errorf("ring: %d bytes of memory for the records: %w", size, err)
	}
	if err = allocate(fd, int64(size), countsMemory()); err == nil {
		if memory, err = syscall.Mmap(fd, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err == nil {
			if err = seal(fd, sealed|sealFutureWrite); err == nil {
				return fd, memory, nil
			}
			syscall.Munmap(memory)
			err = wrap(ErrUnsupported, "memory that subscribers can't write to needs Linux 5.1: %v", err)
		} else {
			err = fmt.Errorf("ring: %d bytes of memory for the records: %w", size, os.NewSyscallError("mmap", err))
		}
	}
	syscall.Close(fd)
	return -1, nil, err
}

// Send publishes a record, and all that were appended before.
func (p *Publisher) Send(record []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.append(record); err != nil {
		return err
	}
	p.flush()
	return nil
}

// Append adds a record, which subscribers see after [Publisher.Flush] or the next Send: publishing
// many together is cheaper.
func (p *Publisher) Append(record []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.append(record)
}

// Flush publishes what was appended.
func (p *Publisher) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head == nil {
		return ErrClosed
	}
	p.flush()
	return nil
}

// Number returns that of the last record that was sent or appended, or 0.
func (p *Publisher) Number() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.number
}

// Subscribers returns how many there are.
func (p *Publisher) Subscribers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seats)
}

// Close publishes what was appended, and says that nothing follows: subscribers read the rest,
// and then get io.EOF. In a goroutine that panics, or ends by runtime.Goexit, it is Abort.
func (p *Publisher) Close() error { return p.close(unwinding()) }

// Abort is Close without the end: to subscribers it is as if this process had died, and they
// wait for the next publisher at the path.
func (p *Publisher) Abort() error { return p.close(true) }

func (p *Publisher) close(aborts bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head == nil {
		return nil
	}
	if !aborts {
		p.flush()
		p.head.state.Or(closed)
	}
	p.place.close()
	for s := range p.seats {
		p.dismiss(s)
	}
	p.head, p.data = nil, nil
	syscall.Close(p.fd)
	return os.NewSyscallError("munmap", syscall.Munmap(p.memory))
}

func (p *Publisher) word(pos uint64) *uint64 {
	return (*uint64)(unsafe.Add(p.data, pos&(p.capacity-1)))
}

func (p *Publisher) append(record []byte) error {
	if p.head == nil {
		return ErrClosed
	}
	need := publicationRecord(uint64(len(record)))
	if need > p.capacity/2 {
		return invalid("a record of %d bytes: it may have %d at a capacity of %d", len(record), p.capacity/2-publicationHeader, p.capacity)
	}
	tail := p.capacity - p.pos&(p.capacity-1)
	take := need
	if tail < need {
		take += tail
	}
	if p.pos+take-p.oldest > p.capacity {
		p.makeRoom(take)
	}
	if tail < need {
		*p.word(p.pos) = padding<<32 | tail - 8
		p.pos += tail
	}
	p.number++
	header := p.word(p.pos)
	*header = uint64(len(record))
	*(*uint64)(unsafe.Add(unsafe.Pointer(header), 8)) = p.number
	copy(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(header), publicationHeader)), len(record)), record)
	p.pos += need
	return nil
}

// makeRoom gives up the oldest records, an eighth of all more than it must: subscribers look at
// head.oldest after each record, and fetch its line again each time that it moves.
//
// A subscriber that reads what is written after this sees head.oldest beyond it: the store comes
// before what is written. On amd64 stores are seen in their order; elsewhere the load after the
// store keeps what follows behind it (docs/design/ringpublish.md).
func (p *Publisher) makeRoom(take uint64) {
	to := p.pos + min(take+p.capacity/8, p.capacity)
	if to-p.head.written.Load() > p.capacity {
		p.flush() // nothing is given up before it was published
	}
	for to-p.oldest > p.capacity && p.oldest != p.pos {
		w := *p.word(p.oldest)
		if w>>32 == padding {
			p.oldest += w&0xffffffff + 8
		} else {
			p.oldest += publicationRecord(w)
		}
	}
	p.head.oldest.Store(p.oldest)
	p.head.oldest.Load()
}

// flush publishes, and wakes who sleeps. Swap is a full fence, as in a ring: either a subscriber
// that goes to sleep sees the position, or this sees that it sleeps.
func (p *Publisher) flush() {
	if p.head.written.Load() == p.pos {
		return
	}
	p.sync.release()
	last := &p.head.last[p.flushes&1]
	p.flushes++
	atomic.StoreUint64(&last.written, p.pos)
	atomic.StoreUint64(&last.number, p.number)
	p.head.written.Swap(p.pos)
	for s := range p.seats {
		if s.seat.waits.Load() != 0 && s.seat.waits.Swap(0) != 0 {
			s.waker.wake()
		}
	}
}

// welcome gives a subscriber the memory and a seat. Nothing is asked of it, so it can make
// nobody wait.
func (p *Publisher) welcome(sock *net.UnixConn, err error) error {
	if err != nil {
		return err
	}
	fail := func(err error) error { sock.Close(); return err }
	fd, err := memfd(int64(unsafe.Sizeof(seat{})))
	if err != nil {
		return fail(err)
	}
	defer syscall.Close(fd)
	if err := allocate(fd, int64(unsafe.Sizeof(seat{})), countsMemory()); err != nil {
		return fail(err)
	}
	memory, err := syscall.Mmap(fd, 0, int(unsafe.Sizeof(seat{})), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return fail(os.NewSyscallError("mmap", err))
	}
	s := &subscription{seat: (*seat)(unsafe.Pointer(unsafe.SliceData(memory))), memory: memory, sock: sock}
	if s.waker, err = newSocketWaker(sock); err != nil {
		syscall.Munmap(memory)
		return fail(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head == nil {
		syscall.Munmap(memory)
		return fail(nil)
	}
	p.flush() // so that the next record's place and number are known
	w := welcome{magic: p.head.magic, version: p.head.version, size: p.head.size, life: p.head.life, written: p.pos, capacity: p.capacity, number: p.number + 1}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&w)), welcomeSize)
	if _, _, err := sock.WriteMsgUnix(bytes, syscall.UnixRights(p.fd, fd), nil); err != nil {
		syscall.Munmap(memory)
		sock.Close()
		return nil // it has gone
	}
	p.seats[s] = struct{}{}
	go p.watch(s)
	return nil
}

// watch dismisses a subscriber when it hangs up, or says anything.
func (p *Publisher) watch(s *subscription) {
	s.sock.Read(make([]byte, 1))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dismiss(s)
}

func (p *Publisher) dismiss(s *subscription) {
	if _, there := p.seats[s]; there {
		delete(p.seats, s)
		s.sock.Close()
		s.seat = nil
		syscall.Munmap(s.memory)
	}
}
