package ring

import (
	"context"
	"net"
	"sync"
	"time"
)

// Conn is a pair of rings to another process, one in each direction.
type Conn struct {
	w    *Writer
	r    *Reader
	life *life
	sock *net.UnixConn
	once sync.Once
	done chan struct{} // closed by Close
	ends []interface{ close() }
	dirs [2]*memory // of the writer and the reader

	doorbell *Doorbell // nil: a goroutine watches the socket
	bell     int       // what the doorbell waits for besides the socket, or -1
	number   int32     // among the doorbell's
	ready    bool      // and in its list
	ringing  bool      // the peers wake each other through the socket
}

// Serve makes the rings of a connection, of Options.Capacity, and hands them to the peer
// at the other end of the socket, which must call [Connect], or seam_ring_connect. The
// socket belongs to the Conn from then on: nothing else may be sent over it. If Serve fails
// it closes the socket.
//
// ctx limits the set-up: a peer that stays silent keeps Serve waiting.
func Serve(ctx context.Context, sock *net.UnixConn, o Options) (*Conn, error) {
	return setUp(ctx, sock, o, serve)
}

// Connect takes the rings that the peer at the other end of the socket makes by [Serve], or
// seam_ring_serve. The rest is as with Serve.
func Connect(ctx context.Context, sock *net.UnixConn, o Options) (*Conn, error) {
	return setUp(ctx, sock, o, connect)
}

// Writer returns the end of the ring to the peer.
func (c *Conn) Writer() *Writer { return c.w }

// Reader returns the end of the ring from the peer.
func (c *Conn) Reader() *Reader { return c.r }

// Close hangs up. Any goroutine may call it at any time: calls that wait return
// [ErrClosed], and the peer gets io.EOF or ErrGone once it has read what was published. In a
// goroutine that panics, or that ends by runtime.Goexit, Close is Abort.
//
// A record that Next has returned stays readable until the next call of a method of its
// Reader, and so does what Reserve has returned. The memory is freed when both ends have
// been closed or have returned an error, or when the garbage collector finds them gone: who
// looks at a record after Close calls Release of its Reader after that, or keeps the Reader
// by runtime.KeepAlive.
func (c *Conn) Close() error { return c.hangUp(unwinding()) }

// Abort is Close where the records to the peer aren't all that there should have been: it gets
// what was flushed, and then [ErrGone], as if this process had died. After Close, or after
// [Writer.Close], that is too late:
//
//	defer c.Abort() // for whatever returns early
//	…
//	return c.Close()
func (c *Conn) Abort() error { return c.hangUp(true) }

func (c *Conn) hangUp(aborts bool) error {
	c.once.Do(func() {
		c.life.end(ErrClosed)
		if aborts {
			c.dirs[0].abort()
		}
		c.dirs[0].hangUp(&c.w.end, func(ctl *control) *side { return &ctl.writer })
		c.dirs[1].hangUp(&c.r.end, func(ctl *control) *side { return &ctl.reader })
		c.wake()
		if c.doorbell != nil {
			c.doorbell.remove(c)
		}
		for _, e := range c.ends {
			e.close()
		}
		c.sock.Close()
		close(c.done)
	})
	return nil
}

// wake makes both ends look whether the connection still lives.
func (c *Conn) wake() {
	c.w.bell.wake()
	c.r.bell.wake()
}

// watch ends the connection when the peer hangs up: when it closes the socket or its
// process ends, however that comes.
func (c *Conn) watch() {
	b := make([]byte, 64)
	for {
		n, err := c.sock.Read(b)
		if err != nil {
			c.life.end(ErrGone)
			break
		}
		if n > 0 && !c.ringing {
			c.life.end(corrupt("the peer sent %d bytes over the socket", n))
			break
		}
		c.wake()
	}
	c.wake()
	<-c.done // so that nothing is collected before the user has hung up
}

// setUp runs one side's part of the set-up, which it ends when ctx does.
func setUp(ctx context.Context, sock *net.UnixConn, o Options, part func(*net.UnixConn, Options) (*Conn, error)) (*Conn, error) {
	if kind := sock.LocalAddr().Network(); kind != "unix" {
		sock.Close()
		return nil, invalid("a connection is made over a Unix stream socket, and this is one of %s", kind)
	}
	sock.SetDeadline(time.Time{}) // one that is left over would look like the peer's end
	stop := context.AfterFunc(ctx, func() { sock.SetDeadline(past) })
	c, err := part(sock, o)
	if !stop() && err == nil {
		c.Close()
		return nil, context.Cause(ctx)
	}
	if err != nil {
		sock.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return c, nil
}

// past is a deadline that ends a wait at once.
var past = time.Unix(1, 0)
