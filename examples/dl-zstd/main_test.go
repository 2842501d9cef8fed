//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/seamgo/seam/examples/dl-zstd/zstd"
	"github.com/seamgo/seam/internal/testenv"
)

func needLibrary(t *testing.T) {
	t.Helper()
	if err := load(); err != nil {
		testenv.Missing(t, err)
	}
}

func compress(t *testing.T, text string, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := run(strings.NewReader(text), &b, level, false); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// texts are of the sizes at which something changes: none, one block, several buffers, what doesn't compress.
func texts() []string {
	noise := make([]byte, 300_000)
	x := uint32(1)
	for i := range noise {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	return []string{"", "a", strings.Repeat("seam ", 100_000), string(noise)}
}

// What is compressed comes back as it was, however it is read.
func TestRoundTrip(t *testing.T) {
	needLibrary(t)
	for i, text := range texts() {
		for _, level := range []int{1, 3, 19} {
			z := compress(t, text, level)
			for _, read := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader} {
				var b bytes.Buffer
				if err := run(read(bytes.NewReader(z)), &b, 0, true); err != nil || b.String() != text {
					t.Errorf("text %d, level %d: %d bytes came back of %d, %v", i, level, b.Len(), len(text), err)
				}
			}
		}
	}
}

// Frames follow each other, and one that is flushed can be read before it ends.
func TestStream(t *testing.T) {
	needLibrary(t)
	var b bytes.Buffer
	w, err := NewWriter(&b, 3)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "first")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	five := make([]byte, 5)
	if _, err := io.ReadFull(iotest.OneByteReader(r), five); err != nil || string(five) != "first" {
		t.Errorf("%q, %v", five, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b.Write(compress(t, " second", 1))
	if rest, err := io.ReadAll(r); err != nil || string(rest) != " second" {
		t.Errorf("%q, %v", rest, err)
	}
	if _, err := w.Write(five); err == nil {
		t.Error("a closed writer takes more")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// What is cut off, changed or no frame at all is an error.
func TestBroken(t *testing.T) {
	needLibrary(t)
	z := compress(t, strings.Repeat("seam ", 100_000), 3)
	changed := bytes.Clone(z)
	changed[len(z)/2] ^= 0x55
	for name, c := range map[string]struct {
		z    []byte
		want func(error) bool
	}{
		"cut off":  {z[:len(z)-1], func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		"changed":  {changed, func(err error) bool { e := (*zstd.Error)(nil); return errors.As(err, &e) && e.Text != "" }},
		"no frame": {[]byte("seam seam"), func(err error) bool { return err != nil && strings.Contains(err.Error(), "Unknown frame descriptor") }},
	} {
		if err := run(bytes.NewReader(c.z), io.Discard, 0, true); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run(strings.NewReader("text"), failing{}, 3, false); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Streams of many goroutines don't mix.
func TestManyStreams(t *testing.T) {
	needLibrary(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint("stream ", i, " "), 20_000)
			var z, back bytes.Buffer
			if err := errors.Join(run(strings.NewReader(text), &z, 1, false), run(&z, &back, 0, true)); err != nil || back.String() != text {
				t.Errorf("stream %d: %d bytes of %d, %v", i, back.Len(), len(text), err)
			}
		})
	}
	all.Wait()
}
