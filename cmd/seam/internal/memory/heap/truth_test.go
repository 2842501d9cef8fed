//go:build linux && (amd64 || arm64)

//seam:test toolchains

package heap

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/prof"
	"github.com/seamgo/seam/internal/testenv"
)

func library(t *testing.T) string {
	t.Helper()
	cc := testenv.Tool(t, "gcc")
	l, err := Library(t.Context(), []string{cc})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// record runs a program with the library, and returns what its processes have recorded, the first
// process first.
func record(t *testing.T, rate string, program string, args ...string) (list []*Record, names []string) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+library(t), FolderVariable+"="+dir, RateVariable+"="+rate)
	run(t, "", cmd)
	names, err := filepath.Glob(filepath.Join(dir, "*.heap"))
	if err != nil || len(names) == 0 {
		t.Fatal("nothing was recorded", err)
	}
	pid := cmd.Process.Pid
	slices.SortStableFunc(names, func(a, b string) int {
		first := func(name string) int {
			r, err := ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if r.PID == pid {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	for _, name := range names {
		r, err := ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list, names
}

type total struct{ live, liveObjects, bytes, objects, short, samples int64 }

// totals are by the function of C whose name ends in _site, or the one that is given.
func totals(r *Record, name string) map[string]total {
	return totalsBy(newNamer(r, strings.TrimSuffix(name, ".heap")+".exe"), r)
}

func totalsBy(n *namer, r *Record) map[string]total {
	sums := map[string]total{}
	for i := range r.Sites {
		s := &r.Sites[i]
		for _, f := range n.stack(s) {
			if strings.HasSuffix(f.Func, "_site") {
				x := sums[f.Func]
				sums[f.Func] = total{x.live + s.Live, x.liveObjects + s.LiveObjects, x.bytes + s.Bytes, x.objects + s.Objects, x.short + s.ShortObjects, x.samples + int64(s.Samples)}
				break
			}
		}
	}
	return sums
}

func buildTruth(t *testing.T) (program, loaded string) {
	t.Helper()
	testenv.GoProgram(t)
	testenv.Tool(t, "g++")
	dir := t.TempDir()
	program, loaded = filepath.Join(dir, "truth"), filepath.Join(dir, "library.so")
	run(t, "testdata/truth", exec.CommandContext(t.Context(), "go", "build", "-o", program, "."))
	run(t, "testdata/truth", exec.CommandContext(t.Context(), "gcc", "-O1", "-g", "-shared", "-fPIC", "-x", "c", "-o", loaded, "library.c.txt"))
	return program, loaded
}

// truth is what each site of the program holds, and has held.
var truth = map[string]total{
	"early_site":         {3000, 3, 3000, 3, 0, 3},
	"plain_site":         {250500, 500, 500500, 1000, 2, 1000},
	"calloc_site":        {990, 10, 990, 10, 0, 10},
	"zero_site":          {0, 5, 0, 6, 1, 6},
	"grow_site":          {200010, 2, 20100000 + 10 + 5000, 202, 5, 202},
	"array_site":         {770, 1, 820, 2, 1, 2},
	"aligned_site":       {512, 2, 612, 3, 1, 3},
	"memalign_site":      {33, 1, 33, 1, 0, 1},
	"aligned_alloc_site": {256, 1, 256, 1, 0, 1},
	"page_site":          {11, 1, 11, 1, 0, 1},
	"crossing_site":      {20000, 400, 200000, 4000, 0, 4000},
	"strdup_site":        {400, 20, 400, 20, 0, 20},
	"print_site":         {100, 1, 0, 0, 0, 0},
	"map_site":           {7<<20 + 4096, 3, 0, 0, 0, 0},
	"new_site":           {700, 10, 771, 11, 1, 11},
	"wide_site":          {768, 4, 960, 5, 1, 5},
	"one_site":           {4, 1, 8, 2, 1, 2},
	"map_insert_site":    {40 * 1000, 1000, 40 * 1000, 1000, 0, 1000},
	"forgotten_site":     {1000 + 8*200*7, 10 + 8*200, 1000 + 8*200*7, 10 + 8*200, 0, 10 + 8*200},
	"churn_site":         {0, 0, 333 * 1600, 1600, 1600, 1600},
	"library_site":       {111 * 12, 12, 111 * 12, 12, 0, 12},
}

// judgeTruth compares what the program and its child have recorded with the truth.
func judgeTruth(t *testing.T, got, child map[string]total) {
	t.Helper()
	for name, w := range truth {
		g := got[name]
		switch name {
		case "grow_site", "map_site", "crossing_site": // what counts as short, and what moves as new, depends on libc
			g.short, w.short, g.samples, w.samples = 0, 0, 0, 0
			if name == "map_site" {
				g.bytes, g.objects, w.bytes, w.objects = 0, 0, 0, 0
			}
		case "print_site": // libc makes it larger and smaller on the way
			g = total{live: g.live, liveObjects: g.liveObjects}
		}
		if g != w {
			t.Errorf("%s: %+v; want %+v", name, g, w)
		}
	}
	for name := range got {
		if _, ok := truth[name]; !ok {
			t.Errorf("%s allocated in the parent", name)
		}
	}
	if g, w := child["child_site"], (total{30 * 1234, 30, 30 * 1234, 30, 0, 30}); g != w {
		t.Errorf("in the child: %+v; want %+v", g, w)
	}
	if g := child["plain_site"]; g != truth["plain_site"] {
		t.Errorf("what the child has from its parent: %+v", g)
	}
}

// Of every block the record says which site has it.
func TestTruth(t *testing.T) {
	program, loaded := buildTruth(t)
	list, names := record(t, "1", program, loaded)
	if len(list) != 2 {
		t.Fatalf("%d records; want one of the program and one of its child", len(list))
	}
	judgeTruth(t, totals(list[0], names[0]), totals(list[1], names[1]))
	if r := list[0]; r.LostBlocks+r.LostMaps+r.LostStacks > 0 {
		t.Errorf("lost: %+v", r)
	}
}

// The same of a program for arm64, with the library for that.
func TestTruthArm64(t *testing.T) {
	testenv.GoProgram(t)
	testenv.Foreign(t, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64")
	l, err := Library(t.Context(), []string{"aarch64-linux-gnu-gcc"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, loaded := filepath.Join(dir, "truth"), filepath.Join(dir, "library.so")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=1", "CC=aarch64-linux-gnu-gcc", "CXX=aarch64-linux-gnu-g++")
	run(t, "testdata/truth", build)
	run(t, "testdata/truth", exec.CommandContext(t.Context(), "aarch64-linux-gnu-gcc", "-O1", "-g", "-shared", "-fPIC", "-x", "c", "-o", loaded, "library.c.txt"))
	cmd := exec.CommandContext(t.Context(), "qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-E", "LD_PRELOAD="+l, program, loaded)
	cmd.Env = append(os.Environ(), FolderVariable+"="+dir, RateVariable+"=1")
	run(t, "", cmd)
	names, err := filepath.Glob(filepath.Join(dir, "*.heap"))
	if err != nil || len(names) != 2 {
		t.Fatalf("%q, %v; want one record of the program and one of its child", names, err)
	}
	var found [2]map[string]total
	joined := false
	for _, name := range names {
		r, err := ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := newNamer(r, program) // what the process calls its own program is the emulator
		sums := totalsBy(n, r)
		if sums["child_site"].objects > 0 {
			found[1] = sums
			continue
		}
		found[0] = sums
		for i := range r.Sites {
			var words []string
			for _, f := range n.stack(&r.Sites[i]) {
				words = append(words, f.Func)
			}
			stack := strings.Join(words, " ")
			joined = joined || strings.HasPrefix(stack, "forgotten_site forgotten ") && strings.HasSuffix(stack, " main.forgets main.main runtime.main runtime.goexit")
		}
	}
	judgeTruth(t, found[0], found[1])
	if !joined {
		t.Error("no stack leads from forgotten_site through Go to runtime.goexit")
	}
}

// Stacks go through C into Go, down to the goroutine's first function.
func TestJoinedStacks(t *testing.T) {
	program, loaded := buildTruth(t)
	list, names := record(t, "1", program, loaded)
	n := newNamer(list[0], strings.TrimSuffix(names[0], ".heap")+".exe")
	found := map[string]int{}
	for i := range list[0].Sites {
		s := &list[0].Sites[i]
		var words []string
		for _, f := range n.stack(s) {
			if f.Kind != prof.Crossing && f.Func != "runtime.cgocall" {
				words = append(words, f.Func)
			}
		}
		found[strings.Join(words, " ")] += int(s.Samples)
	}
	for stack, samples := range map[string]int{
		"forgotten_site forgotten main.forgets main.main runtime.main runtime.goexit": 10,
		"forgotten_site forgotten main.main.func1 runtime.goexit":                     1600,
		"strdup strdup_site strings main.main runtime.main runtime.goexit":            20,
		"library_site library_allocates loaded main.main runtime.main runtime.goexit": 12,
		"plain_site plain main.main runtime.main runtime.goexit":                      1000,
		"main.cstring main.main runtime.main runtime.goexit":                          1,
		"child_site in_child main.main runtime.main runtime.goexit":                   0,
		"operator new new_site cxx main.main runtime.main runtime.goexit":             11,
		"crossing_site make start_thread clone3":                                      0,
	} {
		got, like := 0, ""
		for have, n := range found {
			have = strings.ReplaceAll(strings.ReplaceAll(have, ".abi0", ""), "__GI___", "")
			if have == stack {
				got += n
			} else if strings.Contains(have, strings.Fields(stack)[0]) {
				like = have
			}
		}
		if strings.HasPrefix(stack, "library_site") && got > 0 && got < samples {
			got = samples // its tables are waited for, half a second at most
		}
		if got != samples && samples > 0 {
			t.Errorf("%d of %q; want %d. There is %q", got, stack, samples, like)
		}
	}
}

// Sampled, what is live is estimated without a bias: within six standard deviations.
func TestSampled(t *testing.T) {
	program, _ := buildTruth(t)
	const rate = 8 << 10
	list, names := record(t, "8192", program, "sample", "x")
	got := totals(list[0], names[0])
	for name, c := range map[string]struct{ size, count float64 }{"small_site": {48, 833333}, "middle_site": {3000, 13333}, "large_site": {200000, 200}} {
		p := 1 - math.Exp(-(c.size+16)/rate)
		for what, x := range map[string]struct{ got, count float64 }{"live": {float64(got[name].live), c.count}, "allocated": {float64(got[name].bytes), 2 * c.count}} {
			want, sigma := x.count*c.size, c.size*math.Sqrt(x.count*(1-p)/p)
			if math.Abs(x.got-want) > 6*sigma+x.count {
				t.Errorf("%s, %s: %.0f; want %.0f ± %.0f", name, what, x.got, want, sigma)
			}
		}
		if samples, want := float64(got[name].samples), 2*c.count*p; math.Abs(samples-want) > 6*math.Sqrt(want)+1 {
			t.Errorf("%s: %.0f samples; want %.0f", name, samples, want)
		}
	}
	if r := list[0]; float64(r.Peak) < float64(r.Live)*0.98 || r.LostBlocks > 0 {
		t.Errorf("%+v", r)
	}
}
