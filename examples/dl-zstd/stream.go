package main

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/examples/dl-zstd/zstd"
)

var load = sync.OnceValue(func() error { return zstd.Load() })

// C reads and writes Go's memory by addresses that stand in structs, so each call pins that memory. Pinned for
// as long as a stream lives, a stream that is lost without Close would be a crash.

// A Writer compresses what is written to it. It is for one goroutine at a time.
type Writer struct {
	w   io.Writer
	c   *zstd.Compressor
	out []byte
	err error // of w or of zstd: nothing more can be written
}

// NewWriter returns a Writer of a level from 1 to 22. Close ends the frame, and frees what C has.
func NewWriter(w io.Writer, level int) (*Writer, error) {
	if err := load(); err != nil {
		return nil, err
	}
	c, err := zstd.NewCompressor()
	if err != nil {
		return nil, err
	}
	for _, err := range []error{c.Set(zstd.ZSTD_c_compressionLevel, int32(level)), c.Set(zstd.ZSTD_c_checksumFlag, 1)} {
		if err != nil {
			c.Close()
			return nil, err
		}
	}
	return &Writer{w: w, c: c, out: make([]byte, zstd.CStreamOutSize())}, nil
}

// Write compresses p.
func (z *Writer) Write(p []byte) (int, error) { return z.step(p, zstd.ZSTD_e_continue) }

// Flush writes all that has been compressed so far.
func (z *Writer) Flush() error {
	_, err := z.step(nil, zstd.ZSTD_e_flush)
	return err
}

// Close ends the frame. It doesn't close the writer below.
func (z *Writer) Close() error {
	if z.c == nil {
		return nil
	}
	_, err := z.step(nil, zstd.ZSTD_e_end)
	z.c.Close()
	z.c = nil
	return err
}

func (z *Writer) step(p []byte, end zstd.EndDirective) (int, error) {
	if z.c == nil {
		return 0, errors.New("zstd: the writer is closed")
	}
	in := zstd.InBuffer{Src: unsafe.Pointer(unsafe.SliceData(p)), Size: uint64(len(p))}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&z.out[0])
	if len(p) > 0 {
		pin.Pin(&p[0])
	}
	for z.err == nil {
		out := zstd.OutBuffer{Dst: unsafe.Pointer(&z.out[0]), Size: uint64(len(z.out))}
		var left uint64
		if left, z.err = z.c.Stream(&out, &in, end); z.err != nil {
			break
		}
		if out.Pos > 0 {
			if _, z.err = z.w.Write(z.out[:out.Pos]); z.err != nil {
				break
			}
		}
		if end == zstd.ZSTD_e_continue && in.Pos == in.Size || end != zstd.ZSTD_e_continue && left == 0 {
			return len(p), nil
		}
	}
	return int(in.Pos), z.err
}

// A Reader decompresses what it reads. It is for one goroutine at a time.
type Reader struct {
	r    io.Reader
	c    *zstd.Decompressor
	buf  []byte
	in   zstd.InBuffer
	open bool  // a frame has begun
	end  error // of r
	err  error
}

// NewReader returns a Reader. Close frees what C has.
func NewReader(r io.Reader) (*Reader, error) {
	if err := load(); err != nil {
		return nil, err
	}
	c, err := zstd.NewDecompressor()
	if err != nil {
		return nil, err
	}
	z := &Reader{r: r, c: c, buf: make([]byte, zstd.DStreamInSize())}
	z.in.Src = unsafe.Pointer(&z.buf[0])
	return z, nil
}

// Read decompresses into p.
func (z *Reader) Read(p []byte) (int, error) {
	if z.c == nil {
		return 0, errors.New("zstd: the reader is closed")
	}
	if len(p) == 0 {
		return 0, nil
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&p[0])
	pin.Pin(&z.buf[0])
	out := zstd.OutBuffer{Dst: unsafe.Pointer(&p[0]), Size: uint64(len(p))}
	for z.err == nil {
		// What C has kept may be ready before there is more to read.
		had := z.in.Pos
		left, err := z.c.Stream(&out, &z.in)
		if err != nil {
			z.err = err
			break
		}
		if z.in.Pos > had || out.Pos > 0 {
			z.open = left > 0
		}
		switch {
		case out.Pos > 0:
			return int(out.Pos), nil
		case z.in.Pos < z.in.Size:
		case z.end == io.EOF && z.open:
			z.err = io.ErrUnexpectedEOF
		case z.end != nil:
			z.err = z.end
		default:
			var n int
			n, z.end = z.r.Read(z.buf)
			z.in.Size, z.in.Pos = uint64(n), 0
		}
	}
	return 0, z.err
}

// Close frees what C has. It doesn't close the reader below.
func (z *Reader) Close() error {
	if z.c != nil {
		z.c.Close()
		z.c = nil
	}
	return nil
}
