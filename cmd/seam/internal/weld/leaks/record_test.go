package leaks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
)

var update = flag.Bool("update", false, "write the expected texts anew")

// A writer writes a record as seam_leaks_impl.h does.
type writer struct{ *recordingtest.Writer }

const second = 1 << 30 // ns, about

func newRecord(pid int) *writer {
	return &writer{recordingtest.New(format, pid, header{Head: recording.Header{Start: 1000}, End: 1000 + 64*second})}
}

// stack adds a stack: of a function that C.stub was called from, with how many
// blocks were live in each second.
func (w *writer) stack(id uint32, stub, function string, made, freed uint64, live func(second int) int) {
	s := stack{ID: id, Made: made, MadeBytes: made * 10, Freed: freed, FreedBytes: freed * 10, Shift: 30}
	for i := range s.Bins {
		if n := live(i); n >= 0 {
			s.Bins[i] = uint32(n + 1)
		}
	}
	w.Chunk(chunkStack, s,
		"example.com/a._Cfunc_"+stub, "_cgo_gotypes.go", "12",
		"example.com/a."+function, "/home/me/a/a.go", "7",
		"main.main", "/home/me/main.go", "70",
		"runtime.main", "/go/proc.go", "1")
}

// blocks adds blocks of so many bytes.
func (w *writer) blocks(stack, state uint32, sizes ...uint64) {
	var c blocks
	for i, size := range sizes {
		c.List[i] = block{Address: uint64(0x1000 + 16*i), Size: size, Stack: stack, State: state}
	}
	whole, err := binary.Append(nil, binary.LittleEndian, c)
	if err != nil {
		panic(err)
	}
	w.Chunk(chunkBlocks, whole[:unsafe.Offsetof(c.List)+uintptr(len(sizes))*unsafe.Sizeof(c.List[0])])
}

// tens are the sizes of n blocks of 10 bytes.
func tens(n int) []uint64 { return slices.Repeat([]uint64{10}, n) }

func (w *writer) wrong(kind uint32, stack, first, second uint32, texts ...string) {
	w.Chunk(chunkWrong, wrong{Kind: kind, Stack: stack, First: first, Second: second, Count: 3, Size: 10, Offset: 4}, texts...)
}

