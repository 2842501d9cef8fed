//go:build cgo && seam_libs

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// newCodec returns a Codec that must have all of its buffers at the end of the test.
func newCodec(t testing.TB, streams int) *Codec {
	t.Helper()
	c, err := NewCodec(streams)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func newWriter(t testing.TB, c *Codec, w io.Writer) *Writer {
	t.Helper()
	z, err := c.NewWriter(t.Context(), w, 1)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func newReader(t testing.TB, c *Codec, r io.Reader) *Reader {
	t.Helper()
	z, err := c.NewReader(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// words can be compressed to a half or so.
var words = sync.OnceValue(func() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, 1<<20+16)
	for len(b) < 1<<20 {
		b = strconv.AppendUint(b, uint64(r.Uint32()), 16)
		b = append(b, ' ')
	}
	return b[:1<<20]
})

// text returns n bytes of them, not to be written to.
func text(n int) []byte { return words()[:n:n] }

func compress(t testing.TB, c *Codec, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := newWriter(t, c, &out)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func decompress(c *Codec, r io.Reader) ([]byte, error) {
	z, err := c.NewReader(context.Background(), r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	return data, errors.Join(err, z.Close())
}

var sizes = []int{0, 1, 2, 1000, 16<<10 - 1, 16 << 10, blockSize - 1, blockSize, blockSize + 1, 3*blockSize + 7, 1 << 20}

func TestRoundTrip(t *testing.T) {
	c := newCodec(t, 2)
	for _, n := range sizes {
		for name, data := range map[string][]byte{"text": text(n), "zeros": make([]byte, n)} {
			// Written in two ways, read in four.
			frame := compress(t, c, data)
			var out bytes.Buffer
			z := newWriter(t, c, &out)
			if k, err := z.ReadFrom(iotest.HalfReader(bytes.NewReader(data))); k != int64(n) || err != nil {
				t.Fatal(k, err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			for how, r := range map[string]io.Reader{
				"from ReadFrom": &out, "at once": bytes.NewReader(frame), "in halves": iotest.HalfReader(bytes.NewReader(frame)),
				"with an end": iotest.DataErrReader(bytes.NewReader(frame)),
			} {
				if got, err := decompress(c, r); !bytes.Equal(got, data) || err != nil {
					t.Errorf("%d bytes of %s, read %s: %d bytes, %v", n, name, how, len(got), err)
				}
			}
			var copied bytes.Buffer
			r := newReader(t, c, bytes.NewReader(frame))
			if k, err := r.WriteTo(&copied); k != int64(n) || err != nil || !bytes.Equal(copied.Bytes(), data) {
				t.Errorf("%d bytes of %s: WriteTo gives %d, %v", n, name, k, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestFramesOneAfterTheOther(t *testing.T) {
	c := newCodec(t, 2)
	a, b := text(1000), text(3*blockSize)
	in := append(compress(t, c, a), compress(t, c, b)...)
	if got, err := decompress(c, bytes.NewReader(in)); !bytes.Equal(got, append(a, b...)) || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestFlush(t *testing.T) {
	c := newCodec(t, 3)
	pr, pw := io.Pipe()
	z, r := newWriter(t, c, pw), newReader(t, c, pr)
	for i := range 5 {
		want := fmt.Sprint("message ", i)
		flushed := make(chan error)
		go func() {
			_, err := z.Write([]byte(want))
			flushed <- errors.Join(err, z.Flush())
		}()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(r, got); string(got) != want || err != nil {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
		if err := <-flushed; err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil { // in the middle of the frame
		t.Error(err)
	}
	pr.Close()
	// A pipe without a reader: the Writer says so and is closed all the same.
	if err := z.Close(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Close: %v, want io.ErrClosedPipe", err)
	}
}

// The zstd command reads what we write, and we read what it writes.
func TestCommand(t *testing.T) {
	command, err := exec.LookPath("zstd")
	if err != nil {
		t.Fatal("the zstd command is not there: apt-get install zstd")
	}
	c := newCodec(t, 2)
	for _, n := range sizes {
		data := text(n)
		there := exec.Command(command, "-dc")
		there.Stdin = bytes.NewReader(compress(t, c, data))
		if got, err := there.Output(); !bytes.Equal(got, data) || err != nil {
			t.Errorf("zstd -d of our %d bytes: %d bytes, %v", n, len(got), err)
		}
		back := exec.Command(command, "-c", "-5")
		back.Stdin = bytes.NewReader(data)
		frame, err := back.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decompress(c, bytes.NewReader(frame)); !bytes.Equal(got, data) || err != nil {
			t.Errorf("zstd's %d bytes: %d bytes, %v", n, len(got), err)
		}
	}
}

func TestCorrupted(t *testing.T) {
	c := newCodec(t, 2)
	data := text(3 * blockSize)
	frame := compress(t, c, data)
	r := rand.New(rand.NewPCG(2, 3))
	for range 200 {
		bad := bytes.Clone(frame)
		at := r.IntN(len(bad))
		bad[at] ^= 1 << r.IntN(8)
		got, err := decompress(c, bytes.NewReader(bad))
		if err == nil && !bytes.Equal(got, data) { // some bits of a header mean nothing
			t.Errorf("byte %d changed: %d bytes, no error", at, len(got))
		}
	}
	for _, n := range []int{0, 1, 4, 5, 100, blockSize, len(frame) - 5, len(frame) - 1} {
		got, err := decompress(c, bytes.NewReader(frame[:n]))
		if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(data, got) {
			t.Errorf("cut off after %d bytes: %d bytes, %v", n, len(got), err)
		}
	}
	for what, in := range map[string][]byte{"no zstd": []byte("hello, world"), "something behind the frame": append(bytes.Clone(frame), "hello"...)} {
		var z zstdError
		if _, err := decompress(c, bytes.NewReader(in)); !errors.As(err, &z) || !strings.Contains(err.Error(), "Unknown frame descriptor") {
			t.Errorf("%s: %v", what, err)
		}
	}
	why := errors.New("the disk is gone")
	if _, err := decompress(c, io.MultiReader(bytes.NewReader(frame[:blockSize]), iotest.ErrReader(why))); !errors.Is(err, why) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// More goroutines than buffers: they wait for each other, and each gets its own bytes.
func TestConcurrently(t *testing.T) {
	c := newCodec(t, 3)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 6 {
				data := append(fmt.Appendf(nil, "%d %d ", g, i), text(blockSize*(1+i%3))...)
				var frame bytes.Buffer
				z, err := c.NewWriter(context.Background(), &frame, 1)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = z.Write(data)
				if err := errors.Join(err, z.Close()); err != nil {
					t.Error(err)
					return
				}
				if i == 3 {
					runtime.GC()
				}
				if got, err := decompress(c, &frame); !bytes.Equal(got, data) || err != nil {
					t.Errorf("%d bytes, %v, want %d", len(got), err, len(data))
				}
			}
		})
	}
	all.Wait()
}
