//go:build cgo && seam_libs

package main

// #cgo CFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../../include
// #cgo LDFLAGS: -lzstd
// #include "stream.h"
import "C"

import (
	"context"
	"errors"
	"unsafe"

	_ "github.com/seamgo/seam/include"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
)

var errClosed = errors.New("zstd: the stream is closed")

// Taking a buffer over is an atomic operation and some stores: a leaf.
var take = leaf.Of[C.stream_take_args]("stream_take", unsafe.Pointer(C.stream_take))

// A stream is libzstd's, with the buffer that C holds. Its methods must not be called at
// the same time.
type stream struct {
	codec *Codec
	ctx   context.Context
	c     *C.stream // nil when closed
	out   C.stream_out
}

func newStream(ctx context.Context, codec *Codec, level int) (*stream, error) {
	c := C.stream_new((*C.seam_pool)(codec.in.C()), C.int(level))
	if c == nil {
		return nil, errors.New("zstd: no memory for a stream")
	}
	return &stream{codec: codec, ctx: ctx, c: c}, nil
}

// hand gives C the first n bytes of a buffer, and the buffer: whether or not C takes it,
// the caller has it no longer. C's hold defers the release until C has used it up.
func (s *stream) hand(b mem.Buffer, n int) error {
	args := C.stream_take_args{s: s.c, buffer: C.seam_buffer(b.Handle()), len: C.uint64_t(n)}
	take.Call(&args)
	return errors.Join(failure(s.ctx, args.err, 0), b.Release())
}

// step lets C work, with room in a buffer of the output pool. It returns how much C has
// written and whether it has made all that it can of its input.
func (s *stream) step(op C.int, to mem.Buffer, t mem.Token) (n int, done bool, err error) {
	C.stream_step_buffer(s.c, op, (*C.seam_pool)(s.codec.out.C()), C.seam_buffer(to.Handle()), (*C.seam_token)(t.C()), &s.out)
	return s.result()
}

// stepInto is step with room in any Go memory, which C uses until it returns.
func (s *stream) stepInto(p []byte, t mem.Token) (n int, done bool, err error) {
	C.stream_step(s.c, C.STREAM_GO_ON, (*C.uint8_t)(unsafe.SliceData(p)), C.size_t(len(p)), (*C.seam_token)(t.C()), &s.out)
	return s.result()
}

func (s *stream) result() (n int, done bool, err error) {
	return int(s.out.produced), s.out.done != 0, failure(s.ctx, s.out.err, s.out.zstd)
}

// free ends the stream. C gives the buffer back that it has, in the middle or not.
func (s *stream) free() {
	C.stream_free(s.c)
	s.c = nil
}