func (w *writer) record(t testing.TB) *Record {
	t.Helper()
	r, err := ParseRecord(w.Data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func constant(n int) func(int) int { return func(int) int { return n } }

// sample is a record with something of everything.
func sample(pid int) *writer {
	w := newRecord(pid)
	w.Process()
	w.stack(1, "CString", "Leak", 200, 100, func(s int) int { return 2 * s })
	w.stack(2, "_CMalloc", "Cache", 50, 0, constant(50))
	w.stack(3, "calloc", "Open", 1, 0, constant(1))
	w.stack(4, "strdup", "Fine", 9, 9, constant(0))
	w.stack(5, "free", "Close", 0, 0, constant(-1))
	w.blocks(1, stateLive, tens(100)...)
	w.blocks(1, 2, tens(3)...)
	w.blocks(2, stateLive, tens(50)...)
	w.blocks(3, stateLive, tens(1)...)
	w.wrong(1, 4, 5, 0, "", "close_it in libx.so.1")
	w.wrong(2, 4, 0, 5, "", "")
	return w
}

func TestParseRecord(t *testing.T) {
	r := sample(7).record(t)
	if r.PID != 7 || r.Exe != "/bin/prog" || r.Go != "go1.26.8" || r.WallNS != 64*second || len(r.Stacks) != 5 || len(r.Wrong) != 2 {
		t.Fatalf("%+v", r)
	}
	s := &r.Stacks[0]
	if s.Live != 100 || s.LiveBytes != 1000 || s.Made != 200 || s.Freed != 100 || s.MadeBytes != 2000 || s.FreedBytes != 1000 {
		t.Errorf("%+v", s)
	}
	for ns, want := range map[int64]uint64{0: 0, 32 * second: 64, 63 * second: 126, math.MaxInt64: 126} {
		if got := s.at(ns); got != want {
			t.Errorf("at %d: %d live, want %d", ns, got, want)
		}
	}
	twice := r.Wrong[0]
	if twice.Kind != Twice || twice.Count != 3 || twice.SecondC != "close_it in libx.so.1" || len(twice.First) != 4 || twice.Second != nil || len(twice.Made) != 4 {
		t.Errorf("%+v", twice)
	}
}

func TestFormatHasNoHoles(t *testing.T) {
	recordingtest.NoHoles(t, header{}, block{}, blocks{}, stack{}, wrong{})
}

func TestParseRecordRefuses(t *testing.T) {
	recordingtest.Refuses(t, sample(1).Data, "SEAMRAW\x00", ErrNotRecord, ParseRecord)
}

// A record that is cut off or damaged gives what is whole.
func TestParseRecordOfParts(t *testing.T) {
	whole := sample(1).Data
	for n := recording.HeaderSize; n < len(whole); n += 8 {
		r, err := ParseRecord(whole[:n])
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		Merge([]*Record{r})
	}
	// Blocks whose stack is not there, and sizes that don't fit into a number.
	w := newRecord(1)
	w.blocks(99, stateLive, tens(2)...)
	w.blocks(98, stateLive, math.MaxUint64, 10)
	f := Merge([]*Record{w.record(t)})
	if len(f.Leaks) != 1 || f.Leaks[0].Blocks != 4 || f.Leaks[0].Bytes != math.MaxUint64 || f.Bytes != math.MaxUint64 {
		t.Errorf("%+v", f)
	}
}

func TestReadRecord(t *testing.T) {
	if r := recordingtest.Read(t, sample(3).Data, ReadRecord); r.PID != 3 || len(r.Stacks) != 5 {
		t.Errorf("%+v", r)
	}
}

// How a stack's live blocks developed says what it is.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		name string
		made uint64
		live func(second int) int
		want Class
	}{
		{"one block", 1, constant(1), Once},
		{"as many all the time", 50, constant(50), Steady},
		{"the last of many", 50, constant(1), Steady},
		{"one more each second", 64, func(s int) int { return s + 1 }, Growing},
		{"one more every ten seconds", 7, func(s int) int { return s/10 + 1 }, Unclear},
		{"much at the start", 1000, func(s int) int { return min(s*100, 1000) }, Steady},
		{"much at the end", 1000, func(s int) int {
			if s < 60 {
				return 0
			}
			return 1000
		}, Unclear},
		{"up and down", 1000, func(s int) int { return 100 + s%7 }, Steady},
		{"a little more than much", 5000, func(s int) int { return 1000 + s }, Unclear},
		{"only sometimes", 1000, func(s int) int {
			if s%10 != 0 {
				return -1
			}
			return s
		}, Growing},
	} {
		w := newRecord(1)
		w.stack(1, "f", "F", c.made, 0, c.live)
		w.blocks(1, stateLive, tens(1)...)
		f := Merge([]*Record{w.record(t)})
		if got := f.Leaks[0].Class; got != c.want {
			t.Errorf("%s: %s, want %s; history %v", c.name, got, c.want, f.Leaks[0].History)
		}
	}
	// One block all the time, which realloc makes larger, is not at rest.
	w := newRecord(1)
	w.stack(1, "realloc", "F", 100, 99, constant(1)) // of 10 bytes on average
	w.blocks(1, stateLive, 1<<20)
	if l := Merge([]*Record{w.record(t)}).Leaks[0]; l.Class != Unclear || l.Why != "as many blocks, but larger ones: 1 MiB each, and on average of all that were made 10 B" {
		t.Errorf("larger and larger: %s, %s", l.Class, l.Why)
	}
	w = newRecord(1)
	w.Chunk(chunkStack, stack{ID: 1, Made: 1}, "main._Cfunc_f", "x.go", "1", "main.init", "a.go", "1", "runtime.doInit1", "proc.go", "1")
	w.blocks(1, stateLive, tens(1)...)
	if got := Merge([]*Record{w.record(t)}).Leaks[0].Class; got != Init {
		t.Errorf("made while a package is initialised: %s", got)
	}
}

// What ended long ago does not grow.
func TestUntil(t *testing.T) {
	w := newRecord(1)
	w.stack(1, "f", "F", 64, 0, func(s int) int { return s + 1 })
	w.blocks(1, stateLive, tens(64)...)
	r := w.record(t)
	r.Until(r.Start.Add(time.Second)) // before the end that is known
	if got := Merge([]*Record{r}).Leaks[0].Class; got != Growing {
		t.Errorf("%s, want %s", got, Growing)
	}
	r.Until(r.Start.Add(200 * time.Second))
	if got := Merge([]*Record{r}).Leaks[0].Class; got != Steady {
		t.Errorf("idle for two minutes at the end: %s, want %s", got, Steady)
	}
}

