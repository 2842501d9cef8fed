//go:build cgo && seam_libs

//seam:test race

package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
)

func TestBlock(t *testing.T) {
	c := newCodec(t, 2)
	in, err := NewBlock(1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for _, n := range sizes {
		data := text(n)
		frame, err := in.Run(nil, data, 8<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := out.Run(make([]byte, 100), frame, 8<<20); !bytes.Equal(got, data) || err != nil {
			t.Errorf("a block of %d bytes: %d bytes, %v", n, len(got), err)
		}
		// libzstd's one-shot function and its streams understand each other. A stream does
		// not say in its header how long it is.
		if got, err := decompress(c, bytes.NewReader(frame)); !bytes.Equal(got, data) || err != nil {
			t.Errorf("a block of %d bytes as a stream: %d bytes, %v", n, len(got), err)
		}
		if got, err := out.Run(nil, compress(t, c, data), 8<<20); !bytes.Equal(got, data) || err != nil {
			t.Errorf("a stream of %d bytes as a block: %d bytes, %v", n, len(got), err)
		}
	}
	frame, err := in.Run(nil, make([]byte, 1<<20), 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Run(nil, frame, 1<<20-1); !errors.Is(err, mem.ErrLimit) {
		t.Errorf("a block that becomes larger than the limit: %v, want mem.ErrLimit", err)
	}
	var z zstdError
	if _, err := out.Run(nil, []byte("hello, world"), 1000); !errors.As(err, &z) {
		t.Errorf("no zstd: %v", err)
	}
	in.Close()
	if _, err := in.Run(nil, nil, 1000); !errors.Is(err, errClosed) {
		t.Errorf("Run after Close: %v", err)
	}
	for _, level := range []int{-1, 23} {
		if _, err := NewBlock(level); err == nil {
			t.Errorf("level %d: no error", level)
		}
	}
}

// A block that is a leaf allocates nothing.
func TestLeafBlockAllocatesNothing(t *testing.T) {
	if s := leaf.Status(); s.Path != leaf.PathAssembly || mem.Status().Path == mem.PathDebug {
		t.Skip("calls are made by cgo, or in debug mode: ", s)
	}
	in, err := NewBlock(1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	src, dst := text(2000), make([]byte, 8<<10)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := in.Run(dst, src, len(dst)); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per block, want 0", n)
	}
}

func BenchmarkBlock(b *testing.B) {
	in, err := NewBlock(1)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	for _, n := range []int{256, 4096} {
		b.Run(fmt.Sprint("bytes=", n), func(b *testing.B) {
			src, dst := text(n), make([]byte, 8<<10)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := in.Run(dst, src, len(dst)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
