package thrift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// PipelineOptions are for a [Pipeline]. The zero value of a field stands for its default.
type PipelineOptions struct {
	// Address is that of the server, as Dial takes it, Network that of the address. Default of
	// Network: tcp.
	Network, Address string
	// Dial makes the connection, as in [PoolOptions].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialTimeout is how long Dial may take. 0: 5 seconds; negative: no limit.
	DialTimeout time.Duration

	// MaxInFlight is how many calls may be under way; more wait for their turn. 0: 1000.
	MaxInFlight int
	// IdleTimeout is how long the connection is kept unused. 0: 5 minutes; negative: no limit.
	IdleTimeout time.Duration

	// Conn and Client are those of the connection. The framing must not be [Buffered].
	// Conn.ReadTimeout is how long the server may send nothing while there are calls,
	// Conn.WriteTimeout how long a write may take: one minute if it is 0, since it holds up
	// all calls.
	Conn   ConnOptions
	Client ClientOptions
}

// PipelineStats are figures of a [Pipeline].
type PipelineStats struct {
	InFlight int   // calls that were sent, or are about to be, and not answered
	GivenUp  int   // calls whose answers are still awaited, but by nobody: their contexts were done
	Conns    int64 // connections made so far
	Failures int64 // of them, those that have failed, rather than been closed for being idle
}

// A Pipeline is a [Caller] that has many calls under way on one connection. Answers are told
// apart by their sequence numbers. With a [TTHeader] or [THeader] the server is told that it
// may answer in any order; without, most servers answer one call after the other, so a slow one
// holds up those behind it, and what is saved is the round trip.
//
// The connection is made when it is needed, and made again when it has died; the calls that
// were under way then fail, and aren't sent again, since the server may have done what they
// say. With a [TTHeader] or [THeader] a server of ours that shuts down says so, and loses no call
// ([Server.Shutdown]): others go to the next connection, for which calls wait for DialTimeout at most. A call whose context is done returns at once, and its answer is dropped when it comes. An
// answer that nobody has asked for, or is another function's, ends the connection.
//
// A machine that vanishes closes nothing: give calls deadlines, or set ConnOptions.ReadTimeout.
type Pipeline struct {
	opt   PipelineOptions
	turns chan struct{}
	life  context.Context
	end   context.CancelFunc

	mu       sync.Mutex
	line     *line
	lines    map[*line]struct{} // it and those that go away
	left     time.Time          // when the server has ended a connection
	said     time.Time          // when it has said that it goes away
	ours     bool               // it could be asked whether it had accepted a connection
	dialling chan struct{}      // closed when an attempt to connect is over; nil if there is none
	dialErr  error              // of the last attempt
	conns    int64

	failures atomic.Int64
}

// forget drops a line that has ended.
func (p *Pipeline) forget(l *line) {
	p.mu.Lock()
	delete(p.lines, l)
	p.mu.Unlock()
}

// A line is a connection of a pipeline.
type line struct {
	p    *Pipeline
	conn *Conn

	mu      sync.Mutex
	seq     int32
	calls   map[int32]*lineCall
	givenUp int         // of calls
	leaving bool        // the server goes away
	writing bool        // what was in out
	out     []byte      // to be written
	sent    []*lineCall // oneway calls in out
	spare   []byte
	wake    chan struct{} // has an entry if there is something to write
	done    chan struct{} // closed when the line has ended
	err     error         // why
}

// A lineCall is a call that is under way.
type lineCall struct {
	function string
	result   Body
	info     *Info
	done     chan error // has room for one
}

const (
	defaultInFlight = 1000
	defaultWrite    = time.Minute
)

