package thrift

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A serverConn is one connection of a server.
type serverConn struct {
	server *Server
	conn   net.Conn
	own    bool // served by ServeConn: MaxConns doesn't count it
	ctx    context.Context
	cancel context.CancelFunc
	unbase func() bool // ends the wait for the end of the base context; or nil

	state    atomic.Int32  // idle, busy or closed
	activity atomic.Uint32 // reads that gave something

	writing       sync.Mutex    // held while an answer or a farewell is written
	framing       atomic.Uint32 // of what the client last sent with a header
	knowsFarewell atomic.Bool   // the client does
	farewell      atomic.Bool   // it was said

	in       inbox
	out      []byte
	framed   []byte // the answer with a TTHeader
	info     []byte // that goes with the answer
	call     Call
	names    nameTable
	deadline bool // conn has a read deadline

	idleSince    time.Time
	idleDeadline bool // that deadline is one of an idle connection
	watch        peerWatch
	last         bool          // the answer was the last of the connection
	several      *severalCalls // under way at a time; nil as long as there is one
}

// The states of a connection. It is busy from the first byte of a message
// until its answer is written. Shutdown closes connections that are idle, when they have been so
// for some time; so both it and the connection's goroutine leave idle by compare and swap.
const (
	idle int32 = iota
	busy
	closed
)

func newServerConn(s *Server, conn net.Conn) *serverConn {
	base := context.Background()
	if s.BaseContext != nil {
		base = s.BaseContext(conn)
	}
	c := &serverConn{server: s, conn: conn}
	c.ctx, c.cancel = context.WithCancel(context.WithValue(base, stoppingKey{}, (<-chan struct{})(s.stopped)))
	c.in.configure(Framed, s.Decode.Limits)
	c.in.detect, c.in.streams = true, true
	c.watch = peerWatch{c: c, done: make(chan struct{}, 1)}
	if base.Done() != nil {
		c.unbase = context.AfterFunc(base, c.kill)
	}
	return c
}

// kill ends the connection.
func (c *serverConn) kill() {
	c.cancel()
	_ = c.conn.Close()
}

// end is kill by the connection's own goroutine.
func (c *serverConn) end() {
	if c.unbase != nil {
		c.unbase()
	}
	c.kill()
}

// serve serves the connection until it ends.
func (c *serverConn) serve() {
	defer c.server.remove(c)
	defer c.end()
	if err := c.handshake(); err != nil {
		if c.state.CompareAndSwap(idle, busy) { // else it is Shutdown's doing
			c.ended(err)
		}
		return
	}
	for {
		msg, err := c.next()
		if one, ok := err.(*messageError); ok {
			if c.refuse(one) {
				continue
			}
			return
		}
		tail, _ := err.(*malformedError)
		if err != nil && tail == nil {
			c.ended(err)
			return
		}
		c.greets()
		switch {
		case c.in.framing.hasHeader() && c.in.head.asks:
			if !c.hears() {
				return
			}
		case c.pipelined():
			c.servePipelined(msg)
			return
		case !c.answer(msg, tail):
			return
		}
		switch {
		case c.last:
			c.waitForEnd()
			return
		case c.ctx.Err() != nil:
			return
		case !c.in.waiting():
			c.state.Store(idle) // Shutdown comes by again and again
		}
	}
}

// greets notes what the client understands that has sent a message.
func (c *serverConn) greets() {
	if c.in.framing.hasHeader() && c.in.head.farewell {
		c.framing.Store(uint32(c.in.framing))
		c.knowsFarewell.Store(true)
	}
}

// handshake is that of TLS. Reading would do it as well, but a peer could then take the
// time that an idle connection has.
func (c *serverConn) handshake() error {
	conn, ok := c.conn.(interface{ HandshakeContext(context.Context) error })
	if !ok {
		return nil
	}
	ctx := c.ctx
	if limit := timeout(c.server.ReadTimeout, defaultTimeout); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	err := conn.HandshakeContext(ctx)
	if ctx.Err() == context.DeadlineExceeded && c.ctx.Err() == nil {
		err = fmt.Errorf("TLS handshake took longer than %v (Server.ReadTimeout)", timeout(c.server.ReadTimeout, defaultTimeout))
	}
	return err
}

