package thrift

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"sync"
	"sync/atomic"
)

// The types of a stream's frames, as the number 27 of their headers has them.
const (
	frameMeta    = '1' // is for proxies
	frameHeader  = '2' // the client's opens the stream, the server's stands in front of its messages
	frameData    = '3' // a message
	frameTrailer = '4' // the end of what this side sends; the server's ends the stream
	frameReset   = '5' // ends the stream at once

	infoFrameType = 27
	infoMethod    = 9
)

// appendFrameInfo appends the section with the type and the function of a stream's frame.
func appendFrameInfo(b []byte, kind byte, function string) ([]byte, error) {
	b = append(b, ttNumbers, 0, 2, 0, infoFrameType, 0, 1, kind, 0, infoMethod)
	return appendShort(b, function)
}

// frame returns the type and the function that a frame's header has; 0 and "" stand for none.
func (s sections) frame() (kind byte, function []byte) {
	_ = s.each(func(p pair) bool {
		switch {
		case p.numbered && p.number == infoFrameType && len(p.value) == 1:
			kind = p.value[0]
		case p.numbered && p.number == infoMethod:
			function = p.value
		}
		return true
	})
	return kind, function
}

// streamFrame returns in buf a frame of a stream. msg, with headroom in front, is what it carries.
func streamFrame(buf, msg []byte, id int32, kind byte, function string, info []byte) ([]byte, error) {
	head, err := appendFrameInfo(make([]byte, 0, 16+len(function)+len(info)), kind, function)
	if err != nil {
		return buf, err
	}
	if head = append(head, info...); len(head) > mostInfo {
		return buf, fmt.Errorf("info of %d bytes is too large for the header of a frame (at most %d)", len(head), mostInfo)
	}
	return ttFrame(buf, msg, ttHeader{seq: id, protocol: ttStruct, stream: true, info: head})
}

// exceptionFrame returns a frame that carries an exception.
func exceptionFrame(id int32, kind byte, function string, e *ApplicationException, info []byte) ([]byte, error) {
	b := AppendMessageHeader(make([]byte, Headroom), Binary, function, ExceptionMessage, id)
	return streamFrame(nil, e.append(b, Binary), id, kind, function, info)
}

// frameException is the exception in a frame; nil if it carries none.
func frameException(b []byte, l Limits) *ApplicationException {
	if len(b) == 0 {
		return nil
	}
	e := new(ApplicationException)
	h, n, err := ParseMessageHeader(b)
	if err == nil && h.Type != ExceptionMessage {
		err = fmt.Errorf("message of type %v, want an exception", h.Type)
	}
	if err == nil {
		err = e.parse(b[n:], h.Protocol, l)
	}
	if err != nil {
		return &ApplicationException{ProtocolError, fmt.Sprintf("an exception that can't be read: %v", err)}
	}
	return e
}

const (
	// defaultUnread is how many bytes of a stream's messages wait for its reader.
	defaultUnread = 1 << 20
	// messageCost is what an unread message takes beside its bytes.
	messageCost = 64
)

// A callStream is one side of a stream. Its connection's reader puts messages into it, and its
// program takes them out.
type callStream struct {
	id       int32
	function string
	decode   Options
	most     int           // of unread bytes; a message that finds none is taken in any case
	all      *atomic.Int64 // unread bytes of all streams of the connection; or nil
	write    func(frame []byte) error
	stop     func(err error) // ends the stream early, at both sides; nil at a server

	mu      sync.Mutex
	change  sync.Cond // of what follows
	queue   [][]byte
	bytes   int
	head    *Info // of the other side
	tail    Info
	last    error // why no message follows those in queue: io.EOF, or what the peer says; nil: there may be more
	failed  error // why the stream is over; what was not read is dropped
	halfway bool  // this side sends no more

	sending  sync.Mutex
	msg, out []byte // under it
	begun    bool   // a server's header frame was written
	first    []byte // its info
}

func (s *callStream) init() { s.change.L = &s.mu }

// fail ends the stream at this side.
func (s *callStream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return
	}
	s.failed = err
	s.queue = nil
	s.took(s.bytes)
	s.change.Broadcast()
}

// took says that unread bytes are fewer. s.mu is held.
func (s *callStream) took(n int) {
	s.bytes -= n
	if s.all != nil {
		s.all.Add(int64(-n))
	}
}

