package callgraph

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/internal/testenv"
)

// example is module all.
func example(t *testing.T) (p gotool.Package, objdir string) {
	t.Helper()
	return module(t, "all")
}

// module makes a module of a folder of testdata and runs cgo.
func module(t *testing.T, name string) (p gotool.Package, objdir string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/"+name+"\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	list, err := gotool.List(t.Context(), "go", dir, nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	objdir = filepath.Join(t.TempDir(), "obj")
	if err := gotool.Generate(t.Context(), list[0], objdir); err != nil {
		t.Fatal(err)
	}
	return list[0], objdir
}

func mustProve(t *testing.T, p gotool.Package, objdir string, o Options) *Package {
	t.Helper()
	r, err := Prove(t.Context(), p, objdir, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Missing != "" {
		if os.Getenv("CI") == "" {
			t.Skip(r.Missing)
		}
		t.Fatal(r.Missing)
	}
	return r
}

func TestProve(t *testing.T) {
	t.Run("native", func(t *testing.T) { testProve(t, true, false) })
	t.Run("clang", func(t *testing.T) {
		useClang(t)
		testProve(t, true, true)
	})
	t.Run("arm64", func(t *testing.T) {
		const compiler = "aarch64-linux-gnu-gcc"
		testenv.Tool(t, compiler)
		t.Setenv("GOARCH", "arm64")
		t.Setenv("CC", compiler)
		t.Setenv("CGO_ENABLED", "1")
		testProve(t, false, false)
	})
}

// useClang makes clang the compiler.
func useClang(t *testing.T) {
	t.Helper()
	testenv.OtherProgram(t)
	testenv.Tool(t, "clang")
	t.Setenv("CC", "clang")
	t.Setenv("CXX", "clang++")
}

// testProve proves the example, with its C++ or without. With clang every call through a
// pointer may be one of Go, which the example exports.
func testProve(t *testing.T, cxx, clang bool) {
	p, objdir := example(t)
	if !cxx {
		p.CXXFiles = nil
	}
	r := mustProve(t, p, objdir, Options{})
	if r.Blind != clang {
		t.Errorf("blind for pointers: %v", r.Blind)
	}
	for _, c := range []struct {
		name    string
		forbids string // the way of what forbids a leaf
		open    string // the way of what leaves the proof open
	}{
		{"preamble", "", ""},
		{"preamble_reads", "preamble_reads → read", ""},
		{"wraps_macro", "", ""},
		{"add", "", ""},
		{"add2", "", ""},
		{"walks", "", ""},
		{"even", "", ""},
		{"by_pointer", "", "by_pointer → a pointer"},
		{"by_ifunc", "", "by_ifunc → a pointer"},
		{"by_alias", "by_alias → waits_under_a_name → fwrite", ""},
		{"calls_go", "calls_go → goFunction", ""},
		{"calls_go_deep", "calls_go_deep → between → goFunction", ""},
		{"prints", "prints → report → printf", ""},
		{"locks_up", "", "locks_up → pthread_mutex_lock"},
		{"joins", "joins → pthread_join", ""},
		{"joins_deep", "", "joins_deep → level1 → level2 → joins → pthread_join"},
		{"sorts", "", "sorts → qsort"},
		{"enters_kernel", "", "enters_kernel → asm("},
		{"fence", "", ""},
		{"unknown", "", "unknown → from_elsewhere"},
		{"allocates", "", ""},
		{"aborts", "", ""},
		{"asserts", "", "asserts → failed → a pointer"},
		{"asserts_inline", "", ""},
		{"logs_and_goes_on", "logs_and_goes_on → fwrite", ""},
		{"on_stack", "", ""},
		{"big_frame", "", ""},
		{"cxx_virtual", "", "cxx_virtual → a pointer"},
		{"strlen", "", ""},
		{"other_static", "other_static → same_name → usleep", ""},
		{"with_errno", "", ""},
		{"_CMalloc", "", ""},
	} {
		if strings.HasPrefix(c.name, "cxx_") && !cxx {
			continue
		}
		f := r.Functions[c.name]
		if f == nil {
			t.Errorf("%s: no proof", c.name)
			continue
		}
		forbids, open := "", ""
		if x, ok := forbidden(f); ok {
			forbids = x.CallPath()
		}
		if x, ok := f.Open(); ok {
			open = x.CallPath()
		}
		if clang && c.forbids == "" && strings.HasSuffix(c.open, "a pointer") && c.name != "by_ifunc" {
			c.forbids = c.open
		}
		if c.forbids != "" {
			c.open = c.forbids
		}
		if forbids != c.forbids || open != c.open && !(strings.HasSuffix(c.open, "(") && strings.HasPrefix(open, c.open)) {
			t.Errorf("%s: forbidden by %q, open by %q, want %q and %q", c.name, forbids, open, c.forbids, c.open)
		}
	}
	if x, ok := forbidden(r.Functions["cxx_plain"]); ok && cxx {
		t.Errorf("cxx_plain is forbidden by %s", x.CallPath())
	}
	for _, name := range []string{"walks", "even"} {
		if _, ok := r.Functions[name].First(func(x Finding) bool { return x.Kind == Recursion }); !ok {
			t.Errorf("%s: no recursion found", name)
		}
	}
	if x, ok := r.Functions["add2"].First(func(x Finding) bool { return x.Kind == Recursion }); ok {
		t.Errorf("add2: recursion found: %s", x.CallPath())
	}
}

func TestStackUse(t *testing.T) {
	testenv.OtherProgram(t)
	t.Run("gcc", testStackUse)
	t.Run("clang", func(t *testing.T) {
		useClang(t)
		testStackUse(t)
	})
}

func testStackUse(t *testing.T) {
	p, objdir := example(t)
	r := mustProve(t, p, objdir, Options{})
	for _, c := range []struct {
		name  string
		least int64
		open  bool
	}{
		{"add", 1, false}, {"big_frame", 9800, false}, {"on_stack", 1, true},
		{"walks", 1, true}, {"by_pointer", 1, true}, {"joins_deep", 32, false},
	} {
		f := r.Functions[c.name]
		if f.Stack < c.least || f.Stack > c.least+500 || f.StackOpen != c.open {
			t.Errorf("%s takes %d bytes, open %v; want about %d, %v", c.name, f.Stack, f.StackOpen, c.least, c.open)
		}
	}
}

func TestCache(t *testing.T) {
	p, objdir := example(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cache, err := filecache.Open("callgraph")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Cache: cache}
	first := mustProve(t, p, objdir, o)
	all := first.Compiled
	if r := mustProve(t, p, objdir, o); r.Compiled != 0 || r.Cached != all || !reflect.DeepEqual(r.Functions, first.Functions) {
		t.Errorf("second run compiled %d files and knew %d, want 0 and %d and the same proofs", r.Compiled, r.Cached, all)
	}
	// A damaged entry is made again, and is whole afterwards.
	dir := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "seam", "callgraph")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != all {
		t.Fatalf("%d entries, %v; want %d", len(entries), err, all)
	}
	if err := os.Truncate(filepath.Join(dir, entries[0].Name()), 100); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if r := mustProve(t, p, objdir, o); r.Compiled != want {
			t.Errorf("with a damaged entry %d files were compiled, want %d", r.Compiled, want)
		}
	}
	// Another flag, another header.
	p.CgoCFLAGS = append(p.CgoCFLAGS, "-DUNUSED")
	if r := mustProve(t, p, objdir, o); r.Compiled < 3 {
		t.Errorf("with another flag %d files were compiled", r.Compiled)
	}
	header := filepath.Join(p.Dir, "all.h")
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(header, append(text, "int one_more(int);\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := mustProve(t, p, objdir, o); r.Compiled < 3 {
		t.Errorf("with another header %d files were compiled", r.Compiled)
	}
}

// Where there is no gcc the result says so and is no error.
func TestNoGraphs(t *testing.T) {
	testenv.OtherProgram(t)
	dir := t.TempDir()
	script := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range []struct{ name, cc, want string }{
		{"none", filepath.Join(dir, "missing"), "was not found"},
		{"an old clang", script("clang-9", "case \"$*\" in *--version) echo clang version 9;; *) echo unknown argument >&2; exit 1;; esac"), "has no -fstack-usage: clang 13 or later has"},
		{"a clang that writes nothing", script("clang", "echo Debian clang version 14.0.6"), "wrote no call graph"},
		{"an old gcc", script("gcc-8", "case \"$*\" in *--version) echo gcc 8.1;; *) echo unrecognized >&2; exit 1;; esac"), "has no -fcallgraph-info"},
		{"one that ignores the flag", script("tcc", "echo tcc 1"), "wrote no call graph"},
	} {
		p, objdir := example(t)
		t.Setenv("CC", c.cc)
		list, err := gotool.List(t.Context(), "go", p.Dir, nil, ".")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Prove(t.Context(), list[0], objdir, Options{})
		t.Setenv("CC", "gcc")
		if err != nil || !strings.Contains(r.Missing, c.want) || r.Functions != nil {
			t.Errorf("%s: %+v, %v; want %q", c.name, r, err, c.want)
		}
	}
}

// CC may be of several words, as "ccache gcc" and "zig cc".
func TestCompilerOfTwoWords(t *testing.T) {
	t.Setenv("CC", "env gcc")
	p, objdir := example(t)
	mustProve(t, p, objdir, Options{})
}

func TestSourceWithMistake(t *testing.T) {
	p, objdir := example(t)
	file := filepath.Join(p.Dir, "other.c")
	if err := os.WriteFile(file, []byte("int shared(int x) { return y; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Prove(t.Context(), p, objdir, Options{})
	if err != nil || !strings.Contains(r.Missing, "other.c") {
		t.Errorf("%+v, %v; want why there is no proof", r, err)
	}
}

func TestProveStops(t *testing.T) {
	p, objdir := example(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Prove(ctx, p, objdir, Options{}); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// forbidden returns what keeps a function from being a leaf.
func forbidden(f *Function) (Finding, bool) {
	if x, ok := f.CallsGo(); ok {
		return x, true
	}
	return f.Waits()
}