// What a program gives back when it ends was there when RSS was looked at last.
func TestFreedSince(t *testing.T) {
	w := newRecord(7)
	until := func(last, n int) func(int) int {
		return func(s int) int {
			if s > last {
				return 0
			}
			return n
		}
	}
	w.stack(1, "CString", "Cache", 50, 50, until(61, 40))
	w.stack(2, "realloc", "Grown", 90, 90, until(61, 1))
	w.stack(3, "malloc", "Kept", 3, 0, constant(3))
	w.stack(4, "malloc", "Before", 9, 9, until(30, 9))
	w.blocks(1, 2, tens(3)...)
	w.blocks(2, 2, 10, 5000, 20)
	w.blocks(3, stateLive, tens(3)...)
	r := w.record(t)
	for after, want := range map[int64][2]uint64{61: {400 + 5000, 41}, 62: {400 + 5000, 41}, 63: {0, 0}, 20: {400 + 5000 + 90, 50}} {
		if bytes, blocks := r.FreedSince(r.Start.Add(time.Duration(after*second) + time.Second/2)); bytes != want[0] || blocks != want[1] {
			t.Errorf("after %d s: %d bytes in %d blocks; want %v", after, bytes, blocks, want)
		}
	}
	if bytes, _ := r.FreedSince(r.Start.Add(-time.Hour)); bytes != 400+5000+90 {
		t.Errorf("before the start: %d bytes", bytes)
	}
}

func TestMerge(t *testing.T) {
	f := Merge([]*Record{sample(1).record(t), sample(2).record(t)})
	if len(f.Processes) != 2 || len(f.Leaks) != 3 || len(f.Wrong) != 2 || len(f.freed) != 1 {
		t.Fatalf("%+v", f)
	}
	l := f.Leaks[0]
	want := []recording.Frame{{Func: "example.com/a.Leak", File: "/home/me/a/a.go", Line: 7}, {Func: "main.main", File: "/home/me/main.go", Line: 70}, {Func: "runtime.main", File: "/go/proc.go", Line: 1}}
	if l.What != "C.CString" || l.Class != Growing || l.Blocks != 200 || l.Bytes != 2000 || l.Made != 400 || !reflect.DeepEqual(l.Stack, want) {
		t.Errorf("%+v", l)
	}
	if l.History[7] != 2*64 || l.History[15] != 2*126 {
		t.Errorf("history %v", l.History)
	}
	if f.Leaks[1].What != "C.malloc" || f.Leaks[2].Class != Once || f.Leaks[2].Blocks != 2 {
		t.Errorf("%+v", f.Leaks)
	}
	if w := f.Wrong[0]; w.Kind != Twice || w.Count != 6 || w.First == nil || w.First.Stack[0].Func != "example.com/a.Close" || w.Again == nil || w.Again.C == "" {
		t.Errorf("%+v", w)
	}
	if f.Blocks != 302 || f.Made != 520 {
		t.Errorf("%d blocks of %d", f.Blocks, f.Made)
	}
	f.OnlyGrowing()
	if len(f.Leaks) != 1 || f.Omitted != 2 || f.Blocks != 302 {
		t.Errorf("%d grow, want 1; %d left out, want 2", len(f.Leaks), f.Omitted)
	}
}

func TestProfile(t *testing.T) {
	var b bytes.Buffer
	if err := Merge([]*Record{sample(1).record(t)}).WriteProfile(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	sums := make([]int64, 4)
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
	}
	if want := []int64{260, 2600, 151, 1510}; !reflect.DeepEqual(sums, want) || p.DefaultSampleType != "inuse_space" {
		t.Errorf("%v of %s, want %v", sums, p.DefaultSampleType, want)
	}
	if s := p.Sample[0]; s.Location[0].Line[0].Function.Name != "C.CString" || s.Location[1].Line[0].Function.Name != "example.com/a.Leak" {
		t.Errorf("%v", s)
	}
}

