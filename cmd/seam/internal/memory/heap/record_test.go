package heap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/internal/testenv"
)

// small is a record with two sites and a module.
func small() []byte {
	b := binary.NativeEndian
	file := make([]byte, 8192)
	copy(file, "SEAMHEAP")
	put := func(at int, values ...any) {
		for _, v := range values {
			part, _ := binary.Append(nil, b, v)
			copy(file[at:], part)
			at += len(part)
		}
	}
	const sites, pcs, modules = 2048, 4096, 6000
	put(8, uint32(version), uint32(headSize), uint64(sites), uint64(pcs), uint64(modules), uint64(len(file)))
	put(48, uint64(1), uint64(42), uint64(1), int64(1e18), uint32(2), uint32(3), uint32(1), uint32(0), int64(100), int64(120), int64(1e9))
	copy(file[168:], "/bin/x")
	put(sites+siteSize, uint64(7), uint32(0), uint16(3), uint16(2), uint32(0), uint32(1), int64(100), int64(2000), int64(300), int64(6000), int64(0), int64(0), int64(90), int64(1000), uint64(6))
	put(pcs, uint64(0x1010), uint64(0x1020), uint64(0x9000))
	put(modules, uint64(0x1000), uint64(0x2000), uint64(0))
	return file
}

func TestRead(t *testing.T) {
	r, err := Read(bytes.NewReader(small()), 8192)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sites[1]
	if r.PID != 42 || r.Live != 100 || r.Exe != "/bin/x" || len(r.Sites) != 2 || s.Live != 100 || s.LiveObjects != 2 || s.Objects != 6 || s.C != 2 || !slices.Equal(s.PCs, []uint64{0x1010, 0x1020, 0x9000}) || r.Modules[0].High != 0x2000 {
		t.Errorf("%+v", r)
	}
}

// Records come from processes that may have damaged them, or been killed.
func TestHostileRecords(t *testing.T) {
	with := func(at int, v any) []byte {
		file := small()
		part, _ := binary.Append(nil, binary.NativeEndian, v)
		copy(file[at:], part)
		return file
	}
	for _, c := range []struct {
		name string
		file []byte
		says string
	}{
		{"empty", nil, "has not been begun"},
		{"zeros", make([]byte, 8192), "has not been begun"},
		{"another", bytes.Repeat([]byte("x"), 8192), "no record"},
		{"newer", with(8, uint32(9)), "layout 9"},
		{"cut", small()[:2000], "cut off"},
		{"sites outside", with(16, uint64(1<<63)), "cut off"},
		{"too many sites", with(80, uint32(1<<31)), "more than it has room for"},
		{"too many modules", with(88, uint32(1<<20)), "more than it has room for"},
		{"stack outside", with(2048+siteSize+8, uint32(1<<31)), "outside"},
		{"more C than frames", with(2048+siteSize+14, uint16(9)), "outside"},
		{"more modules than there are", with(2048+siteSize+20, uint32(7)), "outside"},
	} {
		_, err := Read(bytes.NewReader(c.file), int64(len(c.file)))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", c.name, err, c.says)
		}
	}
	if _, err := Read(bytes.NewReader(nil), 0); !errors.Is(err, ErrUnfinished) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small())
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := Read(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		r.Exe, r.GoLow = "", 0
		for i := range r.Modules {
			r.Modules[i].Path = "" // files are another matter
		}
		w := &watch{}
		w.add(r, time.Second)
		w.report(nil).judge(w)
	})
}

