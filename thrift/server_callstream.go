package thrift

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// A server's side of streams. All frames of a connection are read by its goroutine, which waits for
// no handler: a stream whose handler doesn't read is reset when too much is unread, so that others go
// on. Only where nothing else is under way does the goroutine wait, so that the client waits in its
// turn: TTHeader has no other way to tell it.

const defaultStreams = 100

// streamOf returns what a client has sent a frame of; nil if its stream is over.
func (m *severalCalls) streamOf(id int32) *serverStream {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.streams[id]
}

// A serverStream is a stream whose handler runs.
type serverStream struct {
	callStream
	cancel context.CancelCauseFunc // of the handler
}

// end ends a stream at this side before its handler does.
func (s *serverStream) end(err error) {
	s.fail(err)
	s.cancel(err)
}

// takeFrame takes the frame of a stream that was given last. An error is about the connection.
func (c *serverConn) takeFrame(b []byte) error {
	m, id := c.several, c.in.head.seq
	info := c.in.info()
	kind, function := info.frame()
	s := m.streamOf(id)
	switch {
	case s == nil && kind == frameHeader:
		return c.openStream(id, c.names.name(function), info)
	case s == nil || kind == frameMeta: // it may have crossed the end of its stream
		c.in.release()
		return nil
	case kind == frameData:
		b = append(make([]byte, 0, len(b)), b...)
		c.in.release()
		return c.deliver(s, b)
	case kind == frameTrailer:
		s.ends(io.EOF, info.parse())
		c.in.release()
		return nil
	case kind == frameReset:
		err := fmt.Errorf("stream %s: the client has cancelled it: %w", s.function, context.Canceled)
		if e := frameException(b, c.server.Decode.Limits); e != nil {
			err = fmt.Errorf("stream %s: the client has cancelled it (%v): %w", s.function, e, context.Canceled)
		}
		c.in.release()
		c.forget(s)
		s.end(err)
		return nil
	}
	c.in.release()
	return c.reset(s, &ApplicationException{ProtocolError, fmt.Sprintf("%s: the stream has got a frame of type %q", s.function, kind)})
}

// forget has what still arrives for a stream dropped, and is false if it was before.
func (c *serverConn) forget(s *serverStream) bool {
	m := c.several
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.streams[s.id] != s {
		return false
	}
	delete(m.streams, s.id)
	return true
}

// reset ends a stream because of what is wrong with it. An error is about the connection.
func (c *serverConn) reset(s *serverStream, e *ApplicationException) error {
	if !c.forget(s) {
		return nil
	}
	s.end(e)
	return c.sendReset(s.id, s.function, e)
}

// sendReset tells a client that a stream is over.
func (c *serverConn) sendReset(id int32, function string, e *ApplicationException) error {
	b, err := exceptionFrame(id, frameReset, function, e, nil)
	if err == nil {
		err = c.write(b)
	}
	return err
}

// deliver hands a message to its stream.
func (c *serverConn) deliver(s *serverStream, b []byte) error {
	m := c.several
	limit := int64(largest(c.server.Decode.Limits))
	alone := func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.calls == 0 && m.handlers == 1
	}
	for m.unread.Load() > 0 && m.unread.Load()+int64(len(b)) > limit {
		most := s
		m.mu.Lock()
		for _, other := range m.streams {
			if other.unread() > most.unread() {
				most = other
			}
		}
		m.mu.Unlock()
		if most.unread() == 0 || most == s && alone() {
			break
		}
		if err := c.reset(most, tooMuchUnread(most.function)); err != nil || most == s {
			return err
		}
	}
	if s.put(b, false) {
		return nil
	}
	if !alone() {
		return c.reset(s, tooMuchUnread(s.function))
	}
	c.watch.start() // nobody reads meanwhile
	s.put(b, true)
	c.watch.stop()
	return nil
}

func (s *callStream) unread() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

func tooMuchUnread(function string) *ApplicationException {
	return &ApplicationException{InternalError, function + ": too much of the stream was unread, and others share its connection (Server.MaxUnread)"}
}

