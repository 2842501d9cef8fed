//go:build cgo && seam_libs

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/mem"
)

// endless is zeros without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestCancel(t *testing.T) {
	c := newCodec(t, 2)
	why := errors.New("nobody waits for it any more")

	t.Run("before C begins", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		z, err := c.NewWriter(ctx, io.Discard, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(make([]byte, 2*blockSize)); !errors.Is(err, why) {
			t.Errorf("Write: %v", err)
		}
		if n := z.s.out.produced; n != 0 {
			t.Errorf("C has made %d bytes", n)
		}
		if err := z.Close(); !errors.Is(err, why) {
			t.Errorf("Close: %v", err)
		}
		r, err := c.NewReader(ctx, bytes.NewReader(compress(t, c, text(1000))))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.Read(make([]byte, 100)); n != 0 || !errors.Is(err, why) {
			t.Errorf("Read: %d, %v", n, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("in the middle", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		z, err := c.NewWriter(ctx, io.Discard, 1)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(5 * time.Millisecond)
			cancel(why)
		}()
		if _, err := z.ReadFrom(endless{}); !errors.Is(err, why) {
			t.Errorf("ReadFrom of an endless reader: %v", err)
		}
		if err := z.Abort(); err != nil {
			t.Error(err)
		}
	})
	t.Run("in C", func(t *testing.T) {
		// Between two steps of one input.
		ctx, cancel := context.WithCancelCause(t.Context())
		s, err := newStream(ctx, c, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.free()
		b, err := c.in.Get(blockSize)
		if err != nil {
			t.Fatal(err)
		}
		room, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		copy(room, text(blockSize))
		if err := s.hand(b, blockSize); err != nil {
			t.Fatal(err)
		}
		token := mem.Watch(ctx)
		if _, done, err := s.stepInto(make([]byte, 0), token); done || err != nil {
			t.Fatal(done, err) // no room: C has taken 16 KB of its 128
		}
		cancel(why)
		for atomic.LoadInt32((*int32)(token.C())) == 0 {
			runtime.Gosched() // until C can see it
		}
		if n, done, err := s.stepInto(make([]byte, blockSize), token); n != 0 || done || !errors.Is(err, why) {
			t.Errorf("the step after that: %d bytes, %v, %v", n, done, err)
		}
		if !token.Stop() {
			t.Error("the token says that C could not see it")
		}
		if s := c.in.Stats(); s.HeldByC != 1 {
			t.Errorf("C holds %d buffers, want the one that it was cancelled in", s.HeldByC)
		}
	})
	t.Run("while it waits for a buffer", func(t *testing.T) {
		full := newCodec(t, 1)
		first := newWriter(t, full, io.Discard)
		if _, err := first.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, why)
		defer cancel()
		second, err := full.NewWriter(ctx, io.Discard, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := second.Write([]byte("x")); !errors.Is(err, why) {
			t.Errorf("Write without a buffer: %v", err)
		}
		if err := errors.Join(first.Close(), second.Abort()); err != nil {
			t.Error(err)
		}
	})
}
