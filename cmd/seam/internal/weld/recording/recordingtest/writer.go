// Package recordingtest makes records for tests, by hand and by running the C that
// writes them.
package recordingtest

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// Start is when processes of records made by hand start.
var Start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// A Writer writes a record as C does.
type Writer struct{ Data []byte }

// New begins a record with a header, whose own beginning is filled in.
func New(f recording.Format, pid int, header any) *Writer {
	w := &Writer{}
	w.Header(header)
	h := recording.Decode[recording.Header](w.Data)
	copy(h.Magic[:], f.Magic)
	h.Version, h.Order, h.Used = f.Version, recording.Order, recording.HeaderSize
	h.PID, h.StartReal = uint64(pid), uint64(Start.UnixNano())
	w.Header(h)
	return w
}

// Header overwrites the beginning of the record.
func (w *Writer) Header(header any) {
	if w.Data == nil {
		w.Data = make([]byte, recording.HeaderSize)
	}
	if _, err := binary.Encode(w.Data, binary.LittleEndian, header); err != nil {
		panic(err)
	}
}

func (w *Writer) U32(at int, v uint32) { binary.LittleEndian.PutUint32(w.Data[at:], v) }
func (w *Writer) U64(at int, v uint64) { binary.LittleEndian.PutUint64(w.Data[at:], v) }

// Chunk adds one that begins with fixed, a type of the format, and returns where it
// is. Size, type and length of the text are filled in.
func (w *Writer) Chunk(kind uint32, fixed any, text ...string) int {
	at := len(w.Data)
	body, err := binary.Append(nil, binary.LittleEndian, fixed)
	if err != nil {
		panic(err)
	}
	size := len(body)
	for _, s := range text {
		body = append(append(body, s...), 0)
	}
	length := len(body) - size
	for len(body)%64 != 0 {
		body = append(body, 0)
	}
	w.Data = append(w.Data, body...)
	w.U32(at, uint32(len(body)))
	w.U32(at+4, kind)
	if length > 0 {
		w.U32(at+int(unsafe.Offsetof(recording.Text{}.Length)), uint32(length))
	}
	w.U64(int(unsafe.Offsetof(recording.Header{}.Used)), uint64(len(w.Data)))
	return at
}

// Process adds what all records tell of their process.
func (w *Writer) Process() {
	w.Chunk(recording.TextChunk, recording.Text{}, "exe", "/bin/prog")
	w.Chunk(recording.TextChunk, recording.Text{}, "go", "go1.26.8", "linux", "amd64")
	w.Chunk(recording.TextChunk, recording.Text{}, "main", "example.com/prog\tID")
}

// NoHoles tests that types of a format are read as they lie in memory, which is what
// layout_seam.go compares with C.
func NoHoles(t *testing.T, types ...any) {
	t.Helper()
	for _, v := range types {
		if size := reflect.TypeOf(v).Size(); binary.Size(v) != int(size) {
			t.Errorf("%T has %d bytes in memory and %d in a record", v, size, binary.Size(v))
		}
	}
}

// Refuses tests that what is no record of a kind is not read as one. Whole is one,
// and other the magic of another kind.
func Refuses[T any](t *testing.T, whole []byte, other string, notOne error, parse func(data []byte) (T, error)) {
	t.Helper()
	change := func(f func(w *Writer)) []byte {
		w := &Writer{slices.Clone(whole)}
		f(w)
		return w.Data
	}
	for name, data := range map[string][]byte{
		"nothing":      nil,
		"short":        whole[:100],
		"other file":   change(func(w *Writer) { copy(w.Data, "ELF") }),
		"other record": change(func(w *Writer) { copy(w.Data, other) }),
		"begun":        change(func(w *Writer) { clear(w.Data[:8]) }),
		"version":      change(func(w *Writer) { w.U32(8, 99) }),
		"order":        change(func(w *Writer) { w.U32(12, 0x04030201) }),
		"length":       change(func(w *Writer) { w.U64(16, 1<<40) }),
		"no length":    change(func(w *Writer) { w.U64(16, 0) }),
	} {
		if _, err := parse(data); !errors.Is(err, notOne) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Read reads a record from a file that is longer than what of it is used.
func Read[T any](t *testing.T, data []byte, read func(name string) (T, error)) T {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.raw")
	if err := os.WriteFile(name, append(slices.Clone(data), make([]byte, 1<<20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