// ended logs why a connection ended, if it is worth it.
func (c *serverConn) ended(err error) {
	if err == io.EOF || c.state.Load() != busy || c.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
		return // the peer's, Shutdown's or our own doing, or IdleTimeout
	}
	c.server.counts.dropped.Add(1)
	c.server.log(slog.LevelWarn, "connection closed", "remote", c.conn.RemoteAddr(), "error", err)
}

// next reads the next message.
func (c *serverConn) next() ([]byte, error) {
	s := c.server
	waiting, begun := false, false // which deadline is set
	for empty := 0; ; {
		msg, err := c.in.message()
		if msg != nil || err != nil {
			return msg, err
		}
		switch {
		case c.in.waiting() && !begun:
			begun = true
			err = c.setReadDeadline(timeout(s.ReadTimeout, defaultTimeout))
		case !begun && !waiting:
			waiting = true
			err = c.beginIdle()
		}
		if err == nil && c.state.Load() == closed {
			err = c.setReadDeadline(lastRead) // Shutdown's own may have been replaced just now
		}
		if err != nil {
			return nil, err
		}
		n, err := c.conn.Read(c.in.room())
		c.in.filled(n)
		switch {
		case n > 0:
			empty = 0
			c.activity.Add(1)
			c.several.arrives(true)
			if !c.state.CompareAndSwap(idle, busy) && c.state.Load() == closed {
				c.crossed()
				return nil, net.ErrClosed // by Shutdown, before it knew of the message
			}
		case err == io.EOF:
			return nil, c.in.ended()
		case c.state.Load() == closed:
			return nil, net.ErrClosed // the client hasn't ended it
		case errors.Is(err, os.ErrDeadlineExceeded) && !begun && (c.awake() || c.several.busy() && c.setReadDeadline(timeout(s.IdleTimeout, defaultIdle)) == nil):
		case errors.Is(err, os.ErrDeadlineExceeded) && begun:
			return nil, fmt.Errorf("message took longer than %v to arrive (Server.ReadTimeout)", timeout(s.ReadTimeout, defaultTimeout))
		case err != nil:
			return nil, err
		default:
			if empty++; empty == 100 {
				return nil, io.ErrNoProgress
			}
		}
	}
}

// beginIdle says that the connection is idle from now on. To set a deadline takes half a
// microsecond, so that of an earlier message stays, and awake sets another when it has come.
func (c *serverConn) beginIdle() error {
	limit := timeout(c.server.IdleTimeout, defaultIdle)
	if limit == 0 {
		return c.setReadDeadline(0)
	}
	c.idleSince = time.Now()
	if c.idleDeadline {
		return nil
	}
	err := c.setReadDeadline(limit)
	c.idleDeadline = true
	return err
}

// awake reports whether the deadline of an idle connection has come too early for its last
// message.
func (c *serverConn) awake() bool {
	if !c.idleDeadline {
		return false
	}
	left := timeout(c.server.IdleTimeout, defaultIdle) - time.Since(c.idleSince)
	if left <= 0 || c.setReadDeadline(left) != nil {
		return false
	}
	c.idleDeadline = true
	return true
}

// setReadDeadline sets the deadline of reads; 0 is none.
func (c *serverConn) setReadDeadline(after time.Duration) error {
	c.idleDeadline = false
	if after == 0 {
		if !c.deadline {
			return nil
		}
		c.deadline = false
		return c.conn.SetReadDeadline(time.Time{})
	}
	c.deadline = true
	return c.conn.SetReadDeadline(time.Now().Add(after))
}

// answer handles a message and writes the answer. It reports whether the
// connection can go on.
func (c *serverConn) answer(msg []byte, tail *malformedError) bool {
	s := c.server
	out, err := c.handle(msg, tail)
	c.out = keep(out)
	if err != nil {
		c.ended(err)
		return false
	}
	if len(out) > Headroom {
		// With a header the client is told, and ends the connection itself.
		c.last = s.ending() && !c.in.framing.hasHeader() && !c.in.waiting()
		if out, err = c.frame(out); err == nil {
			err = c.write(out)
		}
		if err != nil {
			c.ended(fmt.Errorf("answer could not be written: %w", err))
			return false
		}
	}
	if tail != nil {
		c.ended(tail)
		c.linger()
		return false
	}
	return true
}

