package thrift

import (
	"context"
	"fmt"
	"sync/atomic"
)

// ServerStats are figures of a [Server], for a program's own statistics. For expvar, publish
// expvar.Func(func() any { return server.Stats() }).
type ServerStats struct {
	Conns        int64 `json:"conns"`         // connections that are open
	Accepted     int64 `json:"accepted"`      // connections so far
	Dropped      int64 `json:"dropped"`       // of them, those ended because of what arrived, or didn't, or since an answer couldn't be written: each is logged
	AcceptErrors int64 `json:"accept_errors"` // attempts to accept one that failed, and were made again
	Calls        int64 `json:"calls"`         // calls that have come to their handlers so far, over HTTP too
	InFlight     int64 `json:"in_flight"`     // of them, those whose handlers run
	Waiting      int64 `json:"waiting"`       // calls that wait for their turn (MaxInFlight)
	Refused      int64 `json:"refused"`       // calls whose time was over before their turn, and messages that are no calls
	Panics       int64 `json:"panics"`        // of handlers
	Stopping     bool  `json:"stopping"`      // Shutdown or Close has been called
}

// serverCounts are what ServerStats is made of. A call adds to begun and to done.
type serverCounts struct {
	begun, done                                               atomic.Int64
	accepted, dropped, acceptErrors, waiting, refused, panics atomic.Int64
}

// Stats returns the figures as they are. It costs calls nothing.
func (s *Server) Stats() ServerStats {
	s.mu.Lock()
	conns, stopping := len(s.conns), s.stopping
	s.mu.Unlock()
	n := &s.counts
	done := n.done.Load() // before begun, so that no call is done before it begins
	begun := n.begun.Load()
	return ServerStats{
		Conns: int64(conns), Accepted: n.accepted.Load(), Dropped: n.dropped.Load(), AcceptErrors: n.acceptErrors.Load(),
		Calls: begun, InFlight: begun - done, Waiting: n.waiting.Load(), Refused: n.refused.Load(), Panics: n.panics.Load(),
		Stopping: stopping,
	}
}

// turn waits for the turn of a call that was read on a connection, whose own context is the
// other one. If it is false the call has its answer, or there is an error and nobody waits for
// one. Otherwise s.leave ends what it began.
func (s *Server) turn(ctx, conn context.Context, c *Call) (ok bool, err error) {
	if s.slots == nil {
		return true, nil
	}
	select {
	case s.slots <- struct{}{}:
		return true, nil
	default:
	}
	s.counts.waiting.Add(1)
	defer s.counts.waiting.Add(-1)
	select {
	case s.slots <- struct{}{}:
		return true, nil
	case <-ctx.Done():
		if conn.Err() != nil {
			return false, conn.Err()
		}
		s.counts.refused.Add(1)
		c.Fail(fmt.Errorf("the call's time was over before its turn came (Server.MaxInFlight): %w", ctx.Err()))
		return false, nil
	}
}

func (s *Server) leave() {
	if s.slots != nil {
		<-s.slots
	}
}
