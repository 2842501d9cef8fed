//seam:test race toolchains metal arm64 arm 386 pointers

package ring

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

var forever = context.Background()

// pair returns both ends of a ring whose positions begin at start.
func pair(t testing.TB, capacity int, start uint64, o Options) (*Writer, *Reader) {
	t.Helper()
	if err := checkCapacity(uint64(capacity)); err != nil {
		t.Fatal(err)
	}
	m := heapMemory(uint64(capacity))
	m.start = start
	m.ctl.written.Store(start)
	m.ctl.read.Store(start)
	w, r := ends(m, o)
	return w, r
}

// record makes the nth record: its length and its bytes follow from n.
func record(n, limit int) []byte {
	g := rand.New(rand.NewPCG(uint64(n), 1))
	p := make([]byte, g.IntN(limit+1))
	for i := range p {
		p[i] = byte(n + i)
	}
	return p
}

// stream sends n records from one goroutine to another, by all ways to send, and checks
// them.
func stream(t *testing.T, w *Writer, r *Reader, n, limit int) {
	t.Helper()
	sent := make(chan error, 1)
	go func() {
		defer w.Close()
		for i := range n {
			p := record(i, limit)
			var err error
			switch i % 3 {
			case 0:
				err = w.Send(forever, p)
			case 1:
				err = w.Append(forever, p)
			case 2:
				var room []byte
				if room, err = w.Reserve(forever, limit); err == nil {
					err = w.Commit(copy(room, p))
				}
			}
			if err != nil {
				sent <- err
				return
			}
		}
		sent <- w.Flush()
	}()
	for i := range n {
		rec, err := r.Next(forever)
		if err != nil || !bytes.Equal(rec, record(i, limit)) {
			t.Fatalf("record %d: %v, %d bytes, want %d", i, err, len(rec), len(record(i, limit)))
		}
		if i%7 == 0 {
			r.Release()
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if _, err := r.Next(forever); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// Records of all sizes pass, where rings are tiny, and where positions overflow.
func TestStream(t *testing.T) {
	for _, c := range []struct {
		name     string
		capacity int
		start    uint64
	}{
		{"tiny", 64, 0},
		{"page", 4096, 0},
		{"1<<32", 256, 1<<32 - 4096},
		{"1<<63", 256, 1<<63 - 4096},
		{"1<<64", 256, -4096 & (1<<64 - 1)},
		{"odd start", 256, 1<<32 - 40},
	} {
		for _, spin := range []time.Duration{0, -1} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				w, r := pair(t, c.capacity, c.start, Options{Spin: spin})
				stream(t, w, r, 5000, w.MaxRecord())
			})
		}
	}
}

// A record may be as large as the ring, less its header.
func TestLargestRecord(t *testing.T) {
	w, r := pair(t, 64, 0, Options{Full: Fail})
	if err := w.Send(forever, make([]byte, 57)); !errors.Is(err, ErrInvalid) {
		t.Errorf("57 bytes in a ring of 64: %v", err)
	}
	for i, n := range []int{56, 1, 56, 40, 56} {
		for {
			err := w.Send(forever, make([]byte, n))
			if err == nil {
				break
			}
			// The padding before it must be read first.
			if _, ok, rerr := r.TryNext(); ok || err != ErrFull || rerr != nil {
				t.Fatalf("record %d: %v, %v, %v", i, err, ok, rerr)
			}
		}
		if rec, ok, err := r.TryNext(); len(rec) != n || !ok || err != nil {
			t.Fatalf("record %d: %d bytes, %v, %v", i, len(rec), ok, err)
		}
		r.Release()
	}
}