// NewPipeline makes a pipeline. No connection is made before the first call.
func NewPipeline(opt PipelineOptions) (*Pipeline, error) {
	switch {
	case opt.Address == "":
		return nil, errors.New("thrift: a pipeline needs the address of a server (PipelineOptions.Address)")
	case opt.Conn.Framing == Buffered:
		return nil, errors.New("thrift: a pipeline needs messages with a length in front: Framed, TTHeader or THeader")
	}
	if err := opt.Conn.Framing.speaks(opt.Client.Protocol); err != nil {
		return nil, err
	}
	opt.Network = cmp.Or(opt.Network, "tcp")
	if opt.Dial == nil {
		opt.Dial = new(net.Dialer).DialContext
	}
	if opt.MaxInFlight <= 0 {
		opt.MaxInFlight = defaultInFlight
	}
	p := &Pipeline{opt: opt, turns: make(chan struct{}, opt.MaxInFlight), lines: make(map[*line]struct{})}
	p.life, p.end = context.WithCancel(context.Background())
	return p, nil
}

// Close closes the connection; calls under way fail.
func (p *Pipeline) Close() error {
	p.end()
	p.mu.Lock()
	lines := slices.Collect(maps.Keys(p.lines))
	p.mu.Unlock()
	for _, l := range lines {
		l.fail(errPipelineClosed)
	}
	return nil
}

var (
	errPipelineClosed = fmt.Errorf("pipeline is closed: %w", net.ErrClosed)
	errLineIdle       = errors.New("thrift: connection was idle")
)

// Stats returns figures of this moment.
func (p *Pipeline) Stats() PipelineStats {
	p.mu.Lock()
	s := PipelineStats{Conns: p.conns, Failures: p.failures.Load()}
	l := p.line
	p.mu.Unlock()
	s.InFlight = len(p.turns)
	if l != nil {
		l.mu.Lock()
		s.GivenUp = l.givenUp
		l.mu.Unlock()
	}
	return s
}

// Call calls a function, as [Client] does.
func (p *Pipeline) Call(ctx context.Context, function string, args, result Body) error {
	select {
	case p.turns <- struct{}{}:
	default:
		select {
		case p.turns <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("call %s: waiting for its turn: %w", function, notSent{ctx.Err()})
		}
	}
	defer func() { <-p.turns }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("call %s: %w", function, err)
	}
	c := &lineCall{function: function, result: result, done: make(chan error, 1)}
	if p.opt.Conn.Framing.hasHeader() {
		c.info, _ = ctx.Value(answerInfoKey{}).(*Info)
	}
	for tries := 1; ; tries++ {
		l, err := p.connect(ctx)
		if err != nil {
			return fmt.Errorf("call %s: %w", function, notSent{err})
		}
		seq, err := l.send(ctx, c, args)
		if err == errLineEnded {
			if tries < 10 {
				continue // nothing of the call was sent
			}
			err = fmt.Errorf("call %s: %w", function, notSent{err})
		}
		if err != nil {
			return err
		}
		select {
		case err := <-c.done:
			if err == errLineEnded && tries < 10 {
				continue // the server has read nothing of the call
			}
			if err == errLineEnded {
				err = fmt.Errorf("call %s: %w", function, notSent{err})
			}
			return err
		case <-ctx.Done():
		}
		if !l.giveUp(seq, c) {
			return <-c.done // the answer is there and being decoded
		}
		return fmt.Errorf("call %s: waiting for the answer: %w", function, ctx.Err())
	}
}

// connect returns a line that can be used. One attempt to make one is under way at a time.
func (p *Pipeline) connect(ctx context.Context) (*line, error) {
	var since time.Time // when it began to wait
	for waits := 0; ; waits++ {
		p.mu.Lock()
		switch {
		case p.life.Err() != nil:
			p.mu.Unlock()
			return nil, errPipelineClosed
		case p.line != nil && p.line.usable():
			l := p.line
			p.mu.Unlock()
			return l, nil
		case p.dialling == nil && waits > 0 && p.dialErr != nil:
			err := p.dialErr // of an attempt that the call has waited for
			p.mu.Unlock()
			return nil, err
		case p.dialling == nil && waits >= 3 && !p.waitsOn(since): // connections are made, and end at once
			p.mu.Unlock()
			return nil, errLineEnded
		}
		if p.dialling == nil {
			// It goes on when the call is given up: others may wait for it.
			p.dialling = make(chan struct{})
			go p.dial(p.dialling)
		}
		dialling := p.dialling
		p.mu.Unlock()
		if waits == 0 {
			since = time.Now()
		}
		select {
		case <-dialling:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a connection: %w", ctx.Err())
		}
	}
}