// ends says that no more messages come, because of err.
func (s *callStream) ends(err error, tail Info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last, s.tail = err, tail
	}
	s.change.Broadcast()
}

// begins takes the other side's header.
func (s *callStream) begins(head Info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.head == nil {
		s.head = &head
	}
	s.change.Broadcast()
}

// put adds a message, which is the stream's from then on. If there is no room for it, it waits,
// or is false.
func (s *callStream) put(b []byte, wait bool) bool {
	n := len(b) + messageCost
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.failed == nil && s.last == nil && s.bytes > 0 && s.bytes+n > s.most {
		if !wait {
			return false
		}
		s.change.Wait()
	}
	if s.failed == nil && s.last == nil {
		s.queue = append(s.queue, b)
		s.took(-n)
		s.change.Broadcast()
	}
	return true
}

// take returns the next message; io.EOF behind the last.
func (s *callStream) take() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.failed != nil:
			return nil, s.failed
		case len(s.queue) > 0:
			b := s.queue[0]
			s.queue[0] = nil
			s.queue = s.queue[1:]
			s.took(len(b) + messageCost)
			s.change.Broadcast()
			return b, nil
		case s.last != nil:
			return nil, s.last
		}
		s.change.Wait()
	}
}

// sendable is the error of a stream on which this side can't send.
func (s *callStream) sendable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil:
		return s.failed
	case s.halfway:
		return fmt.Errorf("stream %s: its end was sent already", s.function)
	case s.stop != nil && s.last == io.EOF:
		return fmt.Errorf("stream %s: the server has ended it: %w", s.function, io.EOF)
	case s.stop != nil && s.last != nil:
		return s.last
	}
	return nil
}

// send sends a message.
func (s *callStream) send(m Body) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := s.sendable(); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	b, err := m.AppendBinary(append(s.msg[:0], make([]byte, Headroom)...))
	if err != nil {
		return fmt.Errorf("stream %s: message: %w", s.function, err)
	}
	s.msg = keep(b)
	out, err := streamFrame(s.out, b, s.id, frameData, s.function, nil)
	s.out = keep(out)
	if err == nil {
		err = s.write(out)
	}
	return s.said(err)
}

// said is the error for the program where a frame couldn't be written: what has ended the stream
// meanwhile, if anything has.
func (s *callStream) said(err error) error {
	if err == nil {
		return nil
	}
	s.mu.Lock()
	failed := s.failed
	s.mu.Unlock()
	if failed != nil {
		return failed
	}
	return fmt.Errorf("stream %s: %w", s.function, err)
}

// begin has a server's header frame written before anything else. s.sending is held.
func (s *callStream) begin() error {
	if s.stop != nil || s.begun {
		return nil
	}
	s.begun = true
	b, err := streamFrame(nil, make([]byte, Headroom), s.id, frameHeader, s.function, s.first)
	if err == nil {
		err = s.write(b)
	}
	return s.said(err)
}

// closeSend sends the end of what a client sends.
func (s *callStream) closeSend() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.sendable() != nil {
		return nil // the server has ended the stream, or this was called before
	}
	s.mu.Lock()
	s.halfway = true
	s.mu.Unlock()
	b, err := streamFrame(nil, make([]byte, Headroom), s.id, frameTrailer, s.function, nil)
	if err == nil {
		err = s.write(b)
	}
	return s.said(err)
}

// A Receiver receives the messages of a stream, each of type M. One goroutine at a time may use it.
type Receiver[M Body] struct {
	s    *callStream
	made reflect.Type // what M points to
}

func newReceiver[M Body](s *callStream) *Receiver[M] {
	return &Receiver[M]{s, reflect.TypeFor[M]().Elem()}
}

// Recv waits for the next message, which is the caller's. The error is io.EOF behind the last one.
// Another ends the stream: an *[ApplicationException] is the other side's, and with the context's
// error the stream was cancelled, by this side or the other.
func (r *Receiver[M]) Recv() (m M, err error) {
	b, err := r.s.take()
	if err != nil {
		return m, err
	}
	made := reflect.New(r.made).Interface().(M)
	if err := Binary.decodeBody(b, made, r.s.decode); err != nil {
		err = fmt.Errorf("stream %s: %w", r.s.function, err)
		r.Cancel()
		return m, err
	}
	return made, nil
}

