//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// Every kind of argument, result and errno, with C++, pkg-config, macros that
// hit plain words and strict compiler flags, in several packages of one build.
func TestSameResults(t *testing.T) {
	t.Parallel()
	m := load(t, "many")
	before := m.hash()
	m.plain("build", "-o", "../plain", ".").ok()
	r := m.weld("build", "-o", "../welded", ".").ok()
	leaves := strings.Count(m.read("seam.plan"), "leaf ")
	if want := "seam: welded 61 of 61 functions"; leaves != 61 {
		t.Fatalf("the plan has %d leaves", leaves)
	} else {
		r.says(want)
	}
	if m.hash() != before {
		t.Error("the module's files have changed")
	}
	plain := m.run("../plain").ok()
	for _, env := range []string{"", "SEAM_GUARD=off", "SEAM_GUARD=all", "SEAM_GUARD=sample", "SEAM_LEAF=cgo", "GOMAXPROCS=1", "GODEBUG=cgocheck=0", "GOGC=1"} {
		t.Run(env, func(t *testing.T) {
			w := m.in(t)
			if env != "" {
				w.set(env)
			}
			same(t, plain, w.run("../welded").silent("seam:"))
		})
	}
}

// Compilers differ in what they make of the wrappers.
func TestSameResultsOptimised(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	for _, flags := range []string{"-O0 -g", "-O3 -flto", "-Os -fno-plt -fstack-protector-all"} {
		t.Run(flags, func(t *testing.T) {
			m := load(t, "many").set("CGO_CFLAGS="+flags, "CGO_CXXFLAGS="+flags, "CGO_LDFLAGS=")
			m.plain("build", "-o", "../plain", ".").ok()
			m.weld("build", "-o", "../welded", ".").ok().says("welded 61 of 61")
			same(t, m.run("../plain"), m.run("../welded"))
		})
	}
}

// C may return what it was given. What outlives the caller's frame must not lie
// there.
func TestResultIsAnArgument(t *testing.T) {
	t.Parallel()
	m := &module{t: t, dir: t.TempDir()}
	m.write("go.mod", "module example.com/returns\n\ngo 1.25\n")
	m.write("main.go", `package main

/*
typedef struct { int n; int *p; } box;
typedef int *ref;
typedef union { int *p; double d; } either;
typedef struct { int n; either e; } with_union;
static either as_union(int *p) { either e = {p}; return e; }
static with_union in_struct(int *p) { with_union w = {1, {p}}; return w; }
static int *same(int *p) { return p; }
static void *same_void(void *p) { return p; }
static ref same_ref(int n, ref p) { return p + n; }
static box boxed(int *p) { box b = {1, p}; return b; }
static box same_box(box b) { return b; }
static int *fails(int *p) { return p; }
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

func main() {
	var list []*C.int
	for i := range 3 {
		list = append(list, plain(i), void(i), ref(i), inBox(i), throughBox(i), withErrno(i), inUnion(i), inStruct(i))
	}
	smash(100)
	runtime.GC()
	for _, p := range list {
		fmt.Println(*p)
	}
}

//go:noinline
func plain(i int) *C.int { x := C.int(i); return C.same(&x) }

//go:noinline
func void(i int) *C.int { x := C.int(i + 10); return (*C.int)(C.same_void(unsafe.Pointer(&x))) }

//go:noinline
func ref(i int) *C.int { x := [2]C.int{-1, C.int(i + 20)}; return C.same_ref(1, &x[0]) }

//go:noinline
func inBox(i int) *C.int { x := C.int(i + 30); return C.boxed(&x).p }

//go:noinline
func throughBox(i int) *C.int { x := C.int(i + 40); return C.same_box(C.box{1, &x}).p }

//go:noinline
func withErrno(i int) *C.int { x := C.int(i + 50); p, _ := C.fails(&x); return p }

//go:noinline
func inUnion(i int) *C.int { x := C.int(i + 60); u := C.as_union(&x); return *(**C.int)(unsafe.Pointer(&u)) }

//go:noinline
func inStruct(i int) *C.int { x := C.int(i + 70); w := C.in_struct(&x); return *(**C.int)(unsafe.Pointer(&w.e)) }

//go:noinline
func smash(n int) int {
	var a [64]int32
	for i := range a {
		a[i] = -1
	}
	if n > 0 {
		return smash(n-1) + int(a[n%len(a)])
	}
	return 0
}
`)
	var plan strings.Builder
	for _, name := range []string{"same", "same_void", "same_ref", "boxed", "same_box", "fails", "as_union", "in_struct"} {
		plan.WriteString("leaf example.com/returns." + name + "\n")
	}
	m.write("seam.plan", plan.String())
	m.plain("build", "-o", "plain", ".").ok()
	m.weld("build", "-o", "welded", ".").ok().says("welded 8 of 8")
	want := m.run("./plain").ok()
	same(t, want, m.run("./welded"))
	same(t, want, m.in(t).set("SEAM_LEAF=cgo").run("./welded"))
}

