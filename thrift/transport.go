package thrift

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A Transport carries whole messages between two peers. [Conn] is the one
// over a connection of package net; a program can bring others.
//
// At most one goroutine at a time may be in WriteMessage, and one in
// ReadMessage; Close may be called at any time. After an error from either
// method nobody knows where the next message begins, so a [Client] then
// closes its transport, unless that has a method Err() error, as [Conn] does, which
// says that it can be used.
type Transport interface {
	// WriteMessage sends the message b[Headroom:], and may write into
	// b[:Headroom]; b is the caller's again when it returns. It gives up, with
	// the context's error, when ctx is done.
	WriteMessage(ctx context.Context, b []byte) error
	// ReadMessage waits for the next message. The result is valid until the
	// next call. It gives up, with the context's error, when ctx is done; the
	// error is io.EOF if the peer has ended the connection between two
	// messages.
	ReadMessage(ctx context.Context) ([]byte, error)
	// Close ends the connection, and with it calls that wait.
	Close() error
}

// ConnOptions are for a [Conn]. The zero value stands for the defaults.
type ConnOptions struct {
	// Framing says whether messages have their length in front. Default:
	// [Framed].
	Framing Framing
	// ReadTimeout and WriteTimeout bound the time for one message if the
	// context has no earlier deadline; reading includes the wait for its first
	// byte. 0: no bound.
	ReadTimeout, WriteTimeout time.Duration
	// Zlib compresses messages of 128 bytes and more, with the framing [THeader] alone. What
	// arrives may be compressed in any case; a server answers as it was called.
	Zlib bool
	// Limits bound what is read. Message always applies; Container, String and
	// Depth only to [Buffered] messages, whose end must be searched for.
	Limits Limits
}

// A Conn is a [Transport] over a connection: TCP, Unix sockets, TLS, net.Pipe.
// Each message is one Write, and usually one Read.
//
// A context's deadline and cancellation interrupt reads and writes. Whatever
// goes wrong, the connection is closed, and every later call fails with an error
// that says why.
type Conn struct {
	conn      net.Conn
	opt       ConnOptions
	in        inbox
	out, info []byte      // what is sent with a header, and what is in that
	anyOrder  bool        // answers are taken in any order
	leaving   atomic.Bool // the peer has said that the connection goes away
	unread    atomic.Bool // and that it has read nothing that it hasn't answered
	ours      atomic.Bool // the peer knows what ask asks
	asks      bool        // what is sent is such a question
	onLeave   func()      // is told when it says so beside no answer; or nil
	interrupt func()      // ends reads and writes that wait

	// What the connection's deadlines are; they are set only where they change.
	readDeadline, writeDeadline bool

	mu  sync.Mutex
	err error // why it is unusable
}

// NewConn makes a transport of a connection, which is the transport's from
// then on.
func NewConn(c net.Conn, opt ConnOptions) *Conn {
	t := &Conn{conn: c, opt: opt}
	t.in.configure(opt.Framing, opt.Limits)
	t.interrupt = func() { _ = c.SetDeadline(past) }
	return t
}

// Dial connects to a server; network and address are those of net.Dial. The
// context bounds the dialling only.
func Dial(ctx context.Context, network, address string, opt ConnOptions) (*Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return NewConn(c, opt), nil
}

// past is a time that is over.
var past = time.Unix(1, 0)

// ErrUnusable is in the errors of calls on a connection on which something
// went wrong before.
var ErrUnusable = errors.New("thrift: connection is unusable")

// ErrNotSent is in the errors of calls of which the server has surely read nothing: they may be
// made again, whatever they do.
var ErrNotSent = errors.New("thrift: nothing of the call was sent, or read by the server")

// A notSent is an error of which [ErrNotSent] is true, without saying so in its text.
type notSent struct{ error }

func (e notSent) Unwrap() []error { return []error{e.error, ErrNotSent} }

// NetConn returns the connection below.
func (t *Conn) NetConn() net.Conn { return t.conn }

