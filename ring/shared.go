package ring

import (
	"context"
	"sync"
)

// SharedWriter is a writer for many goroutines of this process. Records are published one
// by one.
type SharedWriter struct {
	mu    sync.Mutex
	w     *Writer
	block bool

	// Who waits for room does so without the lock, so that others can still give up when
	// their contexts end. One at a time sleeps, with waiter.
	turn   chan struct{}
	waiter end
}

// NewShared is [New] with a writer for many goroutines.
func NewShared(capacity int, o Options) (*SharedWriter, *Reader, error) {
	w, r, err := New(capacity, o)
	if err != nil {
		return nil, nil, err
	}
	s := &SharedWriter{w: w, block: o.Full == Block, turn: make(chan struct{}, 1), waiter: w.end}
	if s.block {
		w.full = Fail
	}
	return s, r, nil
}

// MaxRecord is how many bytes a record can have at most.
func (s *SharedWriter) MaxRecord() int { return s.w.MaxRecord() }

// Send copies a record into the ring and publishes it. Without room it does what the
// ring's policy says.
func (s *SharedWriter) Send(ctx context.Context, p []byte) error {
	for {
		s.mu.Lock()
		err := s.w.Send(ctx, p)
		seen := s.w.seen
		s.mu.Unlock()
		if err != ErrFull || !s.block {
			return err
		}
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		s.waiter.seen = seen
		err, final := s.waiter.await(ctx)
		<-s.turn
		if err != nil && !final { // what is final comes from Send
			return err
		}
	}
}

// Close closes the writer, as [Writer.Close] does. Goroutines that wait in Send get
// [ErrClosed].
func (s *SharedWriter) Close() error { return s.close((*Writer).Close) }

// Abort is [Writer.Abort].
func (s *SharedWriter) Abort() error { return s.close((*Writer).Abort) }

func (s *SharedWriter) close(how func(*Writer) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.w.life.end(ErrClosed)
	err := how(s.w)
	s.w.bell.wake()
	return err
}

// Stats returns what the ring has done.
func (s *SharedWriter) Stats() Stats { return s.w.Stats() }
