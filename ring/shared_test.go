package ring

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
	"testing"
	"time"
)

// All records of all goroutines arrive, those of each in order.
func TestSharedWriter(t *testing.T) {
	const writers, each = 8, 5000
	s, r, err := NewShared(256, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for n := range writers {
		group.Go(func() {
			for i := range each {
				p := binary.LittleEndian.AppendUint32(nil, uint32(i))
				if err := s.Send(forever, append(append(p, byte(n)), make([]byte, i%50)...)); err != nil {
					t.Errorf("writer %d, record %d: %v", n, i, err)
					return
				}
			}
		})
	}
	go func() {
		group.Wait()
		s.Close()
	}()
	var next [writers]int
	for {
		rec, err := r.Next(forever)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		i, n := int(binary.LittleEndian.Uint32(rec)), rec[4]
		if i != next[n] || len(rec) != 5+i%50 {
			t.Fatalf("writer %d: record %d of %d bytes, want record %d", n, i, len(rec), next[n])
		}
		next[n]++
	}
	for n, i := range next {
		if i != each {
			t.Errorf("writer %d: %d records", n, i)
		}
	}
}

// Goroutines that wait for room end with their contexts, each with its own, and when the
// writer is closed.
func TestSharedWriterWaits(t *testing.T) {
	s, r, err := NewShared(64, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(forever, make([]byte, 56)); err != nil {
		t.Fatal(err)
	}
	const waiters = 4
	gaveUp, ended := make(chan error, waiters), make(chan error, waiters)
	ctx, cancel := context.WithCancel(forever)
	for range waiters {
		go func() { gaveUp <- s.Send(ctx, nil) }()
		go func() { ended <- s.Send(forever, nil) }()
	}
	time.Sleep(5 * time.Millisecond)
	cancel()
	for range waiters {
		if err := <-gaveUp; err != context.Canceled {
			t.Errorf("after its context: %v", err)
		}
	}
	s.Close()
	for range waiters {
		if err := <-ended; err != ErrClosed {
			t.Errorf("after Close: %v", err)
		}
	}
	if rec, err := r.Next(forever); err != nil || len(rec) != 56 {
		t.Errorf("%d bytes, %v", len(rec), err)
	}
	if _, err := r.Next(forever); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestSharedWriterPolicy(t *testing.T) {
	for full, want := range map[Full]error{Fail: ErrFull, DropOldest: nil} {
		s, r, err := NewShared(64, Options{Full: full})
		if err != nil {
			t.Fatal(err)
		}
		s.Send(forever, make([]byte, 56))
		if err := s.Send(forever, []byte("new")); err != want {
			t.Errorf("policy %d: %v", full, err)
		}
		if rec, err := r.Next(forever); err != nil || want == nil && string(rec) != "new" {
			t.Errorf("policy %d: %d bytes, %v", full, len(rec), err)
		}
	}
}
