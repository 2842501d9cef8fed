//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/internal/unwind/ctest"
)

// Handlers take no lock of the dynamic linker's: one that did would wait here for a thread that
// waits for it (ianlancetaylor/cgosymbolizer#15 and #16, cockroachdb/cockroach#63737).
func TestUnderLock(t *testing.T) {
	profile(t, func() {
		if !ctest.UnderLock(1000) {
			t.Error("a handler waits for the dynamic linker's lock")
		}
	}, 1)
}

// Handlers don't allocate: malloc is interrupted each time, as another malloc, and ends the program
// if it is called within itself (libunwind#327, DataDog/dd-trace-dotnet#3661 and #8021).
func TestNoMalloc(t *testing.T) {
	if os.Getenv("SEAM_PROF_MALLOC") != "" {
		samples := profile(t, func() {
			for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
				ctest.Churn(3)
				outer(func() { callsChain(1, 1) })
			}
		}, 1)
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil || !strings.Contains(string(maps), "/malloc.so\n") {
			t.Fatalf("the other malloc isn't there: %v", err)
		}
		fmt.Println("samples:", len(samples))
		return
	}
	testenv.GoProgram(t) // an emulator, and a sanitizer, would have the library too
	dir := t.TempDir()
	source, library := filepath.Join(dir, "malloc.c"), filepath.Join(dir, "malloc.so")
	text := `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static __thread int inside __attribute__((tls_model("initial-exec")));
extern void *__libc_malloc(size_t);
void *malloc(size_t size) {
	if (inside) {
		static const char why[] = "malloc within malloc\n";
		if (write(2, why, sizeof why - 1)) _exit(99);
	}
	inside = 1;
	struct sigaction now;
	if (sigaction(SIGPROF, 0, &now) == 0 && (now.sa_flags & SA_ONSTACK)) {
		raise(SIGPROF);
		raise(SIGURG);
	}
	inside = 0;
	return __libc_malloc(size);
}
`
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), "-O2", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := child.Self(t, "-test.run=^TestNoMalloc$", "-test.v")
	cmd.Env = append(os.Environ(), "SEAM_PROF_MALLOC=1", "LD_PRELOAD="+library)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "samples: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A walk of what is no stack ends, reads nothing that isn't there, and returns no address of Go's,
// for which the runtime had no place among C's (golang/go#44971, jemalloc's walker in
// duckdb/duckdb#22630).
func TestGarbage(t *testing.T) {
	times := 200000
	if testenv.Repeated() || testing.Short() {
		times = 20000
	}
	if n := ctest.Garbage(times, os.Getpid()); n != 0 {
		t.Errorf("%d wrong program counters (seed %d)", n, os.Getpid())
	}
}

