package thrift

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

// A Server answers calls on connections. It sees from the first bytes of each
// how the peer frames its messages and which protocol it speaks, and answers
// the same way, so one server serves all clients. Its fields must not be changed
// once it serves.
//
// Each connection has one goroutine, which reads a message, calls the handler
// and writes the answer before it reads the next message, unless the client
// takes answers in any order (MaxPipelined).
type Server struct {
	// Processor answers the calls.
	Processor Processor
	// Decode says how arguments are decoded. With Views, strings point into a
	// copy of the message. Limits.Message also bounds what is read before the
	// end of a message is known; memory grows with the bytes that arrive, not
	// with the lengths they claim.
	Decode Options

	// ReuseArgs says that handlers keep no slice, map or struct of their
	// arguments when they return, nor anything in them but strings: later calls
	// are decoded into the same memory.
	ReuseArgs bool

	// MaxConns is how many connections may be open; more wait to be accepted.
	// 0: 10,000; negative: no limit.
	MaxConns int
	// MaxInFlight is how many handlers may run at a time on all connections, those of
	// streams too; calls that have been read wait for their turn. 0: no limit.
	MaxInFlight int

	// MaxPipelined is how many calls of one connection are handled at a time, if its client says
	// that it takes answers in any order, in a [TTHeader] or [THeader]: a [Pipeline] does. The
	// messages of these calls together have no more than Limits.Message. 0: 16; negative: one call
	// after the other. Clients that don't say so always have their answers in order.
	MaxPipelined int

	// MaxStreams is how many streams of one connection may be open; more are reset. 0: 100; negative:
	// none. MaxUnread is how many bytes of messages wait in one for its handler; beyond, the client has
	// to wait, or, if the connection has other calls or streams under way, the stream is reset. One
	// message may be longer. 0: 1 MB. What is unread in all streams of a connection has no more than
	// Limits.Message.
	MaxStreams, MaxUnread int

	// ReadTimeout is how long a message may take from its first byte to its
	// last, WriteTimeout how long an answer may take to be written. 0: one
	// minute; negative: no limit.
	ReadTimeout, WriteTimeout time.Duration
	// IdleTimeout is how long a connection may be idle between messages. 0: ten
	// minutes; negative: no limit.
	IdleTimeout time.Duration

	// Quiet is how long a connection must have been unused before Shutdown closes it, so that it is
	// closed under no call; until then calls on it are answered. 0: half a second; negative: at once.
	Quiet time.Duration

	// BaseContext, if not nil, gives the context from which those of handlers
	// derive. When it is done the connection is closed.
	BaseContext func(net.Conn) context.Context

	// Logger is told about panics of handlers with their stack (level Error),
	// and about connections that were closed because of what arrived on them
	// (level Warn). nil: slog.Default.
	Logger *slog.Logger

	mu        sync.Mutex
	listeners map[net.Listener]func() error // each closes it, and returns when it is closed, also by another goroutine: Close returns at once then
	conns     map[*serverConn]struct{}
	stopping  bool
	killed    bool            // by Close
	stopped   chan struct{}   // closed by Shutdown and Close
	quiet     []chan struct{} // closed when there is no connection left
	slots     chan struct{}   // MaxInFlight
	places    chan struct{}   // MaxConns

	counts serverCounts

	usedArgs sync.Map // with ReuseArgs: a *sync.Pool for each type of arguments
}

// ErrServerClosed is what Serve returns after Shutdown or Close.
var ErrServerClosed = errors.New("thrift: server is closed")

// What stands for fields that are 0.
const (
	defaultMaxConns  = 10_000
	defaultPipelined = 16
	defaultTimeout   = time.Minute // ReadTimeout and WriteTimeout
	defaultIdle      = 10 * time.Minute
)

// timeout returns the meaning of a timeout's field; 0 is none.
func timeout(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return max(d, 0)
}

func (s *Server) log(level slog.Level, what string, args ...any) {
	l := s.Logger
	if l == nil {
		l = slog.Default()
	}
	l.Log(context.Background(), level, "thrift: "+what, args...)
}

// begin sets up what the first call needs. s.mu is held.
func (s *Server) begin() error {
	switch {
	case s.stopping:
		return ErrServerClosed
	case s.Processor == nil:
		return errors.New("server has no Processor: set it to what a generated New...Processor makes")
	}
	if s.conns == nil {
		s.conns = make(map[*serverConn]struct{})
		s.listeners = make(map[net.Listener]func() error)
		s.stopped = make(chan struct{})
		if s.MaxInFlight > 0 {
			s.slots = make(chan struct{}, s.MaxInFlight)
		}
		if n := cmp.Or(s.MaxConns, defaultMaxConns); n > 0 {
			s.places = make(chan struct{}, n)
		}
	}
	return nil
}

