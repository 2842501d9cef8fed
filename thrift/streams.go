package thrift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Streamer opens streams. Generated clients of functions that stream are over one; [Streams] is the
// usual one.
type Streamer interface {
	// OpenStream opens a stream to a function of a service, both named as in the Thrift file. The
	// context is that of the whole stream.
	OpenStream(ctx context.Context, service, function string) (*ClientStream, error)
}

// A ClientStream is a stream that a [Streamer] has opened. Generated clients make typed senders and
// receivers of it.
type ClientStream struct{ s callStream }

// StreamsOptions are for [Streams]. The zero value of a field stands for its default.
type StreamsOptions struct {
	// Address is that of the server, as Dial takes it, Network that of the address. Default of
	// Network: tcp.
	Network, Address string
	// Dial makes a connection, as in [PoolOptions].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialTimeout is how long Dial may take. 0: 5 seconds; negative: no limit.
	DialTimeout time.Duration
	// WriteTimeout is how long the server may take nothing of a message that is sent. 0: one minute;
	// negative: no limit.
	WriteTimeout time.Duration

	// MaxStreams is how many streams may be open; more wait for their turn. 0: 100.
	MaxStreams int
	// MaxUnread is how many bytes of messages wait in a stream for the program; beyond, the server
	// has to wait. One message may be longer. 0: 1 MB.
	MaxUnread int
	// Decode says how messages are decoded. Limits.Message bounds one.
	Decode Options
}

// Streams opens streams to a server: Kitex's over TTHeader, or a [Server]. Each has a connection of its
// own, since the protocol can't tell one side that the other doesn't read: on a connection that they
// share, a slow stream would hold up the others.
//
// A stream ends by the server's end of it, which [Receiver.Recv] gives as io.EOF or as an error, by the
// end of its context, or by [Receiver.Cancel], which leaving a loop over [Receiver.All] early calls too. One of
// these has to happen, or the connection stays open.
type Streams struct {
	opt   StreamsOptions
	turns chan struct{}
	life  context.Context
	end   context.CancelFunc
	ids   atomic.Int32
}

// NewStreams makes an opener of streams. No connection is made before the first.
func NewStreams(opt StreamsOptions) (*Streams, error) {
	if opt.Address == "" {
		return nil, errors.New("thrift: streams need the address of a server (StreamsOptions.Address)")
	}
	opt.Network = cmp.Or(opt.Network, "tcp")
	if opt.Dial == nil {
		opt.Dial = new(net.Dialer).DialContext
	}
	if opt.MaxStreams <= 0 {
		opt.MaxStreams = defaultStreams
	}
	if opt.MaxUnread <= 0 {
		opt.MaxUnread = defaultUnread
	}
	s := &Streams{opt: opt, turns: make(chan struct{}, opt.MaxStreams)}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Close ends all streams.
func (p *Streams) Close() error {
	p.end()
	return nil
}

// Open returns how many streams are open.
func (p *Streams) Open() int { return len(p.turns) }

// OpenStream opens a stream. Its error is about the connection: whether the server has the function is
// known when it answers.
func (p *Streams) OpenStream(ctx context.Context, service, function string) (*ClientStream, error) {
	select {
	case p.turns <- struct{}{}:
	default:
		select {
		case p.turns <- struct{}{}:
		case <-p.life.Done():
			return nil, fmt.Errorf("stream %s: %w", function, notSent{errStreamsClosed})
		case <-ctx.Done():
			return nil, fmt.Errorf("stream %s: waiting for its turn: %w", function, notSent{ctx.Err()})
		}
	}
	s, err := p.open(ctx, service, function)
	if err != nil {
		<-p.turns
		return nil, fmt.Errorf("stream %s: %w", function, err)
	}
	return s, nil
}

var errStreamsClosed = fmt.Errorf("streams are closed: %w", net.ErrClosed)

func (p *Streams) open(ctx context.Context, service, function string) (*ClientStream, error) {
	info, _ := ctx.Value(sentInfoKey{}).(Info)
	head, err := info.frameInfo()
	if err == nil {
		if _, said := info.Strings[idlService]; !said && service != "" {
			var more []byte
			more, err = Info{Strings: map[string]string{idlService: service}}.append(nil)
			head = append(head, more...)
		}
	}
	if err == nil {
		if at, ok := ctx.Deadline(); ok && info.Numbers[infoTimeout] == "" {
			head = appendTimeout(head, at)
		}
		err = ctx.Err()
	}
	if err == nil && p.life.Err() != nil {
		err = errStreamsClosed
	}
	if err != nil {
		return nil, notSent{err}
	}
	id := p.ids.Add(1)
	opening, err := streamFrame(nil, make([]byte, Headroom), id, frameHeader, function, head)
	if err != nil {
		return nil, notSent{err}
	}
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, notSent{err}
	}
	c := &streamConn{p: p, conn: conn, limit: timeout(p.opt.WriteTimeout, defaultWrite)}
	c.in.configure(TTHeader, p.opt.Decode.Limits)
	c.in.streams = true
	c.stream = &ClientStream{callStream{id: id, function: function, decode: p.opt.Decode, most: p.opt.MaxUnread, write: c.write, stop: c.cancel}}
	s := &c.stream.s
	s.init()
	unwatch := context.AfterFunc(ctx, func() { c.cancel(fmt.Errorf("stream %s: %w", function, ctx.Err())) })
	unlive := context.AfterFunc(p.life, func() { c.cancel(fmt.Errorf("stream %s: %w", function, errStreamsClosed)) })
	if err := c.write(opening); err != nil {
		unwatch()
		unlive()
		_ = conn.Close()
		return nil, s.said(err)
	}
	go func() {
		c.read()
		unwatch()
		unlive()
		_ = conn.Close()
		<-p.turns
	}()
	return c.stream, nil
}