// The layout is the one that C has.
func TestLayout(t *testing.T) {
	gcc := testenv.Tool(t, "gcc")
	dir := t.TempDir()
	files, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := `#include "heap.h"
#define SAME(a, b) _Static_assert((a) == (b), #a)
SAME(SEAM_HEAP_VERSION, 2); SAME(SEAM_HEAP_SITES, 1 << 16); SAME(SEAM_HEAP_PCS, 1 << 21); SAME(2 * SEAM_HEAP_DEPTH, 128); SAME(SEAM_HEAP_MODULES, 1 << 10);
SAME(sizeof(seam_heap_head), 1512); SAME(__builtin_offsetof(seam_heap_head, own), 1512 - 32); SAME(sizeof(seam_heap_site), 96); SAME(sizeof(seam_heap_module), 376);
SAME(__builtin_offsetof(seam_heap_head, rate), 48); SAME(__builtin_offsetof(seam_heap_head, sites), 80); SAME(__builtin_offsetof(seam_heap_head, live), 96);
SAME(__builtin_offsetof(seam_heap_head, go_low), 152); SAME(__builtin_offsetof(seam_heap_head, exe), 168); SAME(__builtin_offsetof(seam_heap_head, go), 1448);
SAME(__builtin_offsetof(seam_heap_site, live_bytes), 24); SAME(__builtin_offsetof(seam_heap_site, samples), 88);
SAME(sizeof(seam_heap_thread) <= 64, 1);
`
	cmd := exec.CommandContext(t.Context(), gcc, "-fsyntax-only", "-I"+dir, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(check)
	run(t, "", cmd)
}

func run(t *testing.T, dir string, cmd *exec.Cmd) {
	t.Helper()
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// A history of a site's live bytes, and what is said of the whole.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name string
		live func(i int) int64
		want verdict.Class
		says string
	}{
		{"leak", func(i int) int64 { return int64(i) << 20 }, verdict.Leak, "by a stack that is not known"},
		{"cache", func(i int) int64 { return int64(60 * (1 - math.Exp(-float64(i)/10)) * (1 << 20)) }, verdict.Cache, ""},
		{"steady", func(i int) int64 { return int64(30+i%7) << 20 }, verdict.Steady, ""},
	} {
		w := &watch{}
		for i := range 60 {
			r := &Record{Rate: 1, Sites: []Site{{Objects: 1, Live: c.live(i)}}}
			w.add(r, time.Duration(i)*100*time.Millisecond)
		}
		r := w.report(nil)
		r.judge(w)
		if r.Verdict.Class != c.want || !strings.Contains(r.Verdict.Evidence, c.says) {
			t.Errorf("%s: %+v; want %s", c.name, r.Verdict, c.want)
		}
	}
	// To the account what jemalloc holds is mappings, and heaps that can't be read are heaps: the blocks say more.
	for _, c := range []struct {
		class     verdict.Class
		allocator string
		want      verdict.Class
	}{
		{verdict.Mapped, "/lib/libjemalloc.so.2", verdict.Leak}, {verdict.Mapped, "", verdict.Mapped},
		{verdict.Malloc, "", verdict.Leak}, {verdict.GoSide, "", verdict.GoSide},
	} {
		w := &watch{}
		for i := range 60 {
			w.add(&Record{Rate: 1, Allocator: c.allocator, Sites: []Site{{Objects: 1, Live: int64(i) << 20}}}, time.Duration(i)*100*time.Millisecond)
		}
		r := w.report(nil)
		r.Account = &memory.Report{Verdict: &verdict.Verdict{Class: c.class, Evidence: "it rose"}}
		r.judge(w)
		if r.Verdict.Class != c.want {
			t.Errorf("%s, %s: %+v; want %s", c.class, c.allocator, r.Verdict, c.want)
		}
	}
	// Without samples nothing is said, whatever was looked at.
	w := &watch{}
	for i := range 60 {
		w.add(&Record{Rate: 512 << 10}, time.Duration(i)*100*time.Millisecond)
	}
	r := w.report(nil)
	r.judge(w)
	if r.Verdict.Class != verdict.Unclear || !strings.Contains(r.judged(), "0 samples of C's blocks") {
		t.Errorf("without samples: %+v", r.Verdict)
	}
}

// Stacks of one name are one in the evidence.
func TestGrown(t *testing.T) {
	at := Where{C: "operator new", Go: "main.load"}
	r := &Report{Sites: []*Place{{Where: at, Grew: 1 << 20}, {Where: Where{C: "strdup"}, Grew: 3 << 20}, {Where: at, Grew: 4 << 20}, {Where: at, Mapped: true, Grew: 1 << 20}}}
	got := r.grown(func(p *Place) bool { return !p.Mapped })
	if want := "; since the first quarter of the run: 5 MiB by " + at.String() + ", 3 MiB by strdup"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What was live at each of the moments that the page offers is in its graph, and the quarter that Grew counts
// from is one of them.
func TestMoments(t *testing.T) {
	w := &watch{}
	for i := range 100 {
		w.add(&Record{Rate: 1, Sites: []Site{{Objects: 1, Live: int64(i), PCs: []uint64{0x1000}}, {Objects: 1, Live: int64(1000 - i), PCs: []uint64{0x2000}}}},
			time.Duration(i)*10*time.Millisecond)
	}
	r := w.report(nil)
	g := r.graph()
	m := g.Moments
	if m == nil || len(m.Names) < 20 || len(m.Names) > 26 || len(m.Values) != len(m.Names) || m.Names[m.From] != "240ms" || m.Names[m.To] != "990ms" || m.To != len(m.Names)-1 {
		t.Fatalf("%+v", m)
	}
	if len(g.Types) != len(types) || len(g.Values) != len(types) || len(g.Parent) != 2 {
		t.Fatalf("%+v", g)
	}
	for k, name := range m.Names {
		at, err := time.ParseDuration(name)
		i := int64(at / (10 * time.Millisecond))
		if a, b := m.Values[k][0], m.Values[k][1]; err != nil || min(a, b) != i || max(a, b) != 1000-i {
			t.Errorf("at %s: %d and %d, %v", name, a, b, err)
		}
	}
	short := &watch{}
	short.add(&Record{Rate: 1, Sites: []Site{{Objects: 1, Live: 5, PCs: []uint64{0x1000}}}}, time.Second)
	if g := short.report(nil).graph(); g.Moments != nil || len(g.Types) != len(types) {
		t.Errorf("of one look: %+v", g)
	}
}