func TestText(t *testing.T) {
	second := sample(2).record(t)
	second.LostBlocks, second.LostWrong = 5, 1
	whole := Merge([]*Record{sample(1).record(t), second})
	whole.Processes[0].Running = true
	w := newRecord(1)
	w.stack(4, "strdup", "Fine", 9, 9, constant(0))
	clean := Merge([]*Record{w.record(t)})
	unsearched := sample(1)
	h := recording.Decode[header](unsearched.Data)
	h.Unsearched = 1
	unsearched.Header(h)
	many := newRecord(1)
	for i := range 30 {
		many.stack(uint32(i+1), "CBytes", "F"+strings.Repeat("o", i*5), 1, 0, constant(1))
		many.blocks(uint32(i+1), stateLive, tens(1)...)
	}
	for _, c := range []struct {
		name string
		file *File
		TextOptions
	}{
		{"whole-100", whole, TextOptions{Options: text.Options{Width: 100}, Dir: "/home/me"}},
		{"whole-60-all", whole, TextOptions{Options: text.Options{Width: 60}, All: true}},
		{"colour", whole, TextOptions{Options: text.Options{Width: 80, Colour: true}}},
		{"clean", clean, TextOptions{}},
		{"unsearched", Merge([]*Record{unsearched.record(t)}), TextOptions{}},
		{"some-unsearched", Merge([]*Record{unsearched.record(t), sample(1).record(t)}), TextOptions{}},
		{"many", Merge([]*Record{many.record(t)}), TextOptions{}},
	} {
		var b bytes.Buffer
		if err := c.file.WriteText(&b, c.TextOptions); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", c.name+".txt")
		if *update {
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, b.String(), want)
		}
	}
}