// worksInGo works for so much of its thread's CPU time.
//
//go:noinline
func worksInGo(long time.Duration) {
	const thread = 1 // RUSAGE_THREAD
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(thread, &u); err != nil {
			panic(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for end := used() + long; used() < end; {
		for range 100 {
			deeper(20)
		}
	}
}

// Go that C's thread has called is Go's in profiles, also after C that it calls has called Go
// (golang/go#72870).
func TestNestedOnThread(t *testing.T) {
	// All profiles on one thread: of those that come later Go takes no samples, if they get the m of
	// one that has ended.
	var samples []sample
	ctest.CallbackOnThread(func() {
		samples = profile(t, func() {
			inner(func() {})
			worksInGo(300 * time.Millisecond)
		}, 10, here+"worksInGo")
	})
	if s := share(t, samples, here+"worksInGo", here+"worksInGo", "seamProfTestGo", "ctest_1", "ctest_20"); s < 0.95 {
		t.Errorf("%.0f %% of the time in Go has C's thread below it", 100*s)
	}
	for _, s := range samples {
		if slices.Contains(s.stack, "runtime._ExternalCode") && slices.Contains(s.stack, here+"deeper") {
			t.Errorf("Go is external code: %q", s.stack)
		}
	}
}

// crashBy is what a child crashes by: the number of a way, or a library's path.
const crashBy = "SEAM_PROF_CRASH"

// Whatever C crashes by, in whichever thread, the report says where, once, and the program ends as Go
// ends it.
func TestCrashWays(t *testing.T) {
	if how := os.Getenv(crashBy); how != "" {
		if way, err := strconv.Atoi(how); err == nil {
			ctest.CrashBy(way)
		} else {
			ctest.CrashIn(how)
		}
		os.Exit(77)
	}
	crash := func(how string, most int) string {
		cmd := child.Self(t, "-test.run=^TestCrashWays$")
		cmd.Env = append(os.Environ(), crashBy+"="+how)
		out, err := cmd.CombinedOutput()
		// On a thread without a g Go lets the signal end the program.
		if exit, _ := err.(*exec.ExitError); exit == nil || exit.ExitCode() != 2 && exit.ExitCode() != -1 {
			t.Errorf("%s: ended with %v, want 2 or a signal", how, err)
		}
		if n := strings.Count(string(out), "seam: registers:"); n < 1 || n > most {
			t.Errorf("%s: %d reports:\n%s", how, n, out)
		}
		return string(out)
	}
	for i, way := range ctest.Ways {
		if runtime.GOARCH != "amd64" && way.Signal == "SIGFPE" {
			continue // no fault there
		}
		most := 1
		if i == ctest.InThreads { // one may come when the first has told all
			most = 5
		}
		out := crash(strconv.Itoa(i), most)
		want := []string{"seam: " + way.Signal + " in C, at " + way.Func, "\t" + way.Func + "+0x", "\tctest_1+0x", "\tctest_20+0x", "seam: registers:"}
		switch i {
		case ctest.Smashed:
			want = []string{want[0], want[1], "\tctest_smash+0x", "[truncated]", "seam: registers:"}
		case ctest.Jumped:
			want = []string{"seam: SIGSEGV in C, which has called NULL", "\tctest_jump+0x", "\tctest_1+0x", "seam: registers:"}
		case ctest.Wild:
			want = []string{"seam: SIGSEGV in C, which has called or returned to 0x", ", where no code is\n", "\tctest_jump_wild+0x", "\tctest_1+0x", "\tctest_20+0x", "seam: registers:"}
		case ctest.Overflow, ctest.Overflow2, ctest.Overflow4:
			want = []string{want[0], "seam: the stack has overflowed\n", "\t" + way.Func + "+0x", "\t[recursion] " + way.Func + " × ", "\tctest_1+0x", "\tctest_20+0x", "seam: registers:"}
		case ctest.Overflow3:
			want = []string{want[0], "seam: the stack has overflowed\n", "\t" + way.Func + "+0x", "\t[truncated]\n", "seam: registers:"}
		case ctest.Raised:
			want = []string{"seam: SIGSEGV in C, sent by the program itself, at ", "\tctest_raise+0x", "\tctest_1+0x", "\tctest_20+0x", "seam: registers:"}
		}
		rest := out
		for _, w := range want {
			_, after, found := strings.Cut(rest, w)
			if !found {
				t.Errorf("way %d: no %q in its place in:\n%s", i, w, out)
				break
			}
			rest = after
		}
		if i != ctest.Overflow && i != ctest.Overflow2 && i != ctest.Overflow3 && i != ctest.Overflow4 && strings.Contains(out, "overflowed") {
			t.Errorf("way %d is no overflow:\n%s", i, out)
		}
		if way.Signal == "SIGBUS" && !strings.Contains(out, "\nseam: the memory there has no page: the file is shorter") {
			t.Errorf("way %d: not why:\n%s", i, out)
		}
		if !strings.Contains(out, "seam: signals: all handlers are as Go needs them") || strings.Contains(out, "alternate stack") {
			t.Errorf("way %d: nothing was done to signals:\n%s", i, out)
		}
	}
	out := crash(library(t), 1)
	if !inOrder(strings.FieldsFunc(out, func(r rune) bool { return r == '+' || r == '\n' || r == '\t' }), []string{"ctest_crash", "library_2", "run", "ctest_crash_in"}) {
		t.Errorf("in a library:\n%s", out)
	}
}

// Each thread of C's has an alternate stack as long as it lives, no matter how it ends, and the next one gets the same.
func TestAlternateStacks(t *testing.T) {
	threads := 10_000
	if testing.Short() || testenv.Repeated() {
		threads = 1_000
	}
	if different := ctest.ComeAndGo(threads); different < 1 || different > ctest.AtOnce+5 {
		t.Errorf("%d alternate stacks for %d threads, %d at a time", different, threads, ctest.AtOnce)
	}
}