// write writes an answer; the last one with the end of the connection.
func (c *serverConn) write(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if limit := timeout(c.server.WriteTimeout, defaultTimeout); limit != 0 {
		if err := c.conn.SetWriteDeadline(time.Now().Add(limit)); err != nil {
			return err
		}
	}
	if c.last {
		return writeLast(c.conn, b)
	}
	_, err := c.conn.Write(b)
	return err
}

// refuse answers a message that can't be read, as it is longer than the limit or has a header
// that isn't understood, and reports whether the connection can go on.
func (c *serverConn) refuse(e *messageError) bool {
	out, head, ok := c.refusal(e)
	if !ok {
		return true
	}
	b, err := frame(c.in.framing, out)
	if c.in.framing.hasHeader() {
		b, err = headerFrame(c.in.framing, nil, out, head)
	}
	if err == nil {
		err = c.write(b)
	}
	if err != nil {
		c.ended(fmt.Errorf("answer could not be written: %w", err))
	}
	return err == nil
}

// refusal is the exception for such a message, with headroom in front; false if none is wanted.
func (c *serverConn) refusal(e *messageError) (out []byte, head ttHeader, ok bool) {
	c.server.counts.refused.Add(1)
	h := e.header
	if e.stream {
		x := ApplicationException{ProtocolError, e.err.Error()}
		out = x.append(AppendMessageHeader(make([]byte, Headroom), Binary, "", ExceptionMessage, e.seq), Binary)
		info, _ := appendFrameInfo(nil, frameReset, "")
		return out, ttHeader{seq: e.seq, protocol: ttStruct, stream: true, info: info}, true
	}
	if h.Type == OnewayMessage {
		return nil, head, false
	}
	seq := e.seq
	if e.name != nil {
		seq = h.Seq
	}
	out = AppendMessageHeader(make([]byte, Headroom), h.Protocol, string(e.name), ExceptionMessage, seq)
	x := ApplicationException{ProtocolError, fmt.Sprintf("%s: %v", e.name, e.err)}
	return x.append(out, h.Protocol), ttHeader{seq: e.seq, protocol: ttProtocol(h.Protocol)}, true
}

// handle calls the handler, and watches the peer meanwhile. What it gives has
// the headroom in front.
func (c *serverConn) handle(msg []byte, tail *malformedError) (out []byte, err error) {
	c.watch.start()
	defer func() {
		// Nobody needs msg any more.
		c.in.release()
		c.watch.stop()
		c.call = Call{}
	}()
	ctx := c.ctx
	if c.in.framing.hasHeader() {
		call, cancel := newCallContext(ctx, c.in.info())
		ctx = call
		defer func() {
			cancel()
			c.info = call.answerInfo()
		}()
	}
	s := c.server
	out = append(c.out[:0], make([]byte, Headroom)...)
	if err := s.open(&c.call, &c.names, msg, tail, out); err != nil {
		return out, err
	}
	if ok, err := s.turn(ctx, c.ctx, &c.call); err != nil {
		return nil, err
	} else if ok {
		defer s.leave()
		s.run(ctx, &c.call)
	}
	return c.call.out, nil
}

// frame returns the bytes to send for an answer with headroom in front.
func (c *serverConn) frame(out []byte) ([]byte, error) {
	if !c.in.framing.hasHeader() {
		return frame(c.in.framing, out)
	}
	info := c.info
	if c.server.ending() {
		info = appendGoesAway(info, c.in.framing, "1")
	}
	out, err := headerFrame(c.in.framing, c.framed, out, ttHeader{seq: c.in.head.seq, protocol: c.in.head.protocol, farewell: c.in.head.farewell, zlib: c.in.head.zlib, info: info})
	c.framed = keep(out)
	return out, err
}

// linger lets the peer read the last answer: a connection that is closed with
// bytes unread is reset, and what was sent last is lost with it.
func (c *serverConn) linger() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.waitForEnd()
	}
}

// waitForEnd waits until the peer ends the connection too, for half a second at most.
func (c *serverConn) waitForEnd() {
	if _, ok := c.conn.(interface{ CloseWrite() error }); ok && c.conn.SetReadDeadline(time.Now().Add(500*time.Millisecond)) == nil {
		_, _ = io.CopyN(io.Discard, c.conn, 256<<10)
	}
}