// Module guard, built once for all tests of it.
func guard(t *testing.T, flags ...string) *module {
	t.Helper()
	m := load(t, "guard")
	m.plain(append([]string{"build", "-o", "../plain"}, append(flags, ".")...)...).ok()
	m.weld(append([]string{"build", "-o", "../welded"}, append(flags, ".")...)...).ok().says("welded 7 of 7")
	return m
}

// What C sees and returns is right wherever a call comes from: before main, on
// C's own threads, inside callbacks, in finalizers, on stacks that move, under
// garbage collection and profiling.
func TestSameEverywhere(t *testing.T) {
	t.Parallel()
	m := guard(t)
	for _, scenario := range []string{"early", "quick", "in callback", "foreign thread", "finalizer", "stress", "stress with profile"} {
		for _, env := range []string{"GOMAXPROCS=2", "GOMAXPROCS=1", "SEAM_GUARD=all", "SEAM_LEAF=cgo", "GODEBUG=gcstoptheworld=1", "GODEBUG=gcshrinkstackoff=0,asyncpreemptoff=1"} {
			if os.Getenv("SEAM_SOAK") == "" && strings.HasPrefix(scenario, "stress") && env != "GOMAXPROCS=2" && env != "SEAM_GUARD=all" {
				continue
			}
			t.Run(scenario+"/"+env, func(t *testing.T) {
				m := m.in(t).set(env)
				same(t, m.run("../plain", scenario).ok(), m.run("../welded", scenario).ok().silent("seam:"))
			})
		}
	}
	testGuard(t, m)
	testCallback(t, m)
}

// testGuard: a function that overruns its budget is called through cgo from then
// on.
func testGuard(t *testing.T, m *module) {
	for _, c := range []struct {
		env     string
		demoted bool
	}{
		{"SEAM_GUARD=", true}, {"SEAM_GUARD=sample", true}, {"SEAM_GUARD=all", true}, {"SEAM_GUARD=1", true},
		{"SEAM_GUARD=off", false}, {"SEAM_LEAF=cgo", false},
	} {
		t.Run("slow function with "+c.env, func(t *testing.T) {
			m := m.in(t).set(c.env)
			r := m.run("../welded", "slow").ok().prints("end\n")
			want := ""
			if c.demoted {
				want = "example.com/guard.busy took more than 20 us in "
			}
			r.says(want)
			if lines := strings.Count(r.errout, "\n"); lines != strings.Count(want, ".busy") {
				t.Errorf("%d lines on standard error:\n%s", lines, r.errout)
			}
		})
	}
	t.Run("unknown value", func(t *testing.T) {
		m := m.in(t).set("SEAM_GUARD=sometimes")
		r := m.run("../welded", "slow").ok().says("seam: SEAM_GUARD=sometimes is unknown: want off, sample or all; taking sample", ".busy took more than")
		if strings.Count(r.errout, "sometimes") != 1 {
			t.Errorf("not said once:\n%s", r.errout)
		}
	})
}