// waitsOn reports whether a call that has seen no usable connection since then waits for another
// one: on a busy machine each may have gone away again before its goroutine ran. p.mu is held.
func (p *Pipeline) waitsOn(since time.Time) bool {
	limit := timeout(p.opt.DialTimeout, defaultDialTimeout)
	return p.comesBack() && (limit <= 0 || time.Since(since) < limit)
}

// comesBack reports whether the server has gone not long ago. p.mu is held.
func (p *Pipeline) comesBack() bool { return expected(p.left, p.said) }

// dial makes a connection.
func (p *Pipeline) dial(over chan struct{}) {
	ctx, cancel := p.life, context.CancelFunc(func() {})
	if limit := timeout(p.opt.DialTimeout, defaultDialTimeout); limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	p.mu.Lock()
	still := goneBy - time.Since(p.left)
	p.mu.Unlock()
	if still > 0 {
		sleep(ctx, p.life, still)
	}
	conn, err := p.reach(ctx)
	p.mu.Lock()
	for p.comesBack() {
		ours := p.ours
		p.mu.Unlock()
		if err == nil {
			err = conn.tryOut(ctx, ours)
		}
		again := err != nil && sleep(ctx, p.life, retryAfter)
		if again {
			conn, err = p.reach(ctx)
		}
		p.mu.Lock()
		if !again {
			break
		}
	}
	defer p.mu.Unlock()
	if err == nil && p.life.Err() != nil {
		err = errors.Join(errPipelineClosed, conn.Close())
	}
	p.dialErr, p.dialling = err, nil
	if err == nil {
		p.conns++
		p.line = newLine(p, conn)
		p.lines[p.line] = struct{}{}
	}
	close(over)
}

func (p *Pipeline) reach(ctx context.Context) (*Conn, error) {
	c, err := p.opt.Dial(ctx, p.opt.Network, p.opt.Address)
	if err != nil {
		return nil, err
	}
	return NewConn(c, p.opt.Conn), nil
}

func newLine(p *Pipeline, t *Conn) *line {
	t.anyOrder = true
	l := &line{p: p, conn: t, calls: make(map[int32]*lineCall), wake: make(chan struct{}, 1), done: make(chan struct{})}
	t.onLeave = l.leave
	l.deadline()
	go l.write()
	go l.read()
	return l
}

func (l *line) usable() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err == nil && !l.leaving
}

// leave notes that the server goes away: the line takes no more calls, and ends when those under
// way are answered.
func (l *line) leave() {
	l.mu.Lock()
	first := !l.leaving
	l.leaving = true
	l.endIfLeft()
	l.mu.Unlock()
	if first {
		l.p.gone(l.conn, true)
	}
}

// gone notes that the server has ended a connection, or said that it goes away.
func (p *Pipeline) gone(conn *Conn, said bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.ours = time.Now(), conn.ours.Load()
	if said {
		p.said = p.left
	}
}

// endIfLeft ends a line that goes away if nothing is under way on it. l.mu is held.
func (l *line) endIfLeft() {
	if l.leaving && len(l.calls) == 0 && len(l.out) == 0 && len(l.sent) == 0 && !l.writing {
		l.end(errLineIdle)
	}
}

// errLineEnded is that of a line which has ended before a call was sent.
var errLineEnded = errors.New("thrift: connection has ended")