// What was committed is not seen before Flush; nor is what was only reserved, ever.
func TestBatch(t *testing.T) {
	w, r := pair(t, 1024, 0, Options{Full: Fail})
	for i := range 3 {
		if err := w.Append(forever, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := r.TryNext(); ok || err != nil {
		t.Fatalf("before Flush: %v, %v", ok, err)
	}
	if _, err := w.Reserve(forever, 100); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	for i := range 3 {
		if rec, ok, err := r.TryNext(); !ok || err != nil || len(rec) != 1 || rec[0] != byte(i) {
			t.Fatalf("record %d: %v, %v, %v", i, rec, ok, err)
		}
	}
	if _, ok, err := r.TryNext(); ok || err != nil {
		t.Errorf("a reservation was seen: %v, %v", ok, err)
	}
	if err := w.Commit(101); !errors.Is(err, ErrInvalid) {
		t.Errorf("more was committed than reserved: %v", err)
	}
	if err := w.Commit(1); err != nil {
		t.Error(err)
	}
	if err := w.Commit(1); !errors.Is(err, ErrInvalid) {
		t.Errorf("a second commit: %v", err)
	}
}

// Where a reservation can't be had the one before is over too: padding may lie there by
// then, and what comes after it may not have been read yet.
func TestReservationIsTakenBack(t *testing.T) {
	for name, fails := range map[string]func(*Writer) error{
		"Reserve": func(w *Writer) error { _, err := w.Reserve(forever, 40); return err },
		"Append":  func(w *Writer) error { return w.Append(forever, make([]byte, 40)) },
	} {
		t.Run(name, func(t *testing.T) {
			w, r := pair(t, 64, 0, Options{Full: Fail})
			if err := w.Send(forever, []byte("a record of 32 bytes, not read.."[:32])); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Reserve(forever, 8); err != nil {
				t.Fatal(err)
			}
			if err := fails(w); err != ErrFull {
				t.Fatal(err)
			}
			if err := w.Commit(2); !errors.Is(err, ErrInvalid) {
				t.Errorf("Commit: %v", err)
			}
			w.Close()
			if rec, err := r.Next(forever); len(rec) != 32 {
				t.Errorf("%q, %v", rec, err)
			}
			if _, err := r.Next(forever); err != io.EOF {
				t.Error(err)
			}
		})
	}
}

// A writer that fills the ring without Flush gets room: what it has committed is published
// before it sleeps. And a reader that has read, but not yet given back, gives back before
// it sleeps. (Tachyon publishes its tail every 32 receives: what fits into fewer hangs.)
func TestPublishesBeforeSleeping(t *testing.T) {
	w, r := pair(t, 4096, 0, Options{})
	const n = 1000
	done := make(chan error, 1)
	go func() {
		for range n {
			if err := w.Append(forever, make([]byte, 1000)); err != nil {
				done <- err
				return
			}
		}
		done <- w.Flush()
	}()
	for i := range n {
		if _, err := r.Next(forever); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What a reader has released can be written at once, however few records it was.
func TestReleaseGivesBackAtOnce(t *testing.T) {
	w, r := pair(t, 1<<16, 0, Options{Full: Fail})
	fill := func() (n int) {
		for w.Send(forever, make([]byte, 1000)) == nil {
			n++
		}
		return n
	}
	fill()
	for range 10 {
		if _, err := r.Next(forever); err != nil {
			t.Fatal(err)
		}
		r.Release()
		if n := fill(); n != 1 {
			t.Fatalf("one record was released, and %d could be written", n)
		}
	}
}

func TestContext(t *testing.T) {
	w, r := pair(t, 64, 0, Options{})
	ctx, cancel := context.WithTimeout(forever, 20*time.Millisecond)
	defer cancel()
	if _, err := r.Next(ctx); err != context.DeadlineExceeded {
		t.Errorf("Next: %v", err)
	}
	if err := w.Send(ctx, make([]byte, 50)); err != nil {
		t.Errorf("there is room: %v", err)
	}
	if err := w.Send(ctx, make([]byte, 50)); err != context.DeadlineExceeded {
		t.Errorf("Send: %v", err)
	}
	if rec, err := r.Next(ctx); err != nil || len(rec) != 50 {
		t.Errorf("there is a record: %v", err)
	}
	r.Release()
	if err := w.Send(forever, nil); err != nil {
		t.Errorf("after the end of a context: %v", err)
	}
}

func TestClose(t *testing.T) {
	w, r := pair(t, 256, 0, Options{})
	if err := w.Append(forever, []byte("last")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	w.Close()
	if err := w.Send(forever, nil); err != ErrClosed {
		t.Errorf("Send after Close: %v", err)
	}
	if err := w.Flush(); err != ErrClosed {
		t.Errorf("Flush after Close: %v", err)
	}
	rec, err := r.Next(forever)
	if err != nil || string(rec) != "last" {
		t.Errorf("%q, %v", rec, err)
	}
	for range 2 {
		if _, err := r.Next(forever); err != io.EOF {
			t.Errorf("after the last: %v", err)
		}
	}
	r.Release()
	r.Close()
	if s := r.Stats(); s.Written != 16 || s.Capacity != 256 {
		t.Errorf("%+v", s)
	}
}

// A reader that closes ends a writer's wait.
func TestReaderCloses(t *testing.T) {
	w, r := pair(t, 64, 0, Options{})
	done := make(chan bool)
	go func() {
		defer close(done)
		time.Sleep(5 * time.Millisecond)
		r.Close()
	}()
	var err error
	for i := 0; i < 10 && err == nil; i++ {
		err = w.Send(forever, make([]byte, 50))
	}
	if err != ErrGone {
		t.Errorf("Send: %v", err)
	}
	<-done
	if _, err := r.Next(forever); err != ErrClosed {
		t.Errorf("Next after Close: %v", err)
	}
}

// A closed end keeps what the caller has in its hands.
func TestCloseWithView(t *testing.T) {
	w, r := pair(t, 256, 0, Options{})
	w.Send(forever, []byte("kept"))
	rec, err := r.Next(forever)
	if err != nil {
		t.Fatal(err)
	}
	room, err := w.Reserve(forever, 8)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	copy(room, "12345678")
	if string(rec) != "kept" {
		t.Errorf("%q", rec)
	}
	if err := w.Commit(8); err != ErrClosed {
		t.Errorf("Commit after Close: %v", err)
	}
	r.Release()
}

// The reader gets some of the records, in order, and the last ones.
func TestDropOldest(t *testing.T) {
	for _, n := range []int{3, 100000} {
		w, r := pair(t, 256, 1<<32-1024, Options{Full: DropOldest})
		go func() {
			defer w.Close()
			for i := range n {
				p := binary.LittleEndian.AppendUint64(make([]byte, 0, 40), uint64(i))
				p = append(p, make([]byte, i%32)...)
				for w.Send(forever, p) == ErrFull {
				}
			}
		}()
		last, got := -1, 0
		for {
			rec, err := r.Next(forever)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			i := int(binary.LittleEndian.Uint64(rec))
			if i <= last || len(rec) != 8+i%32 {
				t.Fatalf("record %d of %d bytes after %d", i, len(rec), last)
			}
			last = i
			got++
		}
		if s := r.Stats(); last != n-1 || got+int(s.Dropped) != n {
			t.Errorf("%d records: %d arrived, %d were dropped, the last was %d", n, got, s.Dropped, last)
		}
	}
}

// What the reader looks at can't be dropped.
func TestDropOldestKeepsView(t *testing.T) {
	w, r := pair(t, 64, 0, Options{Full: DropOldest})
	w.Send(forever, []byte("first"))
	rec, err := r.Next(forever)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Send(forever, make([]byte, 56)); err != ErrFull {
		t.Errorf("a record in use was dropped: %v", err)
	}
	if string(rec) != "first" {
		t.Errorf("%q", rec)
	}
	r.Release()
	if err := w.Send(forever, make([]byte, 56)); err != nil {
		t.Errorf("after Release: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []int{-1, 0, 32, 63, 65, 3 << 20, MaxCapacity + 64} {
		if _, _, err := New(c, Options{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a capacity of %d: %v", c, err)
		}
	}
}

// What the reader was done with: never more than it has read, never less than that by an eighth of
// the ring, and all of it once it has given that back.
func TestTaken(t *testing.T) {
	const capacity = 1024
	random := rand.New(rand.NewPCG(1, 2))
	for _, full := range []Full{Fail, DropOldest} {
		w, r, err := New(capacity, Options{Full: full})
		if err != nil {
			t.Fatal(err)
		}
		given, read := uint64(0), uint64(0)
		check := func(exact bool) {
			t.Helper()
			done := read + w.Stats().Dropped
			if taken := w.Taken(); taken > done || exact && taken != done || taken+capacity/8/8+1 < done {
				t.Fatalf("%d taken; %d given, %d read and %d dropped", taken, given, read, w.Stats().Dropped)
			}
		}
		for range 20000 {
			switch random.IntN(4) {
			case 0, 1:
				if err := w.Append(forever, make([]byte, random.IntN(200))); err == nil {
					given++
				} else if err != ErrFull {
					t.Fatal(err)
				}
				if random.IntN(2) == 0 {
					w.Flush()
				}
			case 2:
				if _, ok, err := r.TryNext(); err != nil {
					t.Fatal(err)
				} else if ok {
					read++
				}
			case 3:
				r.Release()
				check(full == Fail)
			}
			check(false)
		}
		r.Release()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		check(full == Fail)
		if full == Fail && w.Taken() == given {
			t.Error("nothing was left, so nothing is shown")
		}
	}
}
