package trace

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/record"
)

// A rawWriter writes a record as seam_trace_impl.h does.
type rawWriter struct{ data []byte }

func newRaw(pid int) *rawWriter {
	w := &rawWriter{make([]byte, rawHeader)}
	copy(w.data, rawMagic)
	w.u32(8, rawVersion)
	w.u32(12, rawOrder)
	w.u64(24, uint64(pid))
	w.u64(32, uint64(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixNano()))
	w.u64(40, 1000)  // start
	w.u64(48, 20500) // clock
	w.u64(56, 70000) // an empty call
	return w
}

func (w *rawWriter) u32(at int, v uint32) { binary.LittleEndian.PutUint32(w.data[at:], v) }
func (w *rawWriter) u64(at int, v uint64) { binary.LittleEndian.PutUint64(w.data[at:], v) }

// chunk adds one and returns where it is.
func (w *rawWriter) chunk(kind uint32, fixed int, text ...string) int {
	at := len(w.data)
	body := make([]byte, fixed)
	for _, s := range text {
		body = append(append(body, s...), 0)
	}
	length := len(body) - fixed
	for len(body)%64 != 0 {
		body = append(body, 0)
	}
	w.data = append(w.data, body...)
	w.u32(at, uint32(len(body)))
	w.u32(at+4, kind)
	if length > 0 {
		w.u32(at+12, uint32(length))
	}
	w.u64(16, uint64(len(w.data)))
	return at
}

func (w *rawWriter) function(id uint32, pkg, name string) {
	at := w.chunk(chunkFunction, functionSize, pkg, name, "func()", "build")
	w.u32(at+8, id)
	w.u32(at+68, 2) // threads
}

// shard adds counters: calls of so many nanoseconds each, and such as are open.
func (w *rawWriter) shard(id uint32, last uint64, open []uint64, calls ...uint64) int {
	at := w.chunk(chunkShard, shardSize)
	w.u32(at+8, id)
	sum, starts := uint64(0), uint64(0)
	for _, ns := range calls {
		bin := 0
		for binEnd(bin) < ns {
			bin++
		}
		p := at + 128 + 8*bin
		w.u64(p, binary.LittleEndian.Uint64(w.data[p:])+1)
		sum += ns
		w.u64(at+48, max(ns, binary.LittleEndian.Uint64(w.data[at+48:])))
	}
	for _, s := range open {
		starts += s
	}
	w.u64(at+16, uint64(len(calls)+len(open)))
	w.u64(at+24, starts)
	w.u64(at+32, last)
	w.u64(at+40, sum)
	w.u64(at+56, sum)
	w.u64(at+72, uint64(len(calls)))
	return at
}

func (w *rawWriter) caller(id uint32, calls, ns uint64, text ...string) {
	at := w.chunk(chunkCaller, callerSize, text...)
	w.u32(at+8, id)
	w.u64(at+16, calls)
	w.u64(at+24, ns)
}

func (w *rawWriter) crossing(id uint32, bin int, n uint32) {
	at := w.chunk(chunkCrossing, crossingSize)
	w.u32(at+8, id)
	w.u32(at+16+4*bin, n)
}

// sample is a record with everything in it.
func sample(pid int) *rawWriter {
	w := newRaw(pid)
	w.chunk(record.TextChunk, callerSize, "exe", "/bin/prog")
	w.chunk(record.TextChunk, callerSize, "go", "go1.26.8", "linux", "amd64")
	w.function(0, "example.com/a", "f")
	w.function(1, "example.com/a", "g")
	w.shard(0, 9000, nil, 10, 10, 100, 1000)
	w.shard(0, 8000, []uint64{5000}, 10)
	w.crossing(0, 20, 10)
	w.caller(0, 3, 300, "example.com/a._Cfunc_f", "_cgo_gotypes.go", "9", "example.com/a.F.func1", "a.go", "7", "example.com/a.F", "a.go", "7", "main.main", "m.go", "3", "runtime.goexit", "asm.s", "1")
	w.caller(0, 1, 100, "example.com/a.G", "a.go", "8")
	return w
}