// openStream begins a stream, and calls its handler.
func (c *serverConn) openStream(id int32, function string, info sections) error {
	s, m := c.server, c.several
	limit := s.MaxStreams
	if limit == 0 {
		limit = defaultStreams
	}
	m.mu.Lock()
	full := m.handlers >= limit
	if !full {
		m.handlers++
	}
	m.mu.Unlock()
	if full {
		c.in.release()
		s.counts.refused.Add(1)
		return c.sendReset(id, function, &ApplicationException{InternalError, fmt.Sprintf("%s: the connection has %d streams already, the limit (Server.MaxStreams)", function, max(limit, 0))})
	}
	base, cancel := context.WithCancelCause(c.ctx)
	ctx, timeout := newCallContext(base, info)
	c.in.release()
	head := ctx.info.parse()
	st := &serverStream{callStream: callStream{
		id: id, function: function, decode: s.Decode, most: s.MaxUnread, all: &m.unread, head: &head, write: c.write,
	}, cancel: cancel}
	if st.most <= 0 {
		st.most = defaultUnread
	}
	st.init()
	m.mu.Lock()
	if m.streams == nil {
		m.streams = make(map[int32]*serverStream)
	}
	m.streams[id] = st
	m.mu.Unlock()
	call := &Call{Function: function, Type: CallMessage, Seq: id, Protocol: Binary, server: s, stream: &st.callStream}
	go func() {
		defer func() {
			timeout()
			cancel(nil)
			m.mu.Lock()
			m.handlers--
			m.less.Broadcast()
			m.mu.Unlock()
			c.rest()
		}()
		// The deadline, the end of the connection and of the server.
		unwatch := context.AfterFunc(ctx, func() { st.fail(fmt.Errorf("stream %s: %w", function, ctx.Err())) })
		c.handleStream(ctx, st, call)
		unwatch()
	}()
	return nil
}

// handleStream calls the handler of a stream, and sends the end of it.
func (c *serverConn) handleStream(ctx *callContext, st *serverStream, call *Call) {
	s := c.server
	if ok, err := s.turn(ctx, c.ctx, call); err != nil {
		return
	} else if ok {
		defer s.leave()
		s.process(ctx, call)
		if !call.answered {
			call.Fail(missingResult(call.Function))
		}
	}
	if !c.forget(st) {
		return // one of the two sides has ended it
	}
	if err := c.endStream(ctx, st, call); err != nil {
		c.ended(fmt.Errorf("answer could not be written: %w", err))
		c.kill()
	}
}

// endStream writes the trailer, behind which nothing can be sent.
func (c *serverConn) endStream(ctx *callContext, st *serverStream, call *Call) error {
	st.sending.Lock()
	defer st.sending.Unlock()
	defer func() { st.fail(fmt.Errorf("stream %s: the handler has returned", st.function)) }()
	if err := st.begin(); err != nil {
		return err
	}
	msg := make([]byte, Headroom)
	if call.err != nil {
		msg = append(msg, call.out...)
	}
	info := ctx.answerInfo()
	if c.server.ending() {
		info = appendGoesAway(info, TTHeader, "1")
	}
	b, err := streamFrame(nil, msg, st.id, frameTrailer, st.function, info)
	if err == nil {
		err = c.write(b)
	}
	return err
}

// streams is false, and the call answered, if it doesn't come by a stream.
func (c *Call) streams() bool {
	if c.stream == nil {
		c.Fail(&ApplicationException{InvalidMessageType, c.Function + ": a call without a stream of a function that streams"})
	}
	return c.stream != nil
}

// end answers a call by the end of its stream.
func (c *Call) end(err error) {
	if err != nil {
		c.Fail(err)
		return
	}
	c.answered, c.err = true, nil
}

// AnswerBidirectional answers a call by a handler that receives and sends. It is for generated code,
// as the functions below.
func AnswerBidirectional[In, Out Body](ctx context.Context, c *Call, handler func(context.Context, *Receiver[In], *Sender[Out]) error) {
	if c.streams() {
		c.end(handler(ctx, newReceiver[In](c.stream), &Sender[Out]{c.stream}))
	}
}

// AnswerClientStream answers a call by a handler that receives, and returns one message.
func AnswerClientStream[In, Out Body](ctx context.Context, c *Call, handler func(context.Context, *Receiver[In]) (Out, error)) {
	if !c.streams() {
		return
	}
	out, err := handler(ctx, newReceiver[In](c.stream))
	if err == nil {
		err = c.stream.send(out)
	}
	c.end(err)
}

// AnswerServerStream answers a call by a handler that gets one message, and sends.
func AnswerServerStream[In, Out Body](ctx context.Context, c *Call, handler func(context.Context, In, *Sender[Out]) error) {
	if !c.streams() {
		return
	}
	in, err := newReceiver[In](c.stream).only()
	switch {
	case errors.Is(err, errNoMessage), errors.As(err, new(*DecodeError)):
		err = &ApplicationException{ProtocolError, err.Error()}
	case err == nil:
		err = handler(ctx, in, &Sender[Out]{c.stream})
	}
	c.end(err)
}

// Stopping returns a channel that is closed when the server of a handler is to stop, by
// [Server.Shutdown], which waits for streams too: one that has no end by itself looks at it. With a
// context that isn't a handler's the channel is nil.
func Stopping(ctx context.Context) <-chan struct{} {
	s, _ := ctx.Value(stoppingKey{}).(<-chan struct{})
	return s
}

type stoppingKey struct{} // of a server's channel