// Close closes the connection.
func (t *Conn) Close() error {
	t.mu.Lock()
	if t.err == nil {
		t.err = net.ErrClosed
	}
	t.mu.Unlock()
	return t.conn.Close()
}

// Err says why the connection is unusable; nil if it is not.
func (t *Conn) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// fail makes the connection unusable and returns the error for the caller.
func (t *Conn) fail(err error) error {
	t.mu.Lock()
	if t.err == nil {
		t.err = err
	} else if errors.Is(t.err, net.ErrClosed) {
		err = t.err // the error is what our own Close has made
	}
	t.mu.Unlock()
	_ = t.conn.Close()
	return err
}

// usable reports whether a read or write may begin.
func (t *Conn) usable(ctx context.Context) error {
	t.mu.Lock()
	err := t.err
	t.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return ctx.Err()
}

// WriteMessage sends a message in one Write.
func (t *Conn) WriteMessage(ctx context.Context, b []byte) error {
	if err := t.usable(ctx); err != nil {
		return notSent{err}
	}
	b, err := t.frame(ctx, b)
	if err != nil {
		return notSent{err}
	}
	deadline := deadlineOf(ctx, t.opt.WriteTimeout)
	if set := !deadline.IsZero(); set || t.writeDeadline {
		t.writeDeadline = set
		if err := t.conn.SetWriteDeadline(deadline); err != nil {
			return t.fail(fmt.Errorf("write: %w", err))
		}
	}
	stop := t.watch(ctx)
	n, err := t.conn.Write(b)
	if err = t.outcome(ctx, stop, err); err != nil {
		err = t.fail(explainTimeout(err, "write", t.opt.WriteTimeout))
		if n == 0 {
			return notSent{err}
		}
		return err
	}
	return nil
}

// frame returns the bytes to send for a message with headroom in front.
func (t *Conn) frame(ctx context.Context, b []byte) ([]byte, error) {
	if !t.opt.Framing.hasHeader() {
		return frame(t.opt.Framing, b)
	}
	if len(b) < Headroom {
		return nil, errNoHeadroom
	}
	h, _, err := ParseMessageHeader(b[Headroom:])
	if err != nil {
		return nil, err
	}
	if err := t.opt.Framing.speaks(h.Protocol); err != nil {
		return nil, err
	}
	head := ttHeader{seq: h.Seq, protocol: ttProtocol(h.Protocol), anyOrder: t.anyOrder, farewell: true, asks: t.asks, zlib: t.opt.Zlib}
	head.deadline, _ = ctx.Deadline()
	if info, ok := ctx.Value(sentInfoKey{}).(Info); ok {
		if t.info, err = info.appendFor(t.opt.Framing, t.info[:0]); err != nil {
			return nil, err
		}
		head.info = t.info
		_, said := info.Numbers[infoTimeout]
		if t.opt.Framing == THeader {
			_, said = info.Strings[thTimeout]
		}
		if said {
			head.deadline = time.Time{}
		}
	}
	b, err = headerFrame(t.opt.Framing, t.out, b, head)
	t.out = keep(b)
	return b, err
}

// ReadMessage returns the next message.
func (t *Conn) ReadMessage(ctx context.Context) ([]byte, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	t.in.release()
	deadline := deadlineOf(ctx, t.opt.ReadTimeout)
	if set := !deadline.IsZero(); set || t.readDeadline {
		t.readDeadline = set
		if err := t.conn.SetReadDeadline(deadline); err != nil {
			return nil, t.fail(fmt.Errorf("read: %w", err))
		}
	}
	stop := t.watch(ctx)
	msg, err := t.read()
	one, _ := err.(*messageError)
	if one != nil {
		err = t.skip()
	}
	if err = t.outcome(ctx, stop, err); err != nil {
		err = t.fail(explainTimeout(err, "read", t.opt.ReadTimeout))
		if t.unread.Load() {
			err = notSent{err}
		}
		return nil, err
	}
	if one != nil {
		return nil, one
	}
	if t.opt.Framing.hasHeader() {
		if info, ok := ctx.Value(answerInfoKey{}).(*Info); ok {
			*info = t.in.info().parse()
		}
	}
	return msg, nil
}

