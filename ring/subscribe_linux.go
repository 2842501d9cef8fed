package ring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A Subscriber reads what a [Publisher] in another process publishes, or seam_ring_publisher in
// C. It finds the publisher again when that has died and another one publishes at its path.
//
// Next is for one goroutine at a time.
type Subscriber struct {
	path string
	o    SubscribeOptions
	over chan struct{} // closed by Close
	once sync.Once

	mu   sync.Mutex // for what follows, held by Next
	view *view      // nil while there is no publisher
	pos  uint64     // of the next record
	seen uint64     // up to where there are records, when last looked at
	next uint64     // the number that the next record should have
	life uint64     // of the publisher whose number that is
	lost atomic.Uint64
	rest uint64 // what was lost and isn't told yet: the end of a life
	had  bool   // there was a publisher, so what is before next has been read
	buf  []byte
	spin spinner

	asked *net.UnixConn // a publisher that hasn't answered

	sock atomic.Pointer[net.UnixConn] // of the view, for Close
}

// view is a publisher as its subscriber sees it.
type view struct {
	head     *publication
	data     unsafe.Pointer
	capacity uint64
	seat     *seat
	memory   []byte
	page     []byte
	sock     *net.UnixConn
	gone     bool // it has hung up
	sync     *annotations
}

// Subscribe finds the publisher at a path. It waits for one until ctx ends, and so does
// [Subscriber.Next] after the publisher has died; what can't be fixed by waiting, such as a path
// that this user may not open, is an error at once.
func Subscribe(ctx context.Context, path string, o SubscribeOptions) (*Subscriber, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	s := &Subscriber{path: path, o: o, over: make(chan struct{}), spin: Options{Spin: o.Spin}.spinner()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.find(ctx); err != nil {
		s.leave()
		return nil, err
	}
	return s, nil
}

// Close ends a Next that waits, and all that come, by [ErrClosed]. Any goroutine may call it.
func (s *Subscriber) Close() error {
	s.once.Do(func() { close(s.over) })
	if sock := s.sock.Load(); sock != nil {
		sock.SetReadDeadline(past)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave()
	return nil
}

// Lost returns how many records were lost so far: all that Next has told, and what was lost at the
// end of a life. Any goroutine may call it.
func (s *Subscriber) Lost() uint64 { return s.lost.Load() }

func (s *Subscriber) closed() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// Next returns the next record, io.EOF when the publisher has said that there is none, or the
// error of ctx.
func (s *Subscriber) Next(ctx context.Context) (Publication, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for overtaken := 0; ; {
		if s.closed() {
			return Publication{}, ErrClosed
		}
		if s.view == nil {
			if err := s.find(ctx); err != nil {
				return Publication{}, err
			}
		}
		if s.pos%8 != 0 { // where no word can be loaded
			s.leave()
			return Publication{}, corrupt("the publisher's position %d can't be one", s.pos)
		}
		if s.pos == s.seen {
			if err := s.await(ctx); err != nil {
				return Publication{}, err
			}
			continue
		}
		p, what, err := s.view.read(s)
		switch {
		case err != nil:
			s.leave()
			return Publication{}, err
		case what == overtook:
			// Once more from the oldest; and if that is overwritten too before it has been
			// read, from what comes next.
			s.pos = s.view.head.oldest.Load()
			if s.seen = s.view.head.written.Load(); overtaken > 0 {
				s.pos = s.seen
			}
			overtaken++
			if err := ctx.Err(); err != nil {
				return Publication{}, err
			}
		case what == aRecord:
			return p, nil
		}
	}
}

// loadsInOrder: this processor's loads are seen in the order of the program.
const loadsInOrder = runtime.GOARCH == "amd64" || runtime.GOARCH == "386"

// What lies at a position.
const (
	aRecord = iota
	aGap    // padding, or a record that was read before
	overtook
)

// read copies the record at s.pos, and then looks whether it was overwritten meanwhile: the
// publisher moves head.oldest beyond a record before it overwrites it. What keeps the copy before
// that look is the store to the seat between them: stores are not seen before loads that precede
// them, and head.oldest isn't loaded before the store that precedes it (docs/design/ringpublish.md).
func (v *view) read(s *Subscriber) (p Publication, what int, err error) {
	at := unsafe.Add(v.data, s.pos&(v.capacity-1))
	tail := v.capacity - s.pos&(v.capacity-1)
	word := atomic.LoadUint64((*uint64)(at))
	n, kind := word&0xffffffff, word>>32
	var number uint64
	valid := s.seen-s.pos <= v.capacity
	switch {
	case kind == padding:
		valid = valid && n+8 == tail && tail <= s.seen-s.pos
	case kind == 0 && tail >= publicationHeader && publicationRecord(n) <= min(tail, v.capacity/2):
		valid = valid && publicationRecord(n) <= s.seen-s.pos
		number = atomic.LoadUint64((*uint64)(unsafe.Add(at, 8)))
		if valid {
			s.buf = append(s.buf[:0], unsafe.Slice((*byte)(unsafe.Add(at, publicationHeader)), n)...)
		}
	default:
		valid = false
	}
	if !loadsInOrder {
		v.seat.fence.Store(0)
	}
	if int64(v.head.oldest.Load()-s.pos) > 0 {
		return p, overtook, nil
	}
	if !valid {
		return p, aGap, corrupt("the publisher's record at %d can't be one", s.pos)
	}
	if kind == padding {
		s.pos += tail
		return p, aGap, nil
	}
	s.pos += publicationRecord(n)
	if number < s.next {
		return p, aGap, nil
	}
	s.lost.Add(number - s.next)
	p = Publication{Data: s.buf, Number: number, Lost: number - s.next + s.rest, Life: s.life}
	s.next, s.rest = number+1, 0
	return p, aRecord, nil
}

// await returns nil when there is something at s.pos, or there may be.
func (s *Subscriber) await(ctx context.Context) error {
	v := s.view
	moved := func() bool {
		s.seen = v.head.written.Load()
		v.sync.acquire()
		return s.seen != s.pos
	}
	if moved() {
		return nil
	}
	var begin time.Time
	var found bool
	if !v.gone {
		if begin, found = s.spin.until(&v.head.written, s.pos, (*uint64)(unsafe.Add(v.data, s.pos&(v.capacity-1)))); found {
			return nil
		}
	}
	ended := v.head.state.Load()&closed != 0
	gone := v.gone
	if moved() {
		return nil
	}
	switch {
	case ended || gone:
		if err := s.end(); err != nil || ended {
			return cmp.Or(err, io.EOF)
		}
		s.leave()
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	v.seat.waits.Swap(1)
	if moved() || v.head.state.Load()&closed != 0 {
		v.seat.waits.Swap(0)
		return nil
	}
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { v.sock.SetReadDeadline(past) })()
	}
	if s.closed() {
		return nil
	}
	_, err := v.sock.Read(s.bytes())
	switch {
	case err == nil:
		if !begin.IsZero() {
			s.spin.learn(time.Since(begin))
		}
	case errors.Is(err, os.ErrDeadlineExceeded):
		v.sock.SetReadDeadline(time.Time{}) // what for is to be seen in ctx and over
	default:
		v.gone = true
	}
	return nil
}

// end counts what was lost at the end of a life, where no record comes whose number would tell.
func (s *Subscriber) end() error {
	for i := range s.view.head.last {
		last := &s.view.head.last[i]
		if atomic.LoadUint64(&last.written) != s.pos {
			continue
		}
		if n := atomic.LoadUint64(&last.number) + 1; n > s.next {
			s.lost.Add(n - s.next)
			s.rest += n - s.next
			s.next = n
		}
		return nil
	}
	return corrupt("the publisher's last record has no number")
}

// bytes is room for what wakes.
func (s *Subscriber) bytes() []byte {
	if cap(s.buf) < 64 {
		s.buf = make([]byte, 64)
	}
	return s.buf[:64]
}

// leave frees what there is of a publisher.
func (s *Subscriber) leave() {
	if s.asked != nil {
		s.asked.Close()
		s.asked = nil
	}
	if v := s.view; v != nil {
		s.view = nil
		s.sock.Store(nil)
		v.sock.Close()
		v.head, v.data, v.seat = nil, nil, nil
		syscall.Munmap(v.memory)
		syscall.Munmap(v.page)
	}
}

// find waits for a publisher.
func (s *Subscriber) find(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-s.over:
			cancel(ErrClosed)
		case <-stop:
		}
	}()
	if err := persist(ctx, s.path, s.dial); !errors.Is(err, ErrClosed) {
		return err
	}
	return ErrClosed
}

