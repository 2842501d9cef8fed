//go:build cgo && seam_libs

package main

// #include "stream.h"
import "C"

import (
	"context"
	"errors"
	"io"

	"github.com/seamgo/seam/mem"
)

// A Reader decompresses what it reads. It must be closed, which also frees what C has. Its
// methods must not be called at the same time.
type Reader struct {
	s     *stream
	r     io.Reader
	used  bool  // C has used up its input
	ended error // r's error, for when C has used up its input
	err   error // the first one
}

// NewReader returns a Reader of zstd frames, one after the other. When ctx ends Read returns
// context.Cause(ctx). A frame that is cut off is io.ErrUnexpectedEOF.
func (c *Codec) NewReader(ctx context.Context, r io.Reader) (*Reader, error) {
	s, err := newStream(ctx, c, 0)
	if err != nil {
		return nil, err
	}
	return &Reader{s: s, r: r, used: true}, nil
}

// Read decompresses into p itself.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, r.usable()
	}
	t := mem.Watch(r.s.ctx)
	defer t.Stop()
	return r.next(func() (int, bool, error) { return r.s.stepInto(p, t) })
}

// WriteTo writes all that there is to w. io.Copy calls it.
func (r *Reader) WriteTo(w io.Writer) (n int64, err error) {
	if err := r.usable(); err == io.EOF {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	to, err := r.s.codec.buffer(r.s.ctx, r.s.codec.out)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Release()) }()
	bytes, err := to.Bytes()
	if err != nil {
		return 0, err
	}
	t := mem.Watch(r.s.ctx)
	defer t.Stop()
	for {
		k, err := r.next(func() (int, bool, error) { return r.s.step(C.STREAM_GO_ON, to, t) })
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		k, err = w.Write(bytes[:k])
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
}

// Close frees what C has, in the middle or at the end. A second Close returns an error and
// does nothing.
func (r *Reader) Close() error {
	if r.s.c == nil {
		return errClosed
	}
	r.s.free()
	return nil
}

func (r *Reader) usable() error {
	if r.s.c == nil {
		return errClosed
	}
	return r.err
}

// next steps until there is something, and gets the input that it takes.
func (r *Reader) next(step func() (n int, done bool, err error)) (int, error) {
	for {
		if err := r.usable(); err != nil {
			return 0, err
		}
		if r.used {
			if err := r.fill(); err != nil {
				r.err = err
				return 0, err
			}
			r.used = false
		}
		n, done, err := step()
		r.used, r.err = done, err
		if n > 0 { // before the error
			return n, nil
		}
	}
}

// maxEmptyReads is how often a reader may give nothing and no error, as in package bufio.
const maxEmptyReads = 100

// fill gives C a buffer of input. Its error is io.EOF when there is none and none is missing.
func (r *Reader) fill() error {
	if r.ended == io.EOF && r.s.out.open != 0 {
		return io.ErrUnexpectedEOF
	}
	if r.ended != nil {
		return r.ended
	}
	b, err := r.s.codec.buffer(r.s.ctx, r.s.codec.in)
	if err != nil {
		return err
	}
	bytes, err := b.Bytes()
	if err != nil {
		return err
	}
	n := 0
	for try := 0; n == 0 && r.ended == nil; try++ {
		if n, r.ended = r.r.Read(bytes); n == 0 && r.ended == nil && try == maxEmptyReads {
			r.ended = io.ErrNoProgress
		}
	}
	return r.s.hand(b, n)
}