func (p *Streams) dial(ctx context.Context) (net.Conn, error) {
	cancel := context.CancelFunc(func() {})
	if limit := timeout(p.opt.DialTimeout, defaultDialTimeout); limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	return p.opt.Dial(ctx, p.opt.Network, p.opt.Address)
}

// idlService is Kitex's key of the pair that names the service.
const idlService = "isn"

// A streamConn is the connection of a client's stream.
type streamConn struct {
	p      *Streams
	conn   net.Conn
	in     inbox
	stream *ClientStream
	limit  time.Duration // of a write

	writing sync.Mutex
	once    sync.Once // of cancel
	over    atomic.Bool
}

func (c *streamConn) write(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.over.Load() {
		return net.ErrClosed
	}
	return c.writeFor(b, c.limit)
}

func (c *streamConn) writeFor(b []byte, limit time.Duration) error {
	if limit > 0 {
		if err := c.conn.SetWriteDeadline(time.Now().Add(limit)); err != nil {
			return err
		}
	}
	if _, err := c.conn.Write(b); err != nil {
		_ = c.conn.Close() // half a frame may have been sent
		return explainTimeout(err, "write", limit)
	}
	return nil
}

// lastWrite is how long the server has to take the reset of a stream.
const lastWrite = time.Second

// cancel ends the stream, because of err, and tells the server so if nothing is being written just
// now; else the connection's end tells it.
func (c *streamConn) cancel(err error) {
	c.once.Do(func() {
		c.stream.s.fail(err)
		go c.sendReset(err)
	})
}

func (c *streamConn) sendReset(err error) {
	s := &c.stream.s
	if c.over.Swap(true) || !c.writing.TryLock() {
		_ = c.conn.Close()
		return
	}
	defer c.writing.Unlock()
	b, err := exceptionFrame(s.id, frameReset, s.function, &ApplicationException{typeOf(err), err.Error()}, nil)
	if err == nil {
		err = c.writeFor(b, lastWrite)
	}
	// A connection that is closed with bytes unread is reset, and the frame is lost with it.
	half, ok := c.conn.(interface{ CloseWrite() error })
	if err == nil && ok && half.CloseWrite() == nil && c.conn.SetReadDeadline(time.Now().Add(lastRead)) == nil {
		return // read goes on to the end
	}
	_ = c.conn.Close()
}

