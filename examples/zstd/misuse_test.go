//go:build cgo && seam_libs

package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seamgo/seam/mem"
)

// A failing writer fails after so many bytes.
type failing struct {
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, f.err
	}
	return len(p), nil
}

// Closed in the middle, C gives back what it has: newCodec looks.
func TestClosedInTheMiddle(t *testing.T) {
	c := newCodec(t, 2)
	data := text(4 * blockSize)
	z := newWriter(t, c, io.Discard)
	if _, err := z.Write(data[:blockSize+10]); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); !errors.Is(err, mem.ErrBusy) {
		t.Errorf("a Codec closed with a stream that has a buffer: %v, want mem.ErrBusy", err)
	}
	if err := z.Abort(); err != nil {
		t.Error(err)
	}
	r := newReader(t, c, bytes.NewReader(compress(t, c, data)))
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if s := c.in.Stats(); s.InUse != 0 || s.HeldByC != 1 {
		t.Errorf("in the middle Go has %d buffers and C %d, want none and one", s.InUse, s.HeldByC)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if s := c.in.Stats(); s.InUse != 0 || s.HeldByC != 0 {
		t.Errorf("after Close Go has %d buffers and C %d", s.InUse, s.HeldByC)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, errClosed) {
		t.Errorf("Read after Close: %v", err)
	}
	if _, err := z.Write(data); !errors.Is(err, errClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	if err := errors.Join(r.Close(), z.Close(), z.Abort()); !errors.Is(err, errClosed) {
		t.Errorf("a second Close: %v", err)
	}

	why := errors.New("no space left")
	z = newWriter(t, c, &failing{1000, why})
	if _, err := z.Write(data); !errors.Is(err, why) {
		t.Errorf("Write to a writer that fails: %v", err)
	}
	if _, err := z.Write(data); !errors.Is(err, why) {
		t.Errorf("Write after that: %v", err)
	}
	if err := z.Close(); !errors.Is(err, why) {
		t.Errorf("Close after that: %v", err)
	}
}

func TestExhausted(t *testing.T) {
	c := newCodec(t, 2)
	c.Refuse = true
	var writers [3]*Writer
	for i := range writers {
		writers[i] = newWriter(t, c, io.Discard)
	}
	for _, z := range writers[:2] {
		if _, err := z.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := writers[2].Write([]byte("x")); !errors.Is(err, mem.ErrExhausted) {
		t.Errorf("a third stream of two: %v, want mem.ErrExhausted", err)
	}
	for _, z := range writers {
		if err := z.Abort(); err != nil {
			t.Error(err)
		}
	}
	// What C gives back is found.
	compress(t, c, text(7*blockSize))
}

func TestMisuse(t *testing.T) {
	c, other := newCodec(t, 2), newCodec(t, 2)
	s, err := newStream(t.Context(), c, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.free()
	get := func(p *mem.Pool) mem.Buffer {
		b, err := p.Get(1)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	released := get(c.in)
	if err := released.Release(); err != nil {
		t.Fatal(err)
	}
	if err := s.hand(released, 1); !errors.Is(err, mem.ErrReleased) || !strings.Contains(err.Error(), "stale handle") {
		t.Errorf("a buffer that was released: %v, want mem.ErrReleased, for its stale handle in C too", err)
	}
	if _, err := released.Bytes(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("its bytes: %v", err)
	}
	if err := s.hand(get(c.in), blockSize+1); !errors.Is(err, mem.ErrInvalid) || !strings.Contains(err.Error(), "more bytes") {
		t.Errorf("more than a buffer has: %v, want mem.ErrInvalid", err)
	}
	if err := s.hand(get(other.in), 1); !errors.Is(err, mem.ErrInvalid) || !strings.Contains(err.Error(), "not a handle") {
		t.Errorf("a buffer of another pool: %v, want mem.ErrInvalid", err)
	}
	if err := s.hand(mem.Buffer{}, 1); !errors.Is(err, mem.ErrInvalid) || !strings.Contains(err.Error(), "not a handle") {
		t.Errorf("the zero Buffer: %v, want mem.ErrInvalid", err)
	}
	if err := s.hand(get(c.in), 1); err != nil {
		t.Error(err)
	}
	if err := s.hand(get(c.in), 1); err == nil || !strings.Contains(err.Error(), "still has a buffer") {
		t.Errorf("a second buffer: %v", err)
	}
	if _, _, err := s.step(0, released, mem.Token{}); !errors.Is(err, mem.ErrInvalid) || !strings.Contains(err.Error(), "not a handle") {
		t.Errorf("room in the wrong pool: %v, want mem.ErrInvalid", err)
	}
	for _, level := range []int{-1, 0, 23} {
		if _, err := c.NewWriter(t.Context(), io.Discard, level); err == nil {
			t.Errorf("level %d: no error", level)
		}
	}
	if _, err := NewCodec(0); err == nil {
		t.Error("a Codec for no streams: no error")
	}
}

// What debug mode adds: a write to a buffer that was given away is found out.
func TestDebugMode(t *testing.T) {
	if mem.Status().Path != mem.PathDebug {
		t.Skip("runs with SEAM_MEM=debug")
	}
	c, err := NewCodec(1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.in.Get(1)
	if err != nil {
		t.Fatal(err)
	}
	room, err := b.Bytes()
	if err == nil {
		err = b.Release()
	}
	if err != nil {
		t.Fatal(err)
	}
	room[5] = 'x'
	if err := c.in.Check(); !errors.Is(err, mem.ErrCorrupt) {
		t.Errorf("Check: %v, want mem.ErrCorrupt", err)
	}
	if err := c.Close(); !errors.Is(err, mem.ErrCorrupt) {
		t.Errorf("Close: %v, want mem.ErrCorrupt", err)
	}
}

// stuck gives nothing and no error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestReaderThatGivesNothing(t *testing.T) {
	c := newCodec(t, 1)
	if _, err := decompress(c, stuck{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Reader: %v", err)
	}
	z := newWriter(t, c, io.Discard)
	if _, err := z.ReadFrom(stuck{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Writer: %v", err)
	}
	if err := z.Abort(); err != nil {
		t.Error(err)
	}
}
