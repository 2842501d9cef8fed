package thrift

import (
	"errors"
	"os"
	"sync"
	"time"
)

// A peerWatch notices that the peer has gone while a handler runs, and
// cancels the handler's context. Nobody reads from the connection then, so
// the watch does: one byte, which belongs to the next message if there is
// one. (It reads no further: a client that has closed its half behind several
// calls is to have its answers. So the end behind two messages is found when
// the first of them is read.) It begins only when a handler has run for some time, so that quick
// ones cost no more than a timer.
type peerWatch struct {
	c     *serverConn
	timer *time.Timer
	done  chan struct{} // has one entry for each run
	b     [1]byte
	n     int

	mu      sync.Mutex
	stopped bool
}

// watchAfter is how long a handler runs before its peer is watched.
const watchAfter = 10 * time.Millisecond

// start begins the watch.
func (w *peerWatch) start() {
	w.stopped, w.n = false, 0
	if w.timer == nil {
		w.timer = time.AfterFunc(watchAfter, w.run)
	} else {
		w.timer.Reset(watchAfter)
	}
}

// run is the timer's function.
func (w *peerWatch) run() {
	defer func() { w.done <- struct{}{} }()
	conn := w.c.conn
	w.mu.Lock()
	if !w.stopped {
		_ = conn.SetReadDeadline(time.Time{})
	}
	w.mu.Unlock()
	n, err := conn.Read(w.b[:]) // fails at once where stop was first
	w.n = n
	if n == 0 && err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		// The end of what the peer sends may be that of half a connection only;
		// it gets its answer, but a handler can't wait to find out.
		w.c.cancel()
	}
}

// stop ends the watch, and puts the byte that it may have read where it
// belongs.
func (w *peerWatch) stop() {
	if w.timer.Stop() {
		return
	}
	w.mu.Lock()
	w.stopped = true
	_ = w.c.conn.SetReadDeadline(past)
	w.mu.Unlock()
	<-w.done
	w.c.deadline, w.c.idleDeadline = true, false
	if w.n > 0 {
		w.c.in.filled(copy(w.c.in.room(), w.b[:w.n]))
	}
}