// Serve accepts connections and serves them until Shutdown or Close, when it
// returns [ErrServerClosed], or until the listener fails. It closes the
// listener. A server can serve several.
func (s *Server) Serve(l net.Listener) error {
	end := sync.OnceValue(l.Close)
	defer func() { _ = end() }()
	s.mu.Lock()
	if err := s.begin(); err != nil {
		s.mu.Unlock()
		return err
	}
	s.listeners[l] = end
	s.mu.Unlock()
	defer func() {
		_ = end()
		s.mu.Lock()
		delete(s.listeners, l)
		s.tellQuiet()
		s.mu.Unlock()
	}()

	var pause time.Duration
	for {
		if s.places != nil {
			select {
			case s.places <- struct{}{}:
			default:
				select {
				case s.places <- struct{}{}:
				case <-s.stopped:
					return ErrServerClosed // there is no place for what waits
				}
			}
		}
		c, err := l.Accept()
		if err == nil {
			pause = 0
			if sc := s.add(c); sc != nil {
				go sc.serve()
				continue
			}
			s.leavePlace()
			return ErrServerClosed
		}
		s.leavePlace()
		select {
		case <-s.stopped:
			return ErrServerClosed
		default:
		}
		var t interface{ Temporary() bool }
		if !errors.As(err, &t) || !t.Temporary() {
			return err
		}
		// Too many open files, most likely: wait for some to be closed.
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		s.counts.acceptErrors.Add(1)
		s.log(slog.LevelWarn, "accept failed, will try again", "error", err, "in", pause)
		select {
		case <-time.After(pause):
		case <-s.stopped:
			return ErrServerClosed
		}
	}
}

func (s *Server) leavePlace() {
	if s.places != nil {
		<-s.places
	}
}

// ServeConn serves one connection on the caller's goroutine until it ends,
// and closes it. MaxConns doesn't count it.
func (s *Server) ServeConn(c net.Conn) error {
	s.mu.Lock()
	err := s.begin()
	s.mu.Unlock()
	if err == nil {
		if sc := s.add(c); sc != nil {
			sc.own = true
			sc.serve()
			return nil
		}
		err = ErrServerClosed
	}
	_ = c.Close()
	return err
}

// add registers a connection; nil if the server is stopping, and then the
// connection is closed.
func (s *Server) add(c net.Conn) *serverConn {
	sc := newServerConn(s, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed || s.stopping && len(s.listeners) == 0 {
		sc.end()
		return nil
	}
	s.conns[sc] = struct{}{}
	s.counts.accepted.Add(1)
	return sc
}

// remove is the other end of add.
func (s *Server) remove(c *serverConn) {
	if !c.own {
		s.leavePlace()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.tellQuiet()
}

// tellQuiet tells those who wait for it that nothing is left. s.mu is held.
func (s *Server) tellQuiet() {
	if len(s.conns) == 0 && len(s.listeners) == 0 {
		for _, ch := range s.quiet {
			close(ch)
		}
		s.quiet = nil
	}
}

// stop stops accepting: at once, or when what waits has been accepted.
func (s *Server) stop(kill bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped == nil {
		s.stopped = make(chan struct{})
	}
	if !s.stopping {
		s.stopping = true
		close(s.stopped)
		if !kill {
			for l, end := range s.listeners {
				go s.closeWhenQuiet(l, end)
			}
		}
	}
	if kill {
		s.killed = true
		for _, end := range s.listeners {
			_ = end()
		}
		for c := range s.conns {
			c.kill()
		}
	}
}

// Shutdown ends the server gracefully, without a call that gets lost: it accepts no more
// connections, has clients told with their next answer that this one goes away, and closes
// connections when they have been unused for Quiet. A connection without a [TTHeader] or [THeader]
// is closed behind its next answer. It returns when all are closed, or with the context's error
// when that is done; Close then ends what is left.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop(false)
	return s.drain(ctx)
}

// Close ends the server at once: connections are closed and the contexts of
// handlers cancelled. It does not wait for handlers; a Shutdown after it does.
func (s *Server) Close() error {
	s.stop(true)
	return nil
}
