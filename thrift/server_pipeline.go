package thrift

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// severalCalls are those of one connection that are under way at a time, because its client takes
// answers in any order, and its streams.
type severalCalls struct {
	mu       sync.Mutex
	less     sync.Cond // there are less of them, or their messages have less bytes
	calls    int
	bytes    int
	begun    bool                    // a message has begun to arrive
	handlers int                     // of streams
	streams  map[int32]*serverStream // those that take messages
	unread   atomic.Int64            // bytes of these

	writing sync.Mutex
	framed  []byte // under it
}

// busy reports whether there are any.
func (m *severalCalls) busy() bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls+m.handlers > 0
}

// arrives says whether a message has begun to arrive.
func (m *severalCalls) arrives(begun bool) {
	if m != nil {
		m.mu.Lock()
		m.begun = begun
		m.mu.Unlock()
	}
}

// pipelined reports whether the message that was given last is a call that others may overtake, or
// a stream's.
func (c *serverConn) pipelined() bool {
	return c.in.framing == TTHeader && c.in.head.stream || c.in.framing.hasHeader() && c.in.head.anyOrder && c.server.MaxPipelined >= 0 && c.server.MaxPipelined != 1
}

// servePipelined serves the connection from a message on whose client takes answers in any
// order. This goroutine goes on reading; so it sees by itself when the peer has gone.
func (c *serverConn) servePipelined(msg []byte) {
	m := &severalCalls{begun: true}
	m.less.L = &m.mu
	c.several = m
	err := c.begin(msg)
	for err == nil {
		c.several.arrives(c.in.waiting())
		c.rest()
		if msg, err = c.next(); err != nil {
			if one, ok := err.(*messageError); ok {
				if s := m.streamOf(one.seq); one.stream && s != nil {
					c.forget(s)
					s.end(one)
				}
				if out, head, ok := c.refusal(one); ok {
					head.anyOrder = !one.stream
					c.writeOne(out, head)
				}
				err = nil
				continue
			}
		}
		if err == nil {
			c.greets()
			err = c.begin(msg)
		}
	}
	// The peer may have ended its half of the connection only: it gets its answers. Handlers can't
	// wait to find out.
	c.ended(err)
	c.cancel()
	m.mu.Lock()
	for m.calls+m.handlers > 0 {
		m.less.Wait()
	}
	m.mu.Unlock()
}

// rest makes the connection idle if there is nothing under way.
func (c *serverConn) rest() {
	m := c.several
	m.mu.Lock()
	if m.calls+m.handlers == 0 && !m.begun {
		c.state.CompareAndSwap(busy, idle)
	}
	m.mu.Unlock()
}

// begin has a message answered by a goroutine of its own, when there is room for one.
func (c *serverConn) begin(msg []byte) error {
	if c.in.head.stream {
		return c.takeFrame(msg)
	}
	s, m := c.server, c.several
	most := s.MaxPipelined
	if most == 0 {
		most = defaultPipelined
	}
	if !c.in.head.anyOrder {
		most = 1 // in turn again
	}
	most = max(most, 1) // of a connection with streams
	size := len(msg)
	call := new(Call)
	if err := s.open(call, &c.names, append([]byte(nil), msg...), nil, make([]byte, Headroom)); err != nil {
		return err
	}
	head := ttHeader{seq: c.in.head.seq, protocol: c.in.head.protocol, zlib: c.in.head.zlib, anyOrder: c.in.head.anyOrder, farewell: c.in.head.farewell}
	ctx, cancel := newCallContext(c.ctx, c.in.info())
	c.in.release()

	full := func() bool {
		return m.calls >= most || m.calls > 0 && m.bytes+size > largest(s.Decode.Limits)
	}
	m.mu.Lock()
	if full() {
		m.mu.Unlock()
		c.watch.start() // nobody reads meanwhile
		m.mu.Lock()
		for full() {
			m.less.Wait()
		}
		m.mu.Unlock()
		c.watch.stop()
		m.mu.Lock()
	}
	m.calls++
	m.bytes += size
	m.mu.Unlock()
	work := func() {
		defer c.finish(size)
		defer cancel()
		out := c.handleOne(ctx, call)
		if len(out) > Headroom {
			head.info = ctx.answerInfo()
			c.writeOne(out, head)
		}
	}
	if m.mu.Lock(); !c.in.head.anyOrder && m.handlers == 0 {
		m.mu.Unlock()
		work()
		return nil
	}
	m.mu.Unlock()
	go work()
	return nil
}

// handleOne calls the handler when it is its turn.
func (c *serverConn) handleOne(ctx *callContext, call *Call) []byte {
	s := c.server
	if ok, err := s.turn(ctx, c.ctx, call); err != nil {
		return nil
	} else if ok {
		defer s.leave()
		s.run(ctx, call)
	}
	return call.out
}

// writeOne writes the answer of one of them. If that fails the connection is over.
func (c *serverConn) writeOne(out []byte, head ttHeader) {
	m := c.several
	m.writing.Lock()
	defer m.writing.Unlock()
	if c.server.ending() {
		head.info = appendGoesAway(head.info, c.in.framing, "1")
	}
	b, err := headerFrame(c.in.framing, m.framed, out, head)
	m.framed = keep(b)
	if err == nil {
		err = c.write(b)
	}
	if err != nil {
		c.ended(fmt.Errorf("answer could not be written: %w", err))
		c.kill()
	}
}

// finish says that a call is over.
func (c *serverConn) finish(size int) {
	m := c.several
	m.mu.Lock()
	m.calls--
	m.bytes -= size
	m.less.Broadcast()
	m.mu.Unlock()
	c.rest()
}