// Stacks with the same innermost line are one place, whose callers are told apart;
// what they hold together shows whether it grows.
func TestSites(t *testing.T) {
	w := newRecord(1)
	for i := range 32 { // one block by each test, two seconds apart
		made := func(s int) int {
			if s < 2*i {
				return -1
			}
			return 1
		}
		st := stack{ID: uint32(i + 1), Made: 1, MadeBytes: 10, Shift: 30}
		for k := range st.Bins {
			st.Bins[k] = uint32(made(k) + 1)
		}
		w.Chunk(chunkStack, st, "p._Cfunc_CString", "x.go", "1", "p.text", "p.go", "5", "p.Open", "p.go", "9",
			"p.Test"+string(rune('A'+i)), "p_test.go", "7", "testing.tRunner", "t.go", "1")
		w.blocks(uint32(i+1), stateLive, 10)
	}
	w.stack(40, "CBytes", "Other", 1, 0, constant(1))
	w.blocks(40, stateLive, 10)
	f := Merge([]*Record{w.record(t)})
	for _, l := range f.Leaks {
		if l.What == "C.CString" && l.Class != Growing {
			t.Errorf("%+v", l)
		}
	}
	sites := sitesOf(f.Leaks)
	if len(sites) != 2 || f.Sites() != 2 {
		t.Fatalf("%d places, want 2", len(sites))
	}
	if s := sites[0]; s.stacks != 32 || s.Blocks != 32 || s.Bytes != 320 || s.Class != Growing || len(s.Stack) != 2 || len(s.callers) != 32 || s.callers[0].Func != "p.TestA" {
		t.Errorf("%+v", s)
	}
	if s := sites[1]; s.stacks != 1 || s.Class != Once || len(s.callers) != 0 {
		t.Errorf("%+v", s)
	}
	var b bytes.Buffer
	if err := f.WriteText(&b, TextOptions{Options: text.Options{Width: 100}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, "33 blocks, 330 B, never freed, from 2 places; 1 of them grows.") || !strings.Contains(got, "p.TestA") || !strings.Contains(got, "and 27 more; --all shows them") {
		t.Error(got)
	}
}

// Nothing that was left out of a report makes it an all-clear.
func TestOnlyGrowingIsNoAllClear(t *testing.T) {
	steady := newRecord(1)
	steady.stack(2, "CString", "Cache", 50, 0, constant(50))
	steady.blocks(2, stateLive, tens(50)...)
	few := newRecord(1)
	few.stack(2, "CString", "Few", 7, 0, func(s int) int { return s/10 + 1 })
	few.blocks(2, stateLive, tens(7)...)
	short := newRecord(1)
	short.stack(2, "CString", "Short", 7, 0, constant(7))
	short.blocks(2, stateLive, tens(7)...)
	h := recording.Decode[header](short.Data)
	h.End = h.Head.Start + 5e6
	short.Header(h)
	for name, c := range map[string]struct {
		w     *writer
		want  string
		shown int
	}{
		"steady": {steady, "50 blocks, 500 B, never freed, from 1 place; none of them grew in 1m8.7s.", 0},
		"few":    {few, "7 blocks, 70 B, never freed, from 1 place; none of them is seen to grow; of 1 it can't be told.", 1},
		"short":  {short, "7 blocks, 70 B, never freed, from 1 place; the run was too short (5ms of 1s) to tell whether they grow.", 1},
	} {
		f := Merge([]*Record{c.w.record(t)})
		f.OnlyGrowing()
		var b bytes.Buffer
		if err := f.WriteText(&b, TextOptions{Options: text.Options{Width: 300}}); err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(strings.Fields(b.String()), " "); !strings.HasPrefix(said, c.want) || strings.Contains(b.String(), "No leak") || len(f.Leaks) != c.shown {
			t.Errorf("%s:\n%s", name, b.String())
		}
	}
}

// Evidence of which something is missing is no proof, and its report begins with
// that.
func TestIncomplete(t *testing.T) {
	clean := func() *writer {
		w := newRecord(1)
		w.Process()
		w.stack(4, "strdup", "Fine", 9, 9, constant(0))
		w.blocks(4, 2, tens(9)...)
		return w
	}
	head := func(change func(h *header)) []byte {
		w := clean()
		h := recording.Decode[header](w.Data)
		change(&h)
		w.Header(h)
		return w.Data
	}
	whole := clean().Data
	damaged := clean()
	damaged.U32(recording.HeaderSize, 7) // the size of the first chunk
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut off":         {whole[:5000], "its recording is cut off: 5000 bytes of "},
		"header only":     {whole[:recording.HeaderSize], "cut off"},
		"damaged":         {damaged.Data, "its recording is damaged 4096 bytes from its start"},
		"full disk":       {head(func(h *header) { h.LostBlocks, h.Head.Failed = 309522, 28 }), "309522 blocks could not be recorded: the disk was full"},
		"no descriptor":   {head(func(h *header) { h.LostBlocks, h.Head.Failed = 1, 24 }), "1 block could not be recorded: no file descriptor was left"},
		"full table":      {head(func(h *header) { h.LostBlocks = 3 }), "3 blocks could not be recorded: the table of blocks was full"},
		"lost wrong free": {head(func(h *header) { h.LostWrong = 3 }), "3 wrong frees could not be recorded"},
		"unsearched":      {head(func(h *header) { h.Unsearched = 1 }), "could not be searched"},
	} {
		r, err := ParseRecord(c.data)
		if err != nil {
			t.Fatal(err)
		}
		f := Merge([]*Record{r})
		var b bytes.Buffer
		if err := f.WriteText(&b, TextOptions{Options: text.Options{Width: 300}}); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(strings.Fields(b.String()), " ") // lines are broken
		if len(f.Gaps()) != 1 || !strings.HasPrefix(said, "Incomplete, so this is no proof") || !strings.Contains(said, c.want) || strings.Contains(b.String(), "No leak") {
			t.Errorf("%s: %v\n%s", name, f.Gaps(), b.String())
		}
	}
	r, err := ParseRecord(whole)
	if err != nil {
		t.Fatal(err)
	}
	if f := Merge([]*Record{r}); len(f.Gaps()) != 0 {
		t.Errorf("a whole record: %v", f.Gaps())
	}
}

// A process that could not record has left a sign.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.raw")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{empty, dir} {
		if _, err := ReadRecord(name); !errors.Is(err, recording.ErrNoRoom) {
			t.Errorf("%s: %v", name, err)
		}
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
		for i := range file.Leaks {
			if l := &file.Leaks[i]; l.Blocks == 0 || len(l.History) != parts || l.Class == "" {
				t.Errorf("%+v", l)
			}
		}
		var b bytes.Buffer
		if err := file.WriteText(&b, TextOptions{Options: text.Options{Width: 60}}); err != nil {
			t.Error(err)
		}
		if err := file.Encode(&b); err != nil {
			t.Error(err)
		}
		if err := file.profile().CheckValid(); err != nil {
			t.Error(err)
		}
	})
}
