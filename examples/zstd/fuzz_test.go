//go:build cgo && seam_libs

package main

import (
	"bytes"
	"io"
	"testing"
)

func FuzzReader(f *testing.F) {
	c := newCodec(f, 2)
	for _, n := range []int{0, 10, 1000} {
		f.Add(compress(f, c, text(n)))
	}
	f.Add([]byte("hello"))
	block, err := NewBlock(0)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(block.Close)
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newReader(t, c, bytes.NewReader(in))
		streamed, err := io.ReadAll(io.LimitReader(r, 1<<20))
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		whole, err2 := block.Run(nil, in, 1<<20)
		if err == nil && err2 == nil && !bytes.Equal(streamed, whole) {
			t.Errorf("the stream has %d bytes, the block %d", len(streamed), len(whole))
		}
		if s := c.in.Stats(); s.InUse != 0 || s.HeldByC != 0 {
			t.Errorf("Go has %d buffers and C %d", s.InUse, s.HeldByC)
		}
	})
}
