package calltrace

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// merged is a trace of two processes.
func merged(t *testing.T) *File {
	t.Helper()
	var records []*Record
	for pid := 1; pid <= 2; pid++ {
		r, err := ParseRecord(sample(pid).Data)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return Merge(records)
}

func TestMerge(t *testing.T) {
	f := merged(t)
	if len(f.Processes) != 2 || len(f.Functions) != 2 || f.Go != "go1.26.8" || f.Build == "" || f.OverheadNS != 73 {
		t.Fatalf("%+v", f)
	}
	x := f.Functions[0]
	if x.Name != "f" || x.Calls != 12 || x.TotalNS != 2260 || x.Unfinished != 2 || x.Examined != 10 || x.MaxThreads != 2 {
		t.Errorf("%+v", x)
	}
	if x.P50NS != 10 || x.P99NS != 1023 || x.P999NS != 1023 || x.MaxNS != 4000 {
		t.Errorf("quantiles %d %d %d, max %d", x.P50NS, x.P99NS, x.P999NS, x.MaxNS)
	}
	want := []Bin{{10, 6}, {103, 2}, {1023, 2}}
	if !reflect.DeepEqual(x.Histogram, want) {
		t.Errorf("histogram %v, want %v", x.Histogram, want)
	}
	// Three quarters of the samples, and cgo's own frames left out.
	c := x.Callers
	if len(c) != 2 || c[0].Calls != 9 || c[1].Calls != 3 || c[0].Stack[0] != (Frame{Func: "example.com/a.F", File: "a.go", Line: 7}) || len(c[0].Stack) != 2 {
		t.Errorf("callers %+v", c)
	}
	all := float64(x.TotalNS) + x.CrossingNS*float64(x.Calls)
	if sum := float64(c[0].NS + c[1].NS); sum < all-1 || sum > all+1 {
		t.Errorf("the callers have %g ns, the function %g", sum, all)
	}
	if y := f.Functions[1]; y.Name != "g" || y.Calls != 0 || len(y.Histogram) != 0 {
		t.Errorf("%+v", y)
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
}

func TestManyCallers(t *testing.T) {
	var s sum
	for i := range maxCallers + 50 {
		s.callers.At(strings.Repeat("x", i), CallerRecord{Calls: 1, NS: uint64(i + 1), Stack: []Frame{{Func: "f", Line: i}}})
	}
	c := s.scaled(1000, 5000)
	sum := uint64(0)
	for _, x := range c {
		sum += x.Calls
	}
	if len(c) != maxCallers || c[maxCallers-1].Stack[0].Func != OtherCallers || sum != 1000 {
		t.Errorf("%d callers with %d calls, the last %v", len(c), sum, c[len(c)-1])
	}
}

func TestTrimmedMean(t *testing.T) {
	h := new([bins]uint64)
	if trimmedMean(h) != 0 || trimmedMean(nil) != 0 {
		t.Error("the mean of nothing is not 0")
	}
	h[10] = 98
	h[200] = 2 // lost the processor
	if m := trimmedMean(h); m != 10 {
		t.Errorf("mean %g, want 10", m)
	}
}

func TestJSONKeepsAll(t *testing.T) {
	f := merged(t)
	var b bytes.Buffer
	if err := f.Encode(&b); err != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	g := &File{}
	if err := kind.Decode(bytes.NewReader(text), g); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, g) {
		t.Errorf("read back:\n%+v\nwant\n%+v", g, f)
	}
	for n := range len(text) - 2 {
		if err := kind.Decode(bytes.NewReader(text[:n]), &File{}); err == nil {
			t.Fatalf("%d of %d bytes are taken for a trace", n, len(text))
		}
	}
	small := kind
	small.Bytes = 100
	if err := small.Decode(bytes.NewReader(text), &File{}); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("error %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := merged(t).Encode(&b); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"seam.trace/1"`, `"seam.trace/2"`, `schema is "seam.trace/2"`},
		{`"seam.trace/1"`, `"x"`, `schema is "x"`},
		{`"name": "f"`, `"name": ""`, "no package or no name"},
		{`"name": "f"`, `"name": "g"`, "twice"},
		{`"calls": 12`, `"calls": 13`, "histogram"},
		{`"calls": 12`, `"calls": -1`, "not a trace of seam: line "},
		{`"up_to_ns": 103`, `"up_to_ns": 3`, "order"},
	} {
		text := strings.Replace(b.String(), c.old, c.new, 1)
		if err := kind.Decode(strings.NewReader(text), &File{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.new, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":1,"processes":[],"functions":[{"package":"p","name":"n","calls":1,"histogram":[{"up_to_ns":5,"calls":1}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := &File{}
		if err := kind.Decode(bytes.NewReader(data), file); err != nil {
			return
		}
		if err := file.WriteText(&bytes.Buffer{}, TextOptions{All: true}); err != nil {
			t.Error(err)
		}
		_ = file.profile()
	})
}

func TestProfile(t *testing.T) {
	f := merged(t)
	f.Time = time.Unix(1, 0)
	var b bytes.Buffer
	if err := f.WriteProfile(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	calls, ns := int64(0), int64(0)
	for _, s := range p.Sample {
		calls += s.Value[0]
		ns += s.Value[1]
		if s.Location[0].Line[0].Function.Name != "C.f" {
			t.Errorf("on top is %s", s.Location[0].Line[0].Function.Name)
		}
	}
	if calls != 12 || ns < 2250 || ns > 2260 {
		t.Errorf("%d calls, %d ns, want 12 and 2260", calls, ns)
	}
}

// wide is a trace with something in every column.
func wide() *File {
	f := &File{OverheadNS: 95.4, Processes: []Process{{PID: 1, WallNS: 2e9}, {PID: 2, WallNS: 1e9, LostCalls: 3, Incomplete: []string{"3 calls could not be recorded: the disk was full"}, Running: true}}}
	add := func(pkg, name string, calls, total, crossing uint64, caller string) *Function {
		f.Functions = append(f.Functions, Function{
			Package: pkg, Name: name, Calls: calls, TotalNS: total, CrossingNS: float64(crossing),
			P50NS: total / calls, P99NS: 2 * total / calls, P999NS: 3 * total / calls, MaxNS: 1000 * total / calls, MaxThreads: 2,
			Callers: []Caller{{Calls: calls, NS: total, Stack: []Frame{{Func: caller}}}},
		})
		return &f.Functions[len(f.Functions)-1]
	}
	add("github.com/mattn/go-sqlite3", "sqlite3_column_int64", 12_345_678, 400_000_000, 40, "github.com/mattn/go-sqlite3.(*SQLiteRows).nextSyncLocked")
	add("github.com/mattn/go-sqlite3", "_CMalloc", 4321, 400_000, 40, "github.com/mattn/go-sqlite3.(*SQLiteConn).prepare")
	back := add("example.com/in/house", "walk", 100, 90_000_000, 60, "example.com/in/house.Walk")
	back.Callbacks, back.Blocked = 100, 7
	for i := range 12 {
		add("example.com/in/house", "small"+string(rune('a'+i)), 10, 500, 40, "main.main")
	}
	f.Functions = append(f.Functions, Function{Package: "example.com/in/house", Name: "never"})
	return f
}

var update = flag.Bool("update", false, "write the golden files")

func TestTextGolden(t *testing.T) {
	for _, width := range []int{80, 120, 160} {
		var b bytes.Buffer
		if err := wide().WriteText(&b, TextOptions{Options: text.Options{Width: width}}); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", "table-"+map[int]string{80: "80", 120: "120", 160: "160"}[width]+".txt")
		if *update {
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s (-update writes it): got\n%s\nwant\n%s", name, b.Bytes(), want)
		}
	}
}

func TestTextKeepsToItsWidth(t *testing.T) {
	for _, o := range []TextOptions{
		{Options: text.Options{Width: 60}}, {Options: text.Options{Width: 80}, All: true}, {Options: text.Options{Width: 80, Colour: true}},
		{Options: text.Options{Width: 120}}, {Options: text.Options{Width: 200, Colour: true}},
	} {
		var b bytes.Buffer
		if err := wide().WriteText(&b, o); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			l = strings.TrimSuffix(l, "\n")
			if w := lipgloss.Width(l); w > o.Width {
				t.Errorf("%+v: line of %d columns: %s", o, w, l)
			}
			if !o.Colour && strings.ContainsFunc(l, func(r rune) bool { return r > 0x7e || r < ' ' }) {
				t.Errorf("plain text has %q", l)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9999: "9999", 10000: "10.0k", 999_499: "999k", 999_500: "1.00M", 12_345_678: "12.3M", 5e12: "5.00T"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
}