// All yields the messages as they arrive, until the other side sends no more. An error is the
// last that is yielded. A client that leaves the loop early cancels the stream; a server may go on.
func (r *Receiver[M]) All() iter.Seq2[M, error] {
	return func(yield func(M, error) bool) {
		for {
			m, err := r.Recv()
			if err == io.EOF {
				return
			}
			if !yield(m, err) {
				r.Cancel()
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// Cancel ends the stream of a client at once, and with it the context of the handler. After the end
// of the stream, and in a server, it does nothing.
func (r *Receiver[M]) Cancel() {
	if r.s.stop != nil {
		r.s.stop(fmt.Errorf("stream %s: %w", r.s.function, context.Canceled))
	}
}

// Header waits for the [Info] that a server sends in front of its messages; in a server it is what
// the client has sent, as [ReceivedInfo] gives it.
func (r *Receiver[M]) Header() (Info, error) {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.head == nil {
		switch {
		case s.failed != nil:
			return Info{}, s.failed
		case s.last != nil && s.last != io.EOF:
			return Info{}, s.last
		case s.last != nil:
			return Info{}, nil
		}
		s.change.Wait()
	}
	return *s.head, nil
}

// Trailer returns the [Info] that the other side has sent with its end; before that none.
func (r *Receiver[M]) Trailer() Info {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.s.tail
}

// A Sender sends the messages of a stream, each of type M. It may be used by several goroutines, and
// beside the stream's [Receiver].
type Sender[M Body] struct{ s *callStream }

// Send sends a message, which is the caller's again when it returns. It waits while the other side
// takes nothing. The error says why the stream is over; a client whose server has ended it without an
// error gets io.EOF.
func (s *Sender[M]) Send(m M) error { return s.s.send(m) }

// SendAll sends what messages yields, until there is an error.
func (s *Sender[M]) SendAll(messages iter.Seq[M]) error {
	for m := range messages {
		if err := s.Send(m); err != nil {
			return err
		}
	}
	return nil
}

// CloseSend tells a server that no more messages come; its own may still. In a server it does nothing:
// the stream ends when the handler returns.
func (s *Sender[M]) CloseSend() error {
	if s.s.stop == nil {
		return nil
	}
	return s.s.closeSend()
}

// SetHeader has info go in front of a server's messages. It fails once the first was sent, and in a
// client, whose info is that of its context ([WithInfo]).
func (s *Sender[M]) SetHeader(info Info) error {
	b, err := info.frameInfo()
	if err != nil {
		return err
	}
	s.s.sending.Lock()
	defer s.s.sending.Unlock()
	if s.s.begun || s.s.stop != nil {
		return fmt.Errorf("stream %s: its header was sent already", s.s.function)
	}
	s.s.first = b
	return nil
}

// frameInfo are the sections for a stream's header.
func (info Info) frameInfo() ([]byte, error) {
	for _, number := range []uint16{infoFrameType, infoMethod} {
		if _, ok := info.Numbers[number]; ok {
			return nil, fmt.Errorf("thrift: number %d of the info of a stream is Kitex's own: leave it out", number)
		}
	}
	return info.append(nil)
}

// An Upload sends messages, which one answers.
type Upload[In, Out Body] struct {
	*Sender[Out]
	in *Receiver[In]
}

// CloseAndRecv tells the server that no more messages come, and waits for its answer.
func (u *Upload[In, Out]) CloseAndRecv() (In, error) {
	if err := u.CloseSend(); err != nil {
		u.in.Cancel()
		return *new(In), err
	}
	return u.in.only()
}

// Receiver receives the answer, and knows what came with it.
func (u *Upload[In, Out]) Receiver() *Receiver[In] { return u.in }

// errNoMessage is the error of a stream that ends without the one message that it has to have.
var errNoMessage = errors.New("it ended without a message")

// only receives the one message of a direction that has no more.
func (r *Receiver[M]) only() (M, error) {
	m, err := r.Recv()
	if err == io.EOF {
		err = fmt.Errorf("stream %s: %w", r.s.function, errNoMessage)
	}
	if err != nil || r.s.stop == nil {
		return m, err
	}
	// The end may have an error still, and what came with it.
	if _, err := r.s.take(); err != io.EOF {
		r.Cancel()
		if err == nil {
			err = fmt.Errorf("stream %s: more than one message came, where one answers", r.s.function)
		}
		return *new(M), err
	}
	return m, nil
}
