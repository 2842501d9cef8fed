package ring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

// A writer that writes what it likes: the reader ends with ErrCorrupt, and what it has
// returned lies inside of the ring.
func TestHostileWriter(t *testing.T) {
	const capacity = 256
	for _, c := range []struct {
		name    string
		written uint64
		at      uint64 // where the reader is
		header  uint64
	}{
		{"more than the capacity", 264, 0, 8},
		{"backwards", 32, 64, 8},
		{"not a multiple of 8", 12, 0, 8},
		{"all ones", 1<<64 - 1, 0, 8},
		{"a record beyond what is published", 16, 0, 9},
		{"a record beyond the end", 240 + 32, 240, 16},
		{"an endless record", 256, 0, 1<<32 - 1},
		{"a kind that there isn't", 16, 0, 2<<32 | 8},
		{"padding at the beginning", 256, 0, padding<<32 | 248},
		{"padding that doesn't fill the end", 32 + 16, 32, padding<<32 | 8},
		{"padding beyond what is published", 240 + 8, 240, padding<<32 | 8},
	} {
		for _, full := range []Full{Block, DropOldest} {
			t.Run(fmt.Sprintf("%s/%d", c.name, full), func(t *testing.T) {
				w, r := pair(t, capacity, c.at, Options{Full: full, Spin: -1})
				*w.header(c.at) = c.header
				w.ctl.written.Store(c.written)
				for range 2 {
					if rec, err := r.Next(forever); !errors.Is(err, ErrCorrupt) {
						t.Errorf("%x, %v", rec, err)
					}
				}
				if err := w.over(); err != ErrGone {
					t.Errorf("the writer isn't told: %v", err)
				}
			})
		}
	}
}

// A reader that says it is where it can't be.
func TestHostileReader(t *testing.T) {
	for _, full := range []Full{Block, Fail, DropOldest} {
		for _, read := range []uint64{8, 72, 1 << 63, 1<<64 - 8, 20} {
			t.Run(fmt.Sprintf("%d/%d", full, read), func(t *testing.T) {
				w, r := pair(t, 64, 0, Options{Full: full, Spin: -1})
				if read == 8 {
					read = 0
					if err := w.Send(forever, make([]byte, 8)); err != nil {
						t.Fatal(err)
					}
					w.drainTo(r, 16)
					read = 8 // back
				}
				if err := w.Send(forever, make([]byte, 40)); err != nil {
					t.Fatal(err)
				}
				r.ctl.read.Store(read)
				if err := w.Send(forever, make([]byte, 40)); !errors.Is(err, ErrCorrupt) {
					t.Errorf("%v", err)
				}
				if err := w.Send(forever, nil); !errors.Is(err, ErrCorrupt) {
					t.Errorf("afterwards: %v", err)
				}
			})
		}
	}
}

// drainTo makes the writer see that the reader is at pos.
func (w *Writer) drainTo(r *Reader, pos uint64) {
	r.ctl.read.Store(pos)
	w.limit = pos + w.capacity
}

// A peer that writes another capacity into the memory changes nothing, Stats included.
func TestHostileCapacity(t *testing.T) {
	w, r := pair(t, 64, 0, Options{})
	w.ctl.capacity = 1 << 40
	if n := r.Stats().Capacity; n != 64 {
		t.Errorf("a capacity of %d bytes", n)
	}
	r.Close()
	w.Close()
	if n := r.Stats().Capacity; n != 64 {
		t.Errorf("a capacity of %d bytes, after both ends are closed", n)
	}
}

// A reader that changes the records which the writer would drop.
func TestHostileDrop(t *testing.T) {
	for _, header := range []uint64{1<<32 - 1, 57, padding<<32 | 100} {
		w, _ := pair(t, 64, 0, Options{Full: DropOldest})
		if err := w.Send(forever, make([]byte, 40)); err != nil {
			t.Fatal(err)
		}
		*w.header(0) = header
		if err := w.Send(forever, make([]byte, 40)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%#x: %v", header, err)
		}
	}
}

// A reader that gives back a little at a time, always before the writer sleeps, doesn't make
// the writer's context last longer.
func TestHostileTrickle(t *testing.T) {
	w, r := pair(t, 4096, 0, Options{Spin: time.Hour})
	if err := w.Send(forever, make([]byte, 4000)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(forever)
	cancel()
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 4008 / 8 {
			time.Sleep(10 * time.Microsecond)
			r.ctl.read.Add(8)
		}
	}()
	if _, err := w.Reserve(ctx, 4000); err != context.Canceled {
		t.Error(err)
	}
	<-done
}

// FuzzRecords gives a reader rings in which anything may be. It must end, with records
// that lie in the ring or with an error.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("\x05\x00\x00\x00\x00\x00\x00\x00hello\x00\x00\x00"), uint64(16), uint64(0), false)
	f.Add(make([]byte, 64), uint64(64), uint64(0), true)
	f.Add([]byte{56, 0, 0, 0, 1}, uint64(72), uint64(8), false)
	f.Fuzz(func(t *testing.T, data []byte, written, start uint64, drops bool) {
		start &^= 7
		o := Options{Spin: -1, Untrusted: len(data)%2 == 1}
		if drops {
			o.Full = DropOldest
		}
		w, r := pair(t, 64, start, o)
		for pos := range uint64(8) {
			var h uint64
			for i := range 8 {
				if k := int(pos)*8 + i; k < len(data) {
					h |= uint64(data[k]) << (8 * i)
				}
			}
			*w.header(pos * 8) = h
		}
		w.ctl.written.Store(start + written)
		w.ctl.writer.state.Or(closed)
		bytes := 0
		for {
			rec, err := r.Next(forever)
			if err != nil {
				if err != io.EOF && !errors.Is(err, ErrCorrupt) {
					t.Error(err)
				}
				return
			}
			if bytes += headerSize + len(rec); bytes > 64 {
				t.Fatalf("%d bytes from a ring of 64", bytes)
			}
		}
	})
}

// FuzzHello gives anything as a greeting.
func FuzzHello(f *testing.F) {
	f.Add(Options{}.hello().bytes())
	f.Add([]byte("SEAMRING"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := readHello(b)
		if err != nil {
			if !errors.Is(err, ErrMismatch) {
				t.Error(err)
			}
			return
		}
		if again, err := readHello(h.bytes()); err != nil || again != h {
			t.Errorf("%+v became %+v, %v", h, again, err)
		}
		if s, err := h.judge(Options{}.hello()); s != accepted && err == nil {
			t.Errorf("%v without an error", s)
		}
	})
}

// A writer that keeps ringing without writing can't keep a reader from its deadline.
func TestSpuriousWakes(t *testing.T) {
	w, r := pair(t, 64, 0, Options{Spin: -1})
	ctx, cancel := context.WithTimeout(forever, 10*time.Millisecond)
	defer cancel()
	done := make(chan bool)
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			w.other.wake()
		}
	}()
	if _, err := r.Next(ctx); err != context.DeadlineExceeded {
		t.Error(err)
	}
	<-done
}
