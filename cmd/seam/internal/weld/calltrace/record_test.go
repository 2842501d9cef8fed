package calltrace

import (
	"reflect"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
)

// A writer writes a record as seam_trace_impl.h does.
type writer struct{ *recordingtest.Writer }

func newRecord(pid int) *writer {
	return &writer{recordingtest.New(format, pid, header{Head: recording.Header{Start: 1000}, ClockPS: 20500, EmptyPS: 70000})}
}

func (w *writer) function(id uint32, pkg, name string) {
	w.Chunk(chunkFunction, function{ID: id, Most: 2}, pkg, name, "func()", "build")
}

// shard adds counters: calls of so many nanoseconds each, and such as are open.
func (w *writer) shard(id uint32, last uint64, open []uint64, calls ...uint64) {
	c := shard{ID: id, Last: last, Entered: uint64(len(calls) + len(open)), Judged: uint64(len(calls))}
	for _, ns := range calls {
		bin := 0
		for binEnd(bin) < ns {
			bin++
		}
		c.Bins[bin]++
		c.Total += ns
		c.Max = max(c.Max, ns)
	}
	c.MaxBusy = c.Total
	for _, start := range open {
		c.Open += start
	}
	w.Chunk(chunkShard, c)
}

func (w *writer) caller(id uint32, calls, ns uint64, text ...string) {
	w.Chunk(chunkCaller, caller{ID: id, Calls: calls, NS: ns}, text...)
}

func (w *writer) crossing(id uint32, bin int, n uint32) {
	c := crossing{ID: id}
	c.Bins[bin] = n
	w.Chunk(chunkCrossing, c)
}

// sample is a record with everything in it.
func sample(pid int) *writer {
	w := newRecord(pid)
	w.Process()
	w.function(0, "example.com/a", "f")
	w.function(1, "example.com/a", "g")
	w.shard(0, 9000, nil, 10, 10, 100, 1000)
	w.shard(0, 8000, []uint64{5000}, 10)
	w.crossing(0, 20, 10)
	w.caller(0, 3, 300, "example.com/a._Cfunc_f", "_cgo_gotypes.go", "9", "example.com/a.F.func1", "a.go", "7", "example.com/a.F", "a.go", "7", "main.main", "m.go", "3", "runtime.goexit", "asm.s", "1")
	w.caller(0, 1, 100, "example.com/a.G", "a.go", "8")
	return w
}

func TestParseRecord(t *testing.T) {
	r, err := ParseRecord(sample(7).Data)
	if err != nil {
		t.Fatal(err)
	}
	if r.PID != 7 || r.Exe != "/bin/prog" || r.Go != "go1.26.8" || r.OS != "linux" || r.Arch != "amd64" ||
		r.ClockNS != 20.5 || r.EmptyNS != 70 || r.WallNS != 8000 || !r.Start.Equal(recordingtest.Start) {
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

func TestFormatHasNoHoles(t *testing.T) {
	recordingtest.NoHoles(t, header{}, function{}, shard{}, caller{}, crossing{})
}

func TestParseRecordRefuses(t *testing.T) {
	recordingtest.Refuses(t, sample(1).Data, "SEAMLEAK", ErrNotRecord, ParseRecord)
}

// A record that is cut off or damaged gives what is whole.
func TestParseRecordOfParts(t *testing.T) {
	whole := sample(1).Data
	for n := recording.HeaderSize; n < len(whole); n += 8 {
		if _, err := ParseRecord(whole[:n]); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	w := sample(1)
	w.U32(recording.HeaderSize, 0) // the size of the first chunk
	if r, err := ParseRecord(w.Data); err != nil || len(r.Functions) != 0 {
		t.Errorf("%d functions behind a chunk without a size, %v", len(r.Functions), err)
	}
}

func TestReadRecord(t *testing.T) {
	if r := recordingtest.Read(t, sample(3).Data, ReadRecord); r.PID != 3 || len(r.Functions) != 2 {
		t.Errorf("%+v", r)
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

func FuzzParseRecord(f *testing.F) {
	f.Add(sample(1).Data)
	f.Add(newRecord(1).Data)
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRecord(data)
		if err != nil {
			return
		}
		file := Merge([]*Record{r, r})
		for i := range file.Functions {
			x := &file.Functions[i]
			if x.P50NS > x.P99NS || x.P99NS > x.P999NS {
				t.Errorf("quantiles %d, %d, %d", x.P50NS, x.P99NS, x.P999NS)
			}
		}
		_ = file.profile()
	})
}