// send hands a call to the writer.
func (l *line) send(ctx context.Context, c *lineCall, args Body) (seq int32, err error) {
	kind, opt := CallMessage, &l.p.opt
	if c.result == nil {
		kind = OnewayMessage
	}
	l.mu.Lock()
	for {
		l.seq++
		if l.calls[l.seq] == nil { // it may be taken after four billion calls
			break
		}
	}
	seq = l.seq
	l.mu.Unlock()
	b, err := opt.Client.Protocol.appendBody(AppendMessageHeader(make([]byte, Headroom), opt.Client.Protocol, c.function, kind, seq), args)
	if err != nil {
		return 0, fmt.Errorf("call %s: arguments: %w", c.function, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.leaving {
		return 0, errLineEnded
	}
	if b, err = l.conn.frame(ctx, b); err != nil {
		return 0, fmt.Errorf("call %s: %w", c.function, err)
	}
	l.out = append(l.out, b...)
	if c.result == nil {
		l.sent = append(l.sent, c)
	} else {
		l.calls[seq] = c
	}
	if len(l.calls) <= 1 {
		l.deadline()
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return seq, nil
}

// deadline sets the time by which something has to arrive. l.mu is held, or nobody else has l.
func (l *line) deadline() {
	limit := l.p.opt.Conn.ReadTimeout
	if len(l.calls) == 0 {
		limit = timeout(l.p.opt.IdleTimeout, defaultPoolIdle)
	}
	at := time.Time{}
	if limit > 0 {
		at = time.Now().Add(limit)
	}
	_ = l.conn.conn.SetReadDeadline(at) // if it fails, so does reading
}

// giveUp says that nobody waits for an answer any more; false if it is there.
func (l *line) giveUp(seq int32, c *lineCall) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.result == nil { // its number isn't kept
		select {
		case err := <-c.done:
			c.done <- err
			return false
		default:
			return true
		}
	}
	if l.calls[seq] != c {
		return false
	}
	l.calls[seq] = &lineCall{function: c.function} // its answer is dropped
	if l.givenUp++; l.givenUp > l.p.opt.MaxInFlight {
		// So many answers are late that they won't come.
		l.end(fmt.Errorf("%d calls were given up and have not been answered", l.givenUp))
	}
	return true
}

// write writes what calls have left, all at once.
func (l *line) write() {
	limit := l.p.opt.Conn.WriteTimeout
	if limit == 0 {
		limit = defaultWrite
	}
	for {
		select {
		case <-l.wake:
		case <-l.done:
			return
		}
		l.mu.Lock()
		out, sent := l.out, l.sent
		l.out, l.sent, l.spare = l.spare, nil, nil
		l.writing = len(out) > 0
		l.mu.Unlock()
		if len(out) == 0 {
			continue
		}
		var err error
		if limit > 0 {
			err = l.conn.conn.SetWriteDeadline(time.Now().Add(limit))
		}
		if err == nil {
			_, err = l.conn.conn.Write(out)
		}
		if err != nil {
			err = fmt.Errorf("write: %w", explainTimeout(err, "write", limit))
			l.fail(err)
		}
		for _, c := range sent {
			if err != nil {
				c.done <- fmt.Errorf("call %s: %w", c.function, err)
			} else {
				c.done <- nil
			}
		}
		if err != nil {
			return
		}
		l.mu.Lock()
		l.spare, l.writing = keep(out), false
		l.endIfLeft()
		l.mu.Unlock()
	}
}

// read hands answers to calls.
func (l *line) read() {
	for {
		msg, err := l.conn.read()
		if one, ok := err.(*messageError); ok {
			if err := l.refuse(one); err != nil {
				l.fail(err)
				return
			}
			continue
		}
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				if err = l.late(); err == nil {
					continue
				}
			}
			if err == io.EOF && l.usable() {
				l.p.gone(l.conn, false) // before any call makes another connection
			}
			l.fail(fmt.Errorf("waiting for the answer: %w", err))
			return
		}
		if err := l.answer(msg); err != nil {
			l.fail(err)
			return
		}
		l.conn.in.release()
		if l.conn.leaving.Load() {
			l.leave()
		}
	}
}

// late says what it means that nothing has arrived in time.
func (l *line) late() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case len(l.calls) == 0 && len(l.out) == 0 && !l.conn.in.waiting():
		l.end(errLineIdle) // at once, so that no call takes it
		return errLineIdle
	case l.p.opt.Conn.ReadTimeout == 0 || len(l.calls) == 0:
		l.deadline() // it was that of an idle connection
		return nil
	}
	return fmt.Errorf("nothing has arrived for %v (ConnOptions.ReadTimeout): %w", l.p.opt.Conn.ReadTimeout, os.ErrDeadlineExceeded)
}

