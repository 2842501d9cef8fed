package thrift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/seamgo/seam/thrift/codec"
)

// Shutdown loses no call. Who calls must get to know that a connection goes away, in a way that
// can't cross a call that is just being sent:
//
//   - With a [TTHeader] or [THeader] every answer says so, by the pair crrst, which is Kitex's. A
//     client of ours says in the flags of its headers that it knows a message of its own for that,
//     the farewell, which it gets when it waits for no answer. Calls that it has sent meanwhile are
//     answered. It closes the connection when it has all answers. Where the server does, since the
//     client was quiet, it says so in a last farewell: what has no answer then was not read.
//   - Such a client, when it connects again to a server that went away not long ago, asks first whether it was
//     accepted (see ask).
//   - In other framings the last answer and the end of the connection arrive as one segment of TCP,
//     where the system can do that (see corkable). A client that looks at its connection before each
//     call, as a [Pool] does, finds the end.
//   - A connection without calls is closed when it has been quiet for Server.Quiet. A pool uses no
//     connection of such a framing again that it has left alone for half that time.
const (
	defaultQuiet = 500 * time.Millisecond

	// goesAway is the key of the pair that says "this connection goes away"; its value is 1, or, ours
	// alone, 2 where it is closed, and nothing was read that has no answer.
	goesAway = "crrst"

	// acceptRest is how long nobody must have come before Shutdown closes a listener: what waits to be
	// accepted then is reset, though its first call may have been sent.
	acceptRest = 20 * time.Millisecond

	// lastRead is how long a client has to end a connection that the server has ended.
	lastRead = 500 * time.Millisecond
)

// ending reports whether the server is to stop.
func (s *Server) ending() bool {
	select {
	case <-s.stopped:
		return true
	default:
		return false
	}
}

// drain closes the connections of a server that is to stop, one after the other as they are
// quiet, until there are none or the context is done.
func (s *Server) drain(ctx context.Context) error {
	quiet := timeout(s.Quiet, defaultQuiet)
	if s.Quiet < 0 {
		quiet = 0
	}
	over := make(chan struct{})
	s.mu.Lock()
	if len(s.conns) == 0 && len(s.listeners) == 0 {
		s.mu.Unlock()
		return nil
	}
	s.quiet = append(s.quiet, over)
	s.mu.Unlock()
	tick := max(quiet/8, time.Millisecond)
	seen := map[*serverConn]sighting{}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		s.mu.Lock()
		conns := make([]*serverConn, 0, len(s.conns))
		for c := range s.conns {
			conns = append(conns, c)
		}
		s.mu.Unlock()
		now := time.Now()
		next := make(map[*serverConn]sighting, len(conns))
		for _, c := range conns {
			was, ok := seen[c]
			if n := c.activity.Load(); !ok || was.activity != n {
				was = sighting{n, now}
			}
			next[c] = was
			if quiet == 0 || now.Sub(was.since) >= quiet {
				c.closeIfIdle()
			} else if c.knowsFarewell.Load() && c.state.Load() == idle && !c.farewell.Swap(true) {
				c.sayFarewell("1")
			}
		}
		seen = next
		timer.Reset(tick)
	}
}

// A sighting is when a connection was first seen with so many reads.
type sighting struct {
	activity uint32
	since    time.Time
}

// sayFarewell tells a client that understands it that the connection goes away.
func (c *serverConn) sayFarewell(how string) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.writeFarewell(how)
}

func (c *serverConn) writeFarewell(how string) {
	framing := Framing(c.framing.Load())
	b := AppendMessageHeader(make([]byte, Headroom), Binary, "", ExceptionMessage, 0)
	x := ApplicationException{UnknownException, "the server goes away"}
	b, err := headerFrame(framing, nil, x.append(b, Binary), ttHeader{protocol: ttBinary, info: appendGoesAway(nil, framing, how)})
	if err == nil && c.conn.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = c.conn.Write(b) // if it fails, so does what comes next
		_ = c.conn.SetWriteDeadline(time.Time{})
	}
}

// hears answers a client that asks whether its connection was accepted, and reports whether that can go on.
func (c *serverConn) hears() bool {
	c.in.release()
	c.info = nil
	b := AppendMessageHeader(make([]byte, Headroom), Binary, "", ReplyMessage, 0)
	b, err := c.frame(append(b, byte(codec.TypeStop)))
	if err == nil {
		err = c.write(b)
	}
	if err != nil {
		c.ended(fmt.Errorf("answer could not be written: %w", err))
	}
	return err == nil
}

