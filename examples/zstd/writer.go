//go:build cgo && seam_libs

package main

// #include "stream.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seamgo/seam/mem"
)

// A Writer compresses what is written to it. It must be closed, which also frees what C
// has. Its methods must not be called at the same time.
type Writer struct {
	s      *stream
	w      io.Writer
	buffer mem.Buffer // being filled; none while room is nil
	room   []byte     // all of it
	n      int        // of it are filled
	err    error      // the first one: the stream is of no use any more
}

// NewWriter returns a Writer that writes a zstd frame to w. The level is 1 (quick) to 22
// (small). When ctx ends, so does the work: Write returns context.Cause(ctx) and the frame
// is not complete.
func (c *Codec) NewWriter(ctx context.Context, w io.Writer, level int) (*Writer, error) {
	if level < 1 || level > 22 {
		return nil, fmt.Errorf("zstd: level %d, want 1 to 22", level)
	}
	s, err := newStream(ctx, c, level)
	if err != nil {
		return nil, err
	}
	return &Writer{s: s, w: w}, nil
}

// Write compresses p. It copies p to a buffer, as bufio does; [Writer.ReadFrom] reads to
// the buffer itself.
func (w *Writer) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if err := w.makeRoom(); err != nil {
			return n, err
		}
		k := copy(w.room[w.n:], p[n:])
		n += k
		w.n += k
	}
	return n, w.usable()
}

// ReadFrom compresses all that r has. io.Copy calls it.
func (w *Writer) ReadFrom(r io.Reader) (n int64, err error) {
	for empty := 0; empty < maxEmptyReads; empty++ {
		if err := w.makeRoom(); err != nil {
			return n, err
		}
		k, err := r.Read(w.room[w.n:])
		if k > 0 {
			empty = 0
		}
		n += int64(k)
		w.n += k
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, io.ErrNoProgress
}

// Flush writes out all that was written so far.
func (w *Writer) Flush() error { return w.push(C.STREAM_FLUSH) }

// Close ends the frame and the stream, also after an error, which it returns then. A second
// Close returns an error and does nothing.
func (w *Writer) Close() error {
	if w.s.c == nil {
		return errClosed
	}
	return errors.Join(w.push(C.STREAM_END), w.Abort())
}

// Abort ends the stream without completing the frame: for input that is not whole. Nothing
// more is written.
func (w *Writer) Abort() error {
	if w.s.c == nil {
		return errClosed
	}
	err := w.release()
	w.s.free()
	return err
}

func (w *Writer) usable() error {
	if w.s.c == nil {
		return errClosed
	}
	return w.err
}

// makeRoom makes room of one byte at least.
func (w *Writer) makeRoom() error {
	if err := w.usable(); err != nil {
		return err
	}
	if w.room != nil && w.n == len(w.room) {
		if err := w.push(C.STREAM_GO_ON); err != nil {
			return err
		}
	}
	if w.room != nil {
		return nil
	}
	b, err := w.s.codec.buffer(w.s.ctx, w.s.codec.in)
	if err != nil {
		return w.fail(err)
	}
	w.buffer = b
	w.room, err = b.Bytes()
	return w.fail(err)
}

// release gives up a buffer that C has not been given.
func (w *Writer) release() error {
	if w.room == nil {
		return nil
	}
	w.room, w.n = nil, 0
	return w.buffer.Release()
}

// push hands the buffer to C and writes what comes of it.
func (w *Writer) push(op C.int) error {
	if err := w.usable(); err != nil {
		return err
	}
	if w.n > 0 {
		n := w.n
		w.room, w.n = nil, 0
		if err := w.s.hand(w.buffer, n); err != nil {
			return w.fail(err)
		}
	}
	to, err := w.s.codec.buffer(w.s.ctx, w.s.codec.out)
	if err != nil {
		return w.fail(err)
	}
	t := mem.Watch(w.s.ctx)
	defer t.Stop()
	err = w.drain(op, to, t)
	return w.fail(errors.Join(err, to.Release()))
}

func (w *Writer) drain(op C.int, to mem.Buffer, t mem.Token) error {
	bytes, err := to.Bytes()
	if err != nil {
		return err
	}
	for done := false; !done; {
		var n int
		if n, done, err = w.s.step(op, to, t); err != nil {
			return err
		}
		if n > 0 {
			if _, err := w.w.Write(bytes[:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fail keeps the first error.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return err
}