// refuse ends the call whose answer can't be read, as it is too long. An error is about the
// connection.
func (l *line) refuse(e *messageError) error {
	c := l.answered(e.seq)
	switch {
	case c == nil:
		return fmt.Errorf("answer: %w", e)
	case c.done != nil:
		c.done <- fmt.Errorf("call %s: answer: %w", c.function, e)
	}
	return nil
}

// answered takes the call with a number out of those under way; nil if there is none. One that
// nobody waits for has no channel.
func (l *line) answered(seq int32) *lineCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[seq]
	delete(l.calls, seq)
	if len(l.calls) == 0 || l.p.opt.Conn.ReadTimeout > 0 {
		l.deadline()
	}
	if c != nil && c.done == nil {
		l.givenUp--
	}
	return c
}

// answer decodes an answer for its call. An error is about the connection.
func (l *line) answer(msg []byte) error {
	p := l.p.opt.Client.Protocol
	h, n, err := ParseMessageHeader(msg)
	if err == nil && !h.Protocol.answers(p) {
		err = fmt.Errorf("it is in the %v protocol, the call was in the %v one", h.Protocol, p)
	}
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	c := l.answered(h.Seq)
	dropped := c != nil && c.done == nil
	switch {
	case c == nil:
		return &ApplicationException{BadSequenceID, fmt.Sprintf("answer of %q has sequence number %d, which no call has", clipped(h.Name), h.Seq)}
	case h.Type != ReplyMessage && h.Type != ExceptionMessage:
		err = &ApplicationException{InvalidMessageType, fmt.Sprintf("call %s: answer is a message of type %v", c.function, h.Type)}
	case h.Type == ReplyMessage && !sameFunction(h.Name, c.function):
		err = &ApplicationException{WrongMethodName, fmt.Sprintf("call %s: answer is that of %q", c.function, clipped(h.Name))}
	}
	if dropped {
		return err
	}
	if err != nil {
		c.done <- err
		return err
	}
	c.done <- c.decode(msg[n:], h, l.conn.in.info, &l.p.opt.Client)
	return nil
}

// decode decodes an answer into the call's result.
func (c *lineCall) decode(body []byte, h MessageHeader, info func() sections, opt *ClientOptions) error {
	if c.info != nil {
		*c.info = info().parse()
	}
	if h.Type == ExceptionMessage {
		e := new(ApplicationException)
		if err := e.parse(body, h.Protocol, opt.Decode.Limits); err != nil {
			return fmt.Errorf("call %s: %w", c.function, err)
		}
		return e
	}
	if err := h.Protocol.decodeBody(body, c.result, opt.Decode); err != nil {
		return fmt.Errorf("call %s: answer: %w", c.function, err)
	}
	return nil
}

// clipped is a name that a peer has sent, for an error.
func clipped(name []byte) []byte { return name[:min(len(name), 100)] }

// fail ends the line, and its calls with an error.
func (l *line) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(err)
}

// end is fail where l.mu is held.
func (l *line) end(err error) {
	if l.err != nil {
		return
	}
	l.err = err
	close(l.done)
	go l.p.forget(l) // p.mu is taken before l.mu
	_ = l.conn.Close()
	for _, c := range l.calls {
		switch {
		case c.done == nil:
		case l.conn.unread.Load():
			c.done <- errLineEnded
		default:
			c.done <- fmt.Errorf("call %s: %w", c.function, err)
		}
	}
	for _, c := range l.sent {
		c.done <- fmt.Errorf("call %s: %w", c.function, err)
	}
	l.calls, l.sent, l.out, l.givenUp = map[int32]*lineCall{}, nil, nil, 0
	if err != errLineIdle && err != errPipelineClosed {
		l.p.failures.Add(1)
	}
}