// ask asks a server of ours whether it has accepted the connection. What waits for that when a server closes its
// listener is reset, and nobody could say then whether a call on it was read. The server says that it knows the
// question, by a flag of its answers; the answer is an empty message.
func (t *Conn) ask(ctx context.Context) error {
	t.asks = true
	err := t.WriteMessage(ctx, append(AppendMessageHeader(make([]byte, Headroom), Binary, "", CallMessage, 0), byte(codec.TypeStop)))
	t.asks = false
	if err == nil {
		_, err = t.ReadMessage(ctx)
		t.in.release()
	}
	if err == nil && t.leaving.Load() {
		err = errGoesAway
	}
	if err == nil { // a pipeline sets deadlines of its own
		t.readDeadline, t.writeDeadline = false, false
		err = t.conn.SetDeadline(time.Time{})
	}
	return err
}

// tryOut finds whether a new connection to a server that has gone not long ago is ended at once, and closes it then.
// One that can't be asked may say so for a moment.
func (t *Conn) tryOut(ctx context.Context, ours bool) error {
	if ours {
		if t.ask(ctx) == nil {
			return nil
		}
	} else if p := newProbe(t.conn); sleep(ctx, ctx, probation) && p.quiet(true) {
		return nil
	}
	_ = t.Close()
	return errors.Join(errGoesAway, ctx.Err())
}

// errGoesAway is the error of a new connection that the server ends at once.
var errGoesAway = errors.New("thrift: the server goes away")

// closeIfIdle closes the connection if nothing of a message has been read.
func (c *serverConn) closeIfIdle() {
	if c.state.Load() != idle {
		return
	}
	c.writing.Lock() // see crossed
	defer c.writing.Unlock()
	if !c.state.CompareAndSwap(idle, closed) {
		return
	}
	half, ok := c.conn.(interface{ CloseWrite() error })
	if !ok || !c.knowsFarewell.Load() {
		_ = c.conn.Close()
		return
	}
	// What arrives from now on is read by nobody. The connection's goroutine ends with it, or with
	// the client's end, so that no reset comes before the farewell.
	c.writeFarewell("2")
	_ = half.CloseWrite()
	_ = c.conn.SetReadDeadline(time.Now().Add(lastRead))
}

// crossed is where a message has been read that crossed the end of its connection: that end must not come before the
// farewell is written, which says that the message wasn't handled, nor by a reset, which could overtake it.
func (c *serverConn) crossed() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.waitForEnd()
}

// appendGoesAway appends the pair that says so to the sections of a header.
func appendGoesAway(b []byte, f Framing, how string) []byte {
	var err error
	out := b[:len(b):len(b)]
	if out, err = (Info{Strings: map[string]string{goesAway: how}}).appendFor(f, out); err != nil || len(out) > mostInfo {
		return b // there is no room for it
	}
	return out
}

// saysGoesAway is the value of the pair in a header; "" if it has none.
func (s sections) saysGoesAway() (how string) {
	if !bytes.Contains(s.b, []byte(goesAway)) {
		return ""
	}
	_ = s.each(func(p pair) bool {
		if !p.numbered && string(p.key) == goesAway {
			how = string(p.value)
		}
		return how == ""
	})
	return how
}

// isFarewell reports whether a message is that of a server that goes away, and no answer.
func isFarewell(msg []byte) bool {
	h, _, err := ParseMessageHeader(msg)
	return err == nil && h.Type == ExceptionMessage && h.Seq == 0 && len(h.Name) == 0
}

// writeLast writes the last answer of a connection, and its end, as one if possible.
func writeLast(conn net.Conn, b []byte) error {
	t, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		_, err := conn.Write(b)
		return err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		corkable(tcp)
	}
	_, err := conn.Write(b)
	if end := t.CloseWrite(); err == nil {
		err = end
	}
	return err
}

// closeWhenQuiet closes a listener of a server that is to stop when nobody has come for a while,
// or after a fifth of a second: clients that know nothing of it connect again at once.
func (s *Server) closeWhenQuiet(l net.Listener, end func() error) {
	n := int64(-1)
	for i := 0; i < 10 && (n != s.counts.accepted.Load() || waits(l)); i++ {
		n = s.counts.accepted.Load()
		time.Sleep(acceptRest)
	}
	_ = end()
}
