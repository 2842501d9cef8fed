//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// leaky is module leaks with its shared library.
func leaky(t *testing.T, env ...string) *module {
	t.Helper()
	m := load(t, "leaks").set(env...)
	compiler := "gcc"
	for _, e := range env {
		if cc, ok := strings.CutPrefix(e, "CC="); ok {
			compiler = cc
		}
	}
	if err := os.Mkdir(m.path("lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	m.run(compiler, "-shared", "-fPIC", "-O1", "-x", "c", "-o", "lib/libgive.so", "give.c.txt").ok()
	return m
}

// leaks runs seam leaks with a go command.
func (m *module) leaks(args ...string) result {
	m.t.Helper()
	return m.run(append([]string{seam, "leaks", "--", "go"}, args...)...)
}

// found is what a program left: a line for each leak and each wrong free.
func (m *module) found(program ...string) (string, result) {
	m.t.Helper()
	records := m.t.TempDir()
	at := m.in(m.t).set("SEAM_LEAKS=" + records)
	r := at.run(program...)
	entries, err := os.ReadDir(records)
	if err != nil {
		m.t.Fatal(err)
	}
	if len(entries) == 0 {
		return "no record\n", r
	}
	at.run(seam, "leaks", "--collect", "--json", "leaks.json", records).ok()
	return summary(m.t, m.read("leaks.json")), r
}

func summary(t *testing.T, text string) string {
	t.Helper()
	type frame struct{ Func string }
	type place struct {
		Stack []frame
		C     string
	}
	var f struct {
		Leaks []struct {
			What, Class   string
			Blocks, Bytes int
			Stack         []frame
		}
		Wrong []struct {
			Kind, What          string
			Count, Size, Offset int
			Made                []frame
			First, Again        *place
		}
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	top := func(stack []frame) string {
		if len(stack) == 0 {
			return "nobody"
		}
		return path.Base(stack[0].Func)
	}
	by := func(p *place) string {
		switch {
		case p == nil:
			return "nobody"
		case p.C != "":
			return "C"
		}
		return top(p.Stack)
	}
	var lines []string
	for _, l := range f.Leaks {
		lines = append(lines, fmt.Sprintf("%d in %d by %s in %s, %s\n", l.Bytes, l.Blocks, l.What, top(l.Stack), l.Class))
	}
	slices.Sort(lines)
	for _, w := range f.Wrong {
		lines = append(lines, fmt.Sprintf("%s, %d of %d, times %d, made by %s in %s, first %s, again %s\n", w.Kind, w.Offset, w.Size, w.Count, w.What, top(w.Made), by(w.First), by(w.Again)))
	}
	return strings.Join(lines, "")
}

const kinds = `10 in 1 by C.malloc in main.kinds, unclear
1000 in 1 by C.CBytes in main.kinds, unclear
11 in 1 by C.realloc in main.kinds, unclear
12 in 1 by C.reallocarray in main.kinds, unclear
128 in 1 by C.aligned_alloc in main.kinds, unclear
13 in 1 by C.valloc in main.kinds, unclear
21 in 1 by C.calloc in main.kinds, unclear
256 in 1 by C.memalign in main.kinds, unclear
3 in 1 by C.strndup in main.kinds, unclear
5 in 1 by C.calloc in main.kinds, unclear
5 in 1 by C.strdup in main.kinds, unclear
6 in 1 by C.CString in main.kinds, unclear
640 in 1 by C.posix_memalign in main.kinds, unclear
`

// What a program allocates and does not free is found, and nothing else,
// no matter who frees and how the program ends. Most run for less than the second that
// telling whether it grows takes.
func TestLeaks(t *testing.T) {
	t.Parallel()
	m := leaky(t)
	m.leaks("build", "-o", "prog", ".").ok()
	for _, c := range []struct {
		args string // with commas
		code int
		want string
	}{
		{args: "kinds", want: kinds},
		{args: "kinds,exit", code: 7, want: kinds},
		{args: "kinds,kill", code: -1, want: kinds},
		{args: "kinds,panic", code: 2, want: kinds},
		{args: "kinds freed,freed in C,freed in a thread,chain freed,clean"},
		{args: "freed in a child", want: "8 in 1 by C.malloc in main.main, unclear\n"},
		{args: "shared", want: "3000 in 1 by C.malloc in shared.Give, unclear\n"},
		{args: "chain", want: "5050 in 1 by C.realloc in main.chain, unclear\n"},
		{args: "dep", want: "39 in 3 by C.strdup in dep.Keep, *\n"},
		{args: "children", want: "117 in 9 by C.strdup in dep.Keep, *\n"},
		{args: "callback", want: "5 in 1 by C.CString in main.goAllocates, unclear\n"},
		{args: "grow", want: "400 in 400 by C.malloc in main.grow, growing\n50 in 10 by C.malloc in main.steady, steady\n"},
		{args: "goroutines", want: "160 in 4 by C.malloc in main.goroutines.func1, unclear\n"},
		{args: "double", want: "double free, 0 of 9, times 1, made by C.malloc in main.main, first main.free, again C\n" +
			"double free, 0 of 9, times 1, made by C.malloc in main.main, first main.free, again main.main\n"},
		{args: "middle", want: "free inside a block, 16 of 99, times 1, made by C.malloc in main.main, first nobody, again main.main\n"},
		{args: "nothing"}, // there is a record, and nothing in it
	} {
		t.Run(c.args, func(t *testing.T) {
			got, r := m.in(t).found(append([]string{"./prog"}, strings.Split(c.args, ",")...)...)
			r.ends(c.code)
			if strings.HasSuffix(c.want, ", *\n") { // so few that only the clock knows whether they grow
				got = got[:strings.LastIndex(got, ", ")+2] + "*\n"
			}
			if !strings.Contains(c.want, ", growing\n") {
				got, c.want = settled(got), settled(c.want)
			}
			if sorted(got) != sorted(c.want) {
				t.Errorf("found\n%swant\n%s", got, c.want)
			}
		})
	}
}

// settled is a text in which all that doesn't grow is unclear: on a slow machine a program
// may take the second after which more can be told.
func settled(text string) string {
	return strings.NewReplacer(", steady\n", ", unclear\n", ", once\n", ", unclear\n", ", init\n", ", unclear\n").Replace(text)
}

// sorted is a text with its lines in order.
func sorted(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// It is the same in every kind of build.
func TestLeaksEverywhere(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	args := []string{"./prog", "kinds", "shared", "callback", "goroutines", "double", "kinds freed", "freed in C", "exit"}
	check := func(t *testing.T, m *module, program []string, build ...string) {
		t.Helper()
		m.leaks(append([]string{"build", "-o", "prog"}, build...)...).ok()
		got, r := m.found(append(program, args...)...)
		got = settled(got)
		r.ends(7)
		for _, line := range []string{
			"10 in 1 by C.malloc in main.kinds, unclear\n", "5 in 1 by C.strdup in main.kinds, unclear\n",
			"3000 in 1 by C.malloc in shared.Give, unclear\n", "160 in 4 by C.malloc in main.goroutines.func1, unclear\n",
			"5 in 1 by C.CString in main.goAllocates, unclear\n", "first main.free, again C\n",
		} {
			if !strings.Contains(got, line) {
				t.Errorf("not found: %sonly\n%s", line, got)
			}
		}
		if n := strings.Count(got, "\n"); n != 18 {
			t.Errorf("%d found, want 18:\n%s", n, got)
		}
	}
	t.Run("race", func(t *testing.T) { check(t, leaky(t), nil, "-race", ".") })
	t.Run("trimpath and hidden symbols", func(t *testing.T) {
		check(t, leaky(t, "GOFLAGS=-trimpath", "CGO_CFLAGS=-O0 -fvisibility=hidden"), nil, ".")
	})
	t.Run("arm64", func(t *testing.T) {
		testenv.Foreign(t, "aarch64-linux-gnu-gcc", "qemu-aarch64")
		check(t, leaky(t, "GOARCH=arm64", "CC=aarch64-linux-gnu-gcc"), []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"}, ".")
	})
	// A library for C: in a program that is linked with it, and in one that loads
	// it, whose free is not the library's.
	t.Run("library", func(t *testing.T) {
		m := load(t, "leaks")
		m.write("lib/lib.go", "package main\n\nimport \"C\"\nimport \"example.com/leaks/dep\"\n\n//export Keep\nfunc Keep() { dep.Keep(1) }\n\nfunc main() {}\n")
		m.leaks("build", "-buildmode=c-shared", "-o", "libkeep.so", "./lib").ok()
		m.write("linked.c", "void Keep(void);\nint main(void) { Keep(); return 0; }\n")
		m.write("loads.c", "#include <dlfcn.h>\nint main(void) { ((void (*)(void))dlsym(dlopen(\"./libkeep.so\", RTLD_NOW), \"Keep\"))(); return 0; }\n")
		m.run("gcc", "-o", "linked", "linked.c", "./libkeep.so").ok()
		m.run("gcc", "-o", "loads", "loads.c", "-ldl").ok()
		if got, r := m.found("./linked"); settled(got) != "13 in 1 by C.strdup in dep.Keep, unclear\n" {
			t.Errorf("%s%s", got, r.text())
		}
		m.set("SEAM_LEAKS=" + m.path("records")).run("./loads").ok().says("what C frees can't be seen")
		m.run(seam, "leaks", "--collect").ends(3).says("the process could not be searched")
	})
	for _, version := range testenv.OtherVersions() {
		t.Run(version, func(t *testing.T) {
			check(t, leaky(t, "GOTOOLCHAIN="+version), nil, ".")
		})
	}
}

// A dependency in a vendor folder is tracked, and sources and module files stay.
func TestLeaksVendor(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "leaks")
	m.write("app/go.mod", "module example.com/app\n\ngo 1.25.0\n\nrequire example.com/leaks v0.0.0\n\nreplace example.com/leaks => ../\n")
	m.write("app/main.go", "package main\n\nimport \"example.com/leaks/dep\"\n\nfunc main() { dep.Keep(1) }\n")
	m.dir = m.path("app")
	m.plain("mod", "vendor").ok()
	if err := os.RemoveAll(m.path("../dep")); err != nil {
		t.Fatal(err)
	}
	before := m.hash()
	m.set("GOFLAGS=-mod=vendor")
	m.leaks("run", ".").ok().says("13 B in 1 block by C.strdup", "dep.Keep")
	m.leaks("run", "-tags", "early", ".").ok().says("70 B in 1 block by C.malloc  while a package was initialised", "13 B in 1 block")
	if m.hash() != before {
		t.Error("sources or module files have changed")
	}
}

// A build by seam leaks leaves nothing in the go command's cache that a plain
// build takes, nor the other way round, nor one by seam trace.
func TestLeaksCache(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "leaks")
	m.write("one/main.go", "package main\n\nimport \"example.com/leaks/dep\"\n\nfunc main() { dep.Keep(1) }\n")
	tracked := func(name string) bool {
		t.Helper()
		got, r := m.found("./" + name)
		r.ok()
		return got != "no record\n"
	}
	m.plain("build", "-o", "before", "./one").ok()
	m.leaks("build", "-o", "leaks", "./one").ok()
	m.plain("build", "-o", "after", "./one").ok()
	m.run(seam, "trace", "--", "go", "build", "-o", "traced", "./one").ok()
	for name, want := range map[string]bool{"before": false, "leaks": true, "after": false} {
		if tracked(name) != want {
			t.Errorf("%s: tracked is not %v", name, want)
		}
	}
	if m.read("before") != m.read("after") {
		t.Error("the plain program is another one after seam leaks")
	}
}

// What can't be searched is said.
func TestLeaksThatCannotBeSearched(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "leaks")
	m.write("one/main.go", "package main\n\nimport \"example.com/leaks/dep\"\n\nfunc main() { dep.Keep(1) }\n")
	m.in(t).set("CGO_ENABLED=0").leaks("run", "./one").ends(2).says("the program has no C that it could get memory from: CGO_ENABLED=0 is set in the environment (unset CGO_ENABLED)")
	m.in(t).set("GOOS=windows").leaks("build", "./one").ends(2).says("linux/amd64 and linux/arm64 only, and this build is for windows/")
	m.leaks("run", "-asan", "./one").ends(2).says("-asan")
	m.leaks("run", "./clean").ends(1).silent("no leak:")
	m.leaks("test", "./nothing").ends(1).silent("never freed")
	// Statically linked, the program has libc's own free.
	m.leaks("run", "-ldflags=-extldflags=-static", "./one").ends(3).says("It is not known whether there are leaks.", "no leak is searched in this process: what C frees can't be seen")
	// A function that only has the name of one that allocates.
	m.write("one/own.go", "package main\n\n// static int memalign(double d) { return (int)d; }\nimport \"C\"\n\nfunc init() { println(C.memalign(3)) }\n")
	m.leaks("run", "./one").ok().says("C.memalign is not tracked: its type differs from that of libc's function", "13 B in 1 block by C.strdup")
	// An allocator that the program brings is asked, and its free stands.
	m.write("one/own.go", "package main\n\n// #include <stdlib.h>\n// void free(void *p) { (void)p; }\nimport \"C\"\n\nfunc init() { C.free(nil) }\n")
	m.leaks("run", "./one").ends(3).says("no leak is searched in this process: what C frees can't be seen")
}
