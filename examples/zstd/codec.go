//go:build cgo && seam_libs

package main

// #include "stream.h"
import "C"

import (
	"context"
	"fmt"

	"github.com/seamgo/seam/mem"
)

// blockSize is the size of a buffer: what libzstd compresses at a time.
const blockSize = 128 << 10

// A Codec has the buffers of all streams of a program, and so bounds their memory. A stream
// needs one for its input, from the first byte until C has used it up, and one for its
// output while it works. They are of two pools: a stream that has an input must not wait
// for an output that others' inputs have taken.
type Codec struct {
	in, out *mem.Pool

	// Refuse makes streams fail with mem.ErrExhausted when there is no buffer, instead of
	// waiting for one until their context ends.
	Refuse bool
}

// NewCodec returns a Codec for so many streams at a time.
func NewCodec(streams int) (*Codec, error) {
	in, err := mem.NewPool(mem.Class{Size: blockSize, Count: streams})
	if err != nil {
		return nil, err
	}
	out, err := mem.NewPool(mem.Class{Size: blockSize, Count: streams})
	if err != nil {
		_ = in.Close() // nobody has used it
		return nil, err
	}
	return &Codec{in: in, out: out}, nil
}

// Close gives the memory back. It fails with mem.ErrBusy while a stream has not been
// closed that has a buffer, and can then be called again.
func (c *Codec) Close() error {
	if err := c.in.Close(); err != nil {
		return fmt.Errorf("zstd: input buffers: %w", err)
	}
	if err := c.out.Close(); err != nil {
		return fmt.Errorf("zstd: output buffers: %w", err)
	}
	return nil
}

// buffer returns a buffer of one of the pools.
func (c *Codec) buffer(ctx context.Context, p *mem.Pool) (mem.Buffer, error) {
	b, err := p.Get(blockSize)
	if err != nil && !c.Refuse {
		b, err = p.GetWait(ctx, blockSize)
	}
	if err != nil {
		return b, fmt.Errorf("zstd: a buffer: %w", err)
	}
	return b, nil
}

// zstdError is an error of libzstd.
type zstdError C.size_t

func (e zstdError) Error() string { return "zstd: " + C.GoString(C.stream_error(C.size_t(e))) }

// failure is the Go error for one of C's.
func failure(ctx context.Context, err C.int32_t, zstd C.size_t) error {
	switch err {
	case C.SEAM_MEM_OK:
		return nil
	case C.STREAM_EZSTD:
		return zstdError(zstd)
	case C.STREAM_ECANCELLED:
		return context.Cause(ctx)
	case C.STREAM_EBUSY:
		return fmt.Errorf("zstd: the stream still has a buffer")
	case C.STREAM_ELENGTH:
		return fmt.Errorf("zstd: %w: more bytes than the buffer has", mem.ErrInvalid)
	}
	return fmt.Errorf("zstd: %w", mem.CError(int32(err)))
}