// read reads until there is a message. An error of type *messageError is about that message
// alone.
func (t *Conn) read() ([]byte, error) {
	for empty := 0; ; {
		msg, err := t.in.message()
		if msg != nil && err == nil && t.opt.Framing.hasHeader() && t.heardFarewell(msg) {
			continue
		}
		if _, one := err.(*messageError); one || msg != nil && err == nil {
			return msg, err
		}
		if err != nil {
			return nil, fmt.Errorf("read: %w", err)
		}
		if err := t.fill(&empty); err != nil {
			return nil, err
		}
	}
}

// heardFarewell notes whether the server has said with a message that the connection goes away,
// and reports whether that is all there is to the message.
func (t *Conn) heardFarewell(msg []byte) bool {
	if t.in.head.farewell && !t.ours.Load() {
		t.ours.Store(true)
	}
	how := t.in.info().saysGoesAway()
	if how != "1" && how != "2" {
		return false
	}
	t.leaving.Store(true)
	if !isFarewell(msg) {
		return false
	}
	t.unread.Store(how == "2")
	t.in.release()
	if t.onLeave != nil {
		t.onLeave()
	}
	return true
}

// skip reads to the end of a message that is too long.
func (t *Conn) skip() error {
	for empty := 0; t.in.skipping(); {
		if err := t.fill(&empty); err != nil {
			return err
		}
	}
	return nil
}

// fill reads what has arrived. empty counts reads that gave nothing.
func (t *Conn) fill(empty *int) error {
	n, err := t.conn.Read(t.in.room())
	t.in.filled(n)
	switch {
	case n > 0: // an error will be there again
		*empty = 0
	case err == io.EOF:
		return t.in.ended()
	case err != nil:
		return fmt.Errorf("read: %w", err)
	default:
		if *empty++; *empty == 100 {
			return fmt.Errorf("read: %w", io.ErrNoProgress)
		}
	}
	return nil
}

// quiet reports whether the connection can be used for a call, and nothing has arrived that
// nobody has asked for. Nobody may read at the same time.
func (t *Conn) quiet(p *probe, fresh bool) bool {
	if t.Err() != nil || t.in.end > t.in.start+t.in.given {
		return false
	}
	if t.readDeadline { // it may be over, and would be all that the probe finds
		t.readDeadline = false
		if t.conn.SetReadDeadline(time.Time{}) != nil {
			return false
		}
	}
	return p.quiet(fresh)
}

// deadlineOf returns the earlier one of the context's deadline and that of a
// timeout; the zero time if there is none.
func deadlineOf(ctx context.Context, timeout time.Duration) time.Time {
	deadline, ok := ctx.Deadline()
	if timeout > 0 {
		if d := time.Now().Add(timeout); !ok || d.Before(deadline) {
			return d
		}
	}
	return deadline
}

// watch has reads and writes interrupted when the context is done. It costs
// allocations of package context, but only for contexts that can be done.
func (t *Conn) watch(ctx context.Context) func() bool {
	if ctx.Done() == nil {
		return nil
	}
	return context.AfterFunc(ctx, t.interrupt)
}

// outcome ends watch and returns the context's error where that is the reason
// for err. Where the interruption has begun it is an error in any case: the
// connection's deadline is in the past then, or will be at any moment.
func (t *Conn) outcome(ctx context.Context, stop func() bool, err error) error {
	if stop != nil && !stop() {
		return ctx.Err()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// The connection's clock may be ahead of the context's.
		if d, ok := ctx.Deadline(); ok && !time.Now().Before(d) {
			return context.DeadlineExceeded
		}
	}
	return err
}

// explainTimeout says which timeout it was, if it was one of ours.
func explainTimeout(err error, what string, timeout time.Duration) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%s: message took longer than %v: %w", what, timeout, os.ErrDeadlineExceeded)
	}
	return err
}
