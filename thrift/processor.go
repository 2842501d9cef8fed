package thrift

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
)

// A Processor answers calls. Generated ones decode the arguments, call the
// handler and encode its result. One can be put around another to see or
// refuse calls.
//
// Process runs on the goroutine of the connection and must have answered when
// it returns. The context is done when the connection or the server has
// died.
type Processor interface {
	Process(ctx context.Context, c *Call)
}

// A Call is one call that a server has received. It is valid until Process
// returns. A call that is answered more than once gets the last answer.
type Call struct {
	Function string
	Type     MessageType // CallMessage or OnewayMessage
	Seq      int32
	Protocol Protocol

	server   *Server
	args     []byte
	tail     *malformedError // the end of args was not found, and why
	out      []byte
	start    int // of the answer in out
	answered bool
	silent   bool // no answer is wanted

	arguments, result Body // for interceptors
	err               error

	stream *callStream // by which it comes; or nil

	usedArgs any // to be used again, in pool
	pool     *sync.Pool
}

// Args decodes the arguments. If it can't, the call is answered by an
// exception of type ProtocolError, and Args is false.
func (c *Call) Args(m Body) bool {
	if c.stream != nil {
		c.streamed()
		return false
	}
	var err error
	if c.tail == nil || !c.tail.limit {
		err = c.Protocol.decodeBody(c.args, m, c.server.Decode)
	}
	if c.tail != nil && err == nil {
		err = c.tail // never call a handler with half a message
	}
	if err == nil {
		c.arguments = m
		return true
	}
	c.Fail(&ApplicationException{ProtocolError, c.Function + ": arguments: " + err.Error()})
	return false
}

// NoReply says that the function is oneway: whatever happens, nothing is
// answered, and errors are only logged.
func (c *Call) NoReply() { c.silent = c.stream == nil }

// Reply answers by a result.
func (c *Call) Reply(result Body) {
	if c.stream != nil {
		c.streamed()
		return
	}
	c.answered, c.result, c.err = true, result, nil
	if c.silent {
		return
	}
	b := AppendMessageHeader(c.out[:c.start], c.Protocol, c.Function, ReplyMessage, c.Seq)
	b, err := c.Protocol.appendBody(b, result)
	if err != nil {
		c.Fail(fmt.Errorf("result can't be encoded: %w", err))
		return
	}
	c.out = b
}

// Fail answers by an [ApplicationException]: err if it is one, else one of
// type InternalError with err's text, or [Timeout] or [Interruption] if err is a context's.
func (c *Call) Fail(err error) {
	c.answered, c.result, c.err = true, nil, err
	if c.silent {
		c.server.log(slog.LevelWarn, "oneway call failed", "function", c.Function, "error", err)
		return
	}
	e, ok := err.(*ApplicationException) // not a wrapped one: that may be what another server has answered
	if !ok {
		e = &ApplicationException{typeOf(err), c.Function + ": " + err.Error()}
	}
	b := AppendMessageHeader(c.out[:c.start], c.Protocol, c.Function, ExceptionMessage, c.Seq)
	c.out = e.append(b, c.Protocol)
}

// streamed answers a stream to a function that has none.
func (c *Call) streamed() {
	c.Fail(&ApplicationException{InvalidMessageType, c.Function + ": a stream, to a function that doesn't stream"})
}

// UnknownFunction answers that there is no such function.
func (c *Call) UnknownFunction() { c.unknown("function", c.Function) }

func (c *Call) unknown(what, name string) {
	if len(name) > 100 {
		name = name[:100] + "..."
	}
	c.Fail(&ApplicationException{UnknownMethod, fmt.Sprintf("unknown %s %q", what, name)})
}

// Handle answers one message, for programs that receive messages by other
// means than connections: HTTP, queues. It appends the answer to out, or
// nothing if none is wanted. An error means that msg is not a message.
func (s *Server) Handle(ctx context.Context, msg, out []byte) ([]byte, error) {
	if limit := largest(s.Decode.Limits); len(msg) > limit {
		return out, fmt.Errorf("message has %d bytes, the limit is %d (Limits.Message)", len(msg), limit)
	}
	var c Call
	if err := s.open(&c, nil, msg, nil, out); err != nil {
		return out, err
	}
	s.run(ctx, &c)
	return c.out, nil
}

// open reads the header of a message whose end was found, or not because of tail. The
// answer will be appended to out and left in c.out.
func (s *Server) open(c *Call, names *nameTable, msg []byte, tail *malformedError, out []byte) error {
	h, n, err := ParseMessageHeader(msg)
	if err != nil {
		return err
	}
	*c = Call{
		Function: names.name(h.Name), Type: h.Type, Seq: h.Seq, Protocol: h.Protocol,
		server: s, args: msg[n:], tail: tail, out: out, start: len(out), silent: h.Type == OnewayMessage,
	}
	return nil
}

// run answers a message whose header was read.
func (s *Server) run(ctx context.Context, c *Call) {
	if c.Type != CallMessage && c.Type != OnewayMessage {
		s.counts.refused.Add(1)
		c.Fail(&ApplicationException{InvalidMessageType, fmt.Sprintf("%s: message of type %v, want a call", c.Function, c.Type)})
		return
	}
	s.process(ctx, c)
	switch {
	case c.silent:
		c.out = c.out[:c.start]
	case !c.answered:
		c.Fail(missingResult(c.Function))
	case len(c.out)-c.start > math.MaxInt32:
		c.Fail(fmt.Errorf("result has %d bytes, a message at most %d", len(c.out)-c.start, math.MaxInt32))
	}
}

// process calls the processor. A panic is answered and logged; what it says
// is for the log alone.
func (s *Server) process(ctx context.Context, c *Call) {
	s.counts.begun.Add(1)
	defer func() {
		s.counts.done.Add(1)
		if v := recover(); v != nil {
			s.counts.panics.Add(1)
			s.log(slog.LevelError, "handler panicked", "function", c.Function, "panic", v, "stack", string(debug.Stack()))
			if !c.silent {
				c.Fail(&ApplicationException{InternalError, c.Function + ": internal error"})
			}
		}
	}()
	s.Processor.Process(ctx, c)
	if c.pool != nil {
		c.pool.Put(c.usedArgs)
	}
}

// A nameTable makes strings of the names of functions, which come again and
// again, without an allocation for each. Strangers can fill it with names of
// their own, but it does not grow beyond some kilobytes.
type nameTable struct{ names map[string]string }

func (t *nameTable) name(b []byte) string {
	if t == nil {
		return string(b)
	}
	if s, ok := t.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(t.names) < 64 && len(s) <= 64 {
		if t.names == nil {
			t.names = make(map[string]string)
		}
		t.names[s] = s
	}
	return s
}

// Local is a [Transport] that hands calls to a server in the same program, on
// the caller's goroutine, without a connection: for tests of handlers, and
// for programs that don't want to know where a service runs. The server need
// not serve.
func Local(s *Server) Transport { return &local{server: s} }

type local struct {
	server *Server
	answer []byte
	has    bool
}

func (l *local) WriteMessage(ctx context.Context, b []byte) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.answer, err = l.server.Handle(ctx, b[Headroom:], l.answer[:0])
	l.has = len(l.answer) != 0
	return err
}

func (l *local) ReadMessage(ctx context.Context) ([]byte, error) {
	if !l.has {
		return nil, errors.New("there is no answer, and none to come")
	}
	l.has = false
	return l.answer, ctx.Err()
}

func (l *local) Close() error { return nil }