// read reads what the server sends, until the stream is over and the connection may be closed.
func (c *streamConn) read() {
	s := &c.stream.s
	err := c.frames()
	if err == nil {
		c.once.Do(func() {}) // there is nothing to cancel
		c.over.Store(true)
		return
	}
	if c.over.Load() { // it was cancelled
		return
	}
	if err == io.EOF {
		err = fmt.Errorf("the connection has ended before the stream: %w", io.ErrUnexpectedEOF)
	}
	c.once.Do(func() {})
	c.over.Store(true)
	s.fail(fmt.Errorf("stream %s: %w", s.function, err))
}

// frames takes the frames that arrive until that which ends the stream.
func (c *streamConn) frames() error {
	s := &c.stream.s
	for empty := 0; ; {
		b, err := c.in.message()
		if err != nil {
			return err
		}
		if b == nil {
			n, err := c.conn.Read(c.in.room())
			c.in.filled(n)
			switch {
			case n > 0:
				empty = 0
			case err == io.EOF:
				return c.in.ended()
			case err != nil:
				return err
			default:
				if empty++; empty == 100 {
					return io.ErrNoProgress
				}
			}
			continue
		}
		if !c.in.head.stream {
			if isFarewell(b) {
				c.in.release()
				continue
			}
			return errors.New("the server has sent a message that is none of a stream")
		}
		info := c.in.info()
		kind, _ := info.frame()
		switch {
		case c.in.head.seq != s.id: // of no stream that is known
		case kind == frameHeader:
			s.begins(info.parse())
		case kind == frameData:
			b = append(make([]byte, 0, len(b)), b...)
			c.in.release()
			s.put(b, true)
			continue
		case kind == frameTrailer:
			tail := info.parse()
			err := error(io.EOF)
			if e := frameException(b, s.decode.Limits); e != nil {
				err = e
			} else if e := businessError(tail); e != nil {
				err = e
			}
			s.ends(err, tail)
			return nil
		case kind == frameReset:
			e := frameException(b, s.decode.Limits)
			if e == nil {
				e = &ApplicationException{UnknownException, s.function + ": the server has reset the stream"}
			}
			s.fail(e)
			return nil
		}
		c.in.release()
	}
}

// businessError is the error that Kitex's programs send in a trailer's pairs; nil if there is none.
func businessError(tail Info) *ApplicationException {
	status := tail.Strings["biz-status"]
	if status == "" || status == "0" {
		return nil
	}
	return &ApplicationException{UnknownException, fmt.Sprintf("biz-status %s: %s", status, tail.Strings["biz-message"])}
}

// OpenBidirectional opens a stream of a generated client, as the functions below do.
func OpenBidirectional[In, Out Body](ctx context.Context, by Streamer, service, function string) (*Sender[Out], *Receiver[In], error) {
	s, err := by.OpenStream(ctx, service, function)
	if err != nil {
		return nil, nil, err
	}
	return &Sender[Out]{&s.s}, newReceiver[In](&s.s), nil
}

// OpenClientStream opens one on which the client sends, and one message answers.
func OpenClientStream[In, Out Body](ctx context.Context, by Streamer, service, function string) (*Upload[In, Out], error) {
	s, err := by.OpenStream(ctx, service, function)
	if err != nil {
		return nil, err
	}
	return &Upload[In, Out]{&Sender[Out]{&s.s}, newReceiver[In](&s.s)}, nil
}

// OpenServerStream opens one on which the client sends the one message m.
func OpenServerStream[In, Out Body](ctx context.Context, by Streamer, service, function string, m Out) (*Receiver[In], error) {
	s, err := by.OpenStream(ctx, service, function)
	if err != nil {
		return nil, err
	}
	r := newReceiver[In](&s.s)
	err = s.s.send(m)
	if err == nil || errors.Is(err, io.EOF) || errors.As(err, new(*ApplicationException)) {
		err = s.s.closeSend() // what the server has ended the stream by is received
	}
	if err != nil {
		r.Cancel()
		return nil, err
	}
	return r, nil
}
