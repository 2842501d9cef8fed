package thrift

import (
	"context"
	"fmt"
	"sync"
)

// A Caller makes calls. Generated clients are over one; a [Client] is the
// usual one, a [Pool] one for many at a time. A program can put its own between:
// [Intercept].
type Caller interface {
	// Call calls a function and decodes its answer into result. For a oneway
	// function result is nil, and Call returns when the call was sent. It is
	// safe for use by several goroutines.
	Call(ctx context.Context, function string, args, result Body) error
}

// ClientOptions are for a [Client]. The zero value stands for the defaults.
type ClientOptions struct {
	// Protocol is what calls are written in. Answers must be in the same.
	// Default: [Binary].
	Protocol Protocol
	// Decode says how answers are decoded. With Views, strings point into a
	// copy of the answer.
	Decode Options
}

// A Client makes calls over a transport, one at a time: calls from several
// goroutines wait for each other, in no particular order. Programs that need
// concurrent calls use a [Pool].
//
// A context that is done while a call waits for its turn ends only that call.
// Once a call was sent it also ends the use of the connection, since the answer
// may still come; later calls fail with [ErrUnusable], as after any other
// failure of the transport, and the program needs a new client. Calls that can't be written, as
// their [Info] is too long, and answers that are exceptions, are longer than the limit or can't
// be decoded leave the connection usable.
type Client struct {
	transport Transport
	opt       ClientOptions

	turn chan struct{} // holds a token while a call is under way
	seq  int32
	out  []byte

	mu  sync.Mutex
	err error
}

// NewClient makes a client. The transport is the client's from then on.
func NewClient(t Transport, opt ClientOptions) *Client {
	return &Client{transport: t, opt: opt, turn: make(chan struct{}, 1)}
}

// Close closes the transport, and ends a call that is under way.
func (c *Client) Close() error { return c.transport.Close() }

// Err says why the client's connection is unusable; nil if it is not.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// fail notes that the connection is unusable.
func (c *Client) fail(err error) error {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	_ = c.transport.Close()
	return err
}

// transportError notes an error of the transport, unless that can still be used: then it is
// about the one message.
func (c *Client) transportError(err error) error {
	if t, ok := c.transport.(interface{ Err() error }); ok && t.Err() == nil {
		if one, ok := err.(*messageError); !ok || one.seq == c.seq {
			return err
		}
	}
	return c.fail(err)
}

// Call calls a function. Errors of the server are *[ApplicationException].
// The exceptions that a function declares are part of its result; generated
// code makes errors of them.
func (c *Client) Call(ctx context.Context, function string, args, result Body) error {
	select {
	case c.turn <- struct{}{}:
	default:
		select {
		case c.turn <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("call %s: waiting for the connection: %w", function, ctx.Err())
		}
	}
	defer func() { <-c.turn }()
	if err := c.Err(); err != nil {
		return fmt.Errorf("call %s: %w: %w", function, ErrUnusable, err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("call %s: %w", function, err)
	}

	kind := CallMessage
	if result == nil {
		kind = OnewayMessage
	}
	c.seq++
	b := append(c.out[:0], make([]byte, Headroom)...)
	b = AppendMessageHeader(b, c.opt.Protocol, function, kind, c.seq)
	b, err := c.opt.Protocol.appendBody(b, args)
	if err != nil {
		return fmt.Errorf("call %s: arguments: %w", function, err)
	}
	c.out = keep(b)
	if err := c.transport.WriteMessage(ctx, b); err != nil {
		return fmt.Errorf("call %s: %w", function, c.transportError(err))
	}
	if result == nil {
		return nil
	}
	msg, err := c.transport.ReadMessage(ctx)
	if err != nil {
		return fmt.Errorf("call %s: waiting for the answer: %w", function, c.transportError(err))
	}
	return c.answer(function, msg, result)
}

// answer decodes an answer.
func (c *Client) answer(function string, msg []byte, result Body) error {
	h, n, err := ParseMessageHeader(msg)
	if err == nil && !h.Protocol.answers(c.opt.Protocol) {
		err = fmt.Errorf("it is in the %v protocol, the call was in the %v one", h.Protocol, c.opt.Protocol)
	}
	if err != nil {
		return fmt.Errorf("call %s: answer: %w", function, c.fail(err))
	}
	// Whatever doesn't belong to the call means that the peers have lost step.
	switch {
	case h.Type != ReplyMessage && h.Type != ExceptionMessage:
		return c.fail(&ApplicationException{InvalidMessageType, fmt.Sprintf("call %s: answer is a message of type %v", function, h.Type)})
	case h.Seq != c.seq:
		return c.fail(&ApplicationException{BadSequenceID, fmt.Sprintf("call %s: answer has sequence number %d, the call has %d", function, h.Seq, c.seq)})
	case h.Type == ExceptionMessage:
		e := new(ApplicationException)
		if err := e.parse(msg[n:], h.Protocol, c.opt.Decode.Limits); err != nil {
			return fmt.Errorf("call %s: %w", function, err)
		}
		return e
	case !sameFunction(h.Name, function):
		return c.fail(&ApplicationException{WrongMethodName, fmt.Sprintf("call %s: answer is that of %q", function, h.Name)})
	}
	if err := h.Protocol.decodeBody(msg[n:], result, c.opt.Decode); err != nil {
		return fmt.Errorf("call %s: answer: %w", function, err)
	}
	return nil
}

// answers reports whether an answer in p may be that to a call in another protocol: those of
// the binary protocol may have either header.
func (p Protocol) answers(call Protocol) bool {
	return p == call || p <= OldBinary && call <= OldBinary
}