// dial connects to the publisher that is there. One that lets nobody in before ctx ends is asked
// again the next time, over the same socket.
func (s *Subscriber) dial(ctx context.Context) error {
	sock := s.asked
	s.asked = nil
	if sock == nil {
		var dialer net.Dialer
		c, err := dialer.DialContext(ctx, "unix", s.path)
		if err != nil {
			return fmt.Errorf("ring: %w", err)
		}
		sock = c.(*net.UnixConn)
	}
	stop := context.AfterFunc(ctx, func() { sock.SetReadDeadline(past) })
	w, fds, err := receiveWelcome(sock)
	defer func() { closeAll(fds) }()
	if !stop() {
		sock.SetReadDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil && !s.closed() {
		s.asked = sock
		return fmt.Errorf("who listens there has sent nothing: a publisher in C or Python lets readers in when it publishes or tends, and who accepts connections is none: %w", err)
	}
	var v *view
	if err == nil {
		v, err = w.view(sock, fds, s.o)
	}
	if err != nil {
		sock.Close()
		return err
	}
	s.view = v
	s.sock.Store(sock)
	last := s.o.Life
	if s.had {
		last = s.life
	} else if last != 0 {
		s.next = s.o.Number + 1
	}
	s.pos, s.life = w.written, w.life
	switch {
	case !s.had && last == 0 && !s.o.History:
		s.next = w.number
	case last != w.life:
		s.next = 1
		fallthrough
	default:
		s.pos = v.head.oldest.Load()
	}
	s.seen, s.had = s.pos, true
	return nil
}

// receiveWelcome is receiveFDs for what a publisher sends.
func receiveWelcome(sock *net.UnixConn) (w welcome, fds []int, err error) {
	if fds, err = readGreeting(sock, unsafe.Slice((*byte)(unsafe.Pointer(&w)), welcomeSize)); err != nil {
		return w, fds, err
	}
	switch {
	case w.magic != publicationMagic:
		err = wrap(ErrMismatch, "who listens there is no publisher")
	case w.version != publicationVersion || uint64(w.size) != publicationSize:
		err = wrap(ErrMismatch, "the publisher has version %d of the layout, and this side %d", w.version, publicationVersion)
	case len(fds) != 2:
		err = wrap(ErrMismatch, "the publisher sent %d descriptors in place of 2", len(fds))
	}
	return w, fds, err
}

// view maps what the publisher has sent.
func (w welcome) view(sock *net.UnixConn, fds []int, o SubscribeOptions) (*view, error) {
	limit := uint64(64 << 20)
	if o.MaxCapacity != 0 {
		limit = uint64(o.MaxCapacity)
	}
	if err := checkCapacity(w.capacity); err != nil {
		return nil, wrap(ErrMismatch, "the publisher: %v", err)
	}
	if w.capacity > limit {
		return nil, wrap(ErrMismatch, "the publisher's ring has %d bytes, and the limit is %d", w.capacity, limit)
	}
	size, page := publicationBytes(w.capacity), unsafe.Sizeof(seat{})
	if err := checkMemfd(fds[0], int64(size)); err != nil {
		return nil, err
	}
	if err := checkMemfd(fds[1], int64(page)); err != nil {
		return nil, err
	}
	v := &view{sock: sock, capacity: w.capacity, sync: annotate(fds[0])}
	var err error
	if v.memory, err = syscall.Mmap(fds[0], 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED); err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	if v.page, err = syscall.Mmap(fds[1], 0, int(page), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		syscall.Munmap(v.memory)
		return nil, os.NewSyscallError("mmap", err)
	}
	base := unsafe.Pointer(unsafe.SliceData(v.memory))
	v.head, v.data = (*publication)(base), unsafe.Add(base, publicationSize)
	v.seat = (*seat)(unsafe.Pointer(unsafe.SliceData(v.page)))
	return v, nil
}