// testCallback: a leaf that calls Go goes on, and is called through cgo from then on.
func testCallback(t *testing.T, m *module) {
	for _, c := range []struct{ scenario, env, says string }{
		{"callback", "SEAM_GUARD=sample", ".calls_go called back into Go; it is called through cgo from now on"},
		{"callback", "SEAM_GUARD=all", ".calls_go called back into Go"},
		{"callback", "SEAM_GUARD=off", ".calls_go called back into Go"},
		{"callback", "GOMAXPROCS=1", ".calls_go called back into Go"},
		{"callback", "SEAM_LEAF=cgo", ""},
		{"callback in goroutine", "SEAM_GUARD=", ".calls_go called back into Go"},
		{"callback in goroutine", "SEAM_LEAF=cgo", ""},
		{"callback after demotion", "SEAM_GUARD=", ".calls_go_late took more than"},
		{"callback after demotion", "GOMAXPROCS=1", ".calls_go_late took more than"},
	} {
		t.Run(c.scenario+" with "+c.env, func(t *testing.T) {
			m := m.in(t).set(c.env)
			r := m.run("../welded", c.scenario)
			same(t, m.run("../plain", c.scenario).ok(), r)
			if r.says(c.says); (c.says == "") != (r.errout == "") {
				t.Errorf("standard error:\n%s", r.errout)
			}
		})
	}
}

// Longer stress of the welded program, which checks its own results.
func TestSoakWeld(t *testing.T) {
	t.Parallel()
	testenv.Soak(t)
	guard(t).run("../welded", "soak").ok()
	guard(t, "-race").run("../welded", "stress").ok()
	guard(t, "-gcflags=all=-N -l").run("../welded", "stress").ok()
}

// A welded program that asks package weld sees its functions and what the guard
// has made of them.
func TestStatistics(t *testing.T) {
	t.Parallel()
	m := load(t, "small").withLibrary()
	m.write("stats/main.go", `package main

/*
#include <time.h>

static int quick(int a) { return a; }
static int rare(int a) { return a; }
static int never(int a) { return a; }
static int bounded(int a) { return a; }
static int slow(void)
{
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec < 100000);
	return 1;
}
*/
import "C"

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/weld"
)

func main() {
	for range 1000 {
		C.quick(1)
	}
	for range 200 { // more than enough, whatever the machine does meanwhile
		C.slow()
	}
	C.rare(1)
	for range 3 {
		C.bounded(1)
	}
	if len(weld.ReadStats().Functions) > 1000 {
		C.never(1)
	}
	var list []string
	for _, f := range weld.ReadStats().Functions {
		list = append(list, fmt.Sprint(f.Name, " ", f.State, " ", f.Budget, " ", f.Timed >= 100, " ", f.Over > 3, " ", f.Longest > f.Budget))
	}
	slices.Sort(list)
	fmt.Println(strings.Join(list, "\n"))
	for _, b := range weld.ReadStats().Bounds {
		fmt.Printf("%+v\n", b)
	}
}
`)
	const bound = "{Name:offload:2 example.com/small/stats.bounded Threads:2 Inside:0 Waiting:0 Calls:3 Waited:0 Let:0}\n"
	const stats = "leaf example.com/small/stats."
	m.write("seam.plan", stats+"quick budget=100ms\n"+stats+"slow\n"+stats+"rare budget=100ms\n"+stats+"never\noffload:2 example.com/small/stats.bounded\n")
	m.plain("run", "./stats").ok()
	for env, want := range map[string]string{
		"SEAM_GUARD=sample": `example.com/small/stats.quick leaf 100ms true false false
example.com/small/stats.rare probation 100ms false false false
example.com/small/stats.slow demoted 20µs false true true
`,
		"SEAM_LEAF=cgo": `example.com/small/stats.quick cgo 100ms false false false
example.com/small/stats.rare cgo 100ms false false false
example.com/small/stats.slow cgo 20µs false false false
`,
		"SEAM_GUARD=off": `example.com/small/stats.quick leaf 100ms false false false
example.com/small/stats.rare leaf 100ms false false false
example.com/small/stats.slow leaf 20µs false false false
`,
	} {
		if got := m.in(t).set(env).weld("run", "./stats").ok().out; got != want+bound {
			t.Errorf("%s:\n%s\nwant\n%s", env, got, want+bound)
		}
	}
}