func TestParseRaw(t *testing.T) {
	r, err := ParseRaw(sample(7).data)
	if err != nil {
		t.Fatal(err)
	}
	if r.PID != 7 || r.Exe != "/bin/prog" || r.Go != "go1.26.8" || r.OS != "linux" || r.Arch != "amd64" ||
		r.ClockNS != 20.5 || r.EmptyNS != 70 || r.WallNS != 8000 || !r.Start.Equal(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)) {
		t.Errorf("process %+v", r)
	}
	f := r.Functions[0]
	if len(r.Functions) != 2 || total(f.Bins) != 5 || f.TotalNS != 1130 || f.Unfinished != 1 || f.MaxThreads != 2 || f.Judged != 5 ||
		total(f.Crossing) != 10 || len(f.Callers) != 2 {
		t.Errorf("function %+v", f)
	}
	if f.MaxNS != 4000 { // the open call, up to the last sign of life
		t.Errorf("max is %d, want 4000", f.MaxNS)
	}
	if want := (Frame{Func: "example.com/a.G", File: "a.go", Line: 8}); !reflect.DeepEqual(f.Callers[1].Stack, []Frame{want}) {
		t.Errorf("stack %v", f.Callers[1].Stack)
	}
}

func TestParseRawRefuses(t *testing.T) {
	change := func(f func(w *rawWriter)) []byte {
		w := sample(1)
		f(w)
		return w.data
	}
	for name, data := range map[string][]byte{
		"nothing":    nil,
		"short":      sample(1).data[:100],
		"other file": change(func(w *rawWriter) { copy(w.data, "ELF") }),
		"begun":      change(func(w *rawWriter) { clear(w.data[:8]) }),
		"version":    change(func(w *rawWriter) { w.u32(8, 2) }),
		"order":      change(func(w *rawWriter) { w.u32(12, 0x04030201) }),
		"length":     change(func(w *rawWriter) { w.u64(16, 1<<40) }),
	} {
		if _, err := ParseRaw(data); !errors.Is(err, ErrNotRaw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A record that is cut off or damaged gives what is whole.
func TestParseRawOfParts(t *testing.T) {
	whole := sample(1).data
	for n := rawHeader; n < len(whole); n += 8 {
		if _, err := ParseRaw(whole[:n]); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	w := sample(1)
	w.u32(rawHeader, 0) // the size of the first chunk
	if r, err := ParseRaw(w.data); err != nil || len(r.Functions) != 0 {
		t.Errorf("%d functions behind a chunk without a size, %v", len(r.Functions), err)
	}
}

func TestReadRaw(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.raw")
	data := append(sample(3).data, make([]byte, 1<<20)...) // the file is longer than what is used
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := ReadRaw(name)
	if err != nil || r.PID != 3 || len(r.Functions) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestBins(t *testing.T) {
	for i := 1; i < bins; i++ {
		from, to := binStart(i), binEnd(i)
		if from != binEnd(i-1)+1 || to < from {
			t.Fatalf("bin %d is %d to %d", i, from, to)
		}
		if i >= 16 && float64(to-from+1) > float64(from)/8 {
			t.Errorf("bin %d is wider than an eighth: %d to %d", i, from, to)
		}
	}
	if end := binEnd(bins - 1); end != 1<<36-1 {
		t.Errorf("the last bin ends at %d, want 2^36-1", end)
	}
}

func FuzzParseRaw(f *testing.F) {
	f.Add(sample(1).data)
	f.Add(newRaw(1).data)
	f.Add([]byte(rawMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRaw(data)
		if err != nil {
			return
		}
		file := Merge([]*Raw{r, r})
		for i := range file.Functions {
			x := &file.Functions[i]
			if x.P50NS > x.P99NS || x.P99NS > x.P999NS {
				t.Errorf("quantiles %d, %d, %d", x.P50NS, x.P99NS, x.P999NS)
			}
		}
		_ = file.profile()
	})
}
