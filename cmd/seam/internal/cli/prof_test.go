//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/prof"
	testchild "github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// busyModule writes a module whose program is half a second of CPU time in C, by way of a
// callback, and whose test too.
func busyModule(t *testing.T) string {
	t.Helper()
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/busy\n\ngo 1.25.0\n",
		"main.go": `package main; import "os" // the package clause is not alone

import ("fmt"; "path/filepath"; "syscall"; "time")

func main() {
	switch what := append(os.Args, "")[1]; what {
	case "fail":
		Busy()
		os.Exit(7)
	case "crash":
		for recorded := 0; recorded == 0; { // a crash loses the last stretch
			Busy()
			files, _ := filepath.Glob(os.Getenv("SEAM_PROF") + "/*.prof")
			recorded = len(files)
		}
		panic("crashed")
	case "killed":
		time.Sleep(300 * time.Millisecond) // in which there is no sample
		for range 4 {
			Busy()
		}
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "own":
		own()
	case "truth":
		Truth()
	case "wait":
		Wait()
	case "handlers":
		handlers()
	case "fault":
		fault()
	case "serve":
		fmt.Println("serving")
		for {
			Busy()
			Wait()
		}
	case "close":
		closeAll()
		Busy()
	default:
		Busy()
		os.Stdout.WriteString("done\n")
	}
}
`,
		"busy.go": `package main

// #include "busy.h"
import "C"

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
)

//export goBack
func goBack() { C.burn() }

//export goDeep
func goDeep() { C.deep() }

func Busy() { C.outer() }

func Truth() { C.shallow(); C.outer_deep(); C.holder(); C.tail_first(0); C.nested(12) }

func Wait() {
	var mu sync.Mutex
	mu.Lock()
	go waitForMutex(&mu)
	C.wait_in_c()
	mu.Unlock()
}

func waitForMutex(mu *sync.Mutex) { mu.Lock(); mu.Unlock() }

// own stops what it hasn't begun, as package testing does after such an error.
func own() {
	fmt.Println(pprof.StartCPUProfile(os.Stdout))
	pprof.StopCPUProfile()
	Busy()
}

func handlers() { C.bad_handlers() }

func fault() { C.fault() }

func closeAll() { C.close_all() }
`,
		"busy.h": "void outer(void);\nvoid burn(void);\nvoid close_all(void);\nvoid shallow(void);\nvoid deep(void);\nvoid outer_deep(void);\nvoid holder(void);\nlong tail_first(long more);\nvoid nested(int frames);\nvoid wait_in_c(void);\nvoid bad_handlers(void);\nvoid fault(void);\n",
		"busy.c": `#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "busy.h"
#include "_cgo_export.h"
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void inlined(void) {
	for (int i = 0; i < 1000000; i++) sink += i;
}
__attribute__((noinline)) void burn(void) {
	struct timespec from, to;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		inlined();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	} while ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec < 500000000);
	sink++;
}
__attribute__((noinline)) void outer(void) { goBack(); sink++; }
static inline __attribute__((always_inline)) void spin(long ns) {
	struct timespec from, to;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		for (int i = 0; i < 10000; i++) sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	} while ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec < ns);
}
__attribute__((noinline)) void shallow(void) { spin(400000000); sink++; }
__attribute__((noinline)) void deep(void) { spin(800000000); sink++; }
static inline __attribute__((always_inline)) void part(void) { spin(300000000); }
__attribute__((noinline)) void holder(void) { part(); sink++; }
__attribute__((noinline)) long tail_end(long more) { spin(300000000 + more); return sink; }
__attribute__((noinline)) long tail_first(long more) { return tail_end(more + 1); } // a jump
__attribute__((noinline)) void nested(int frames) {
	if (frames == 1)
		spin(200000000);
	else
		nested(frames - 1);
	sink++;
}
__attribute__((noinline)) void outer_deep(void) { goDeep(); sink++; }
// As long as it takes, whatever signals come.
static __attribute__((noinline)) void sleeps(struct timespec *until) {
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, until, NULL) != 0)
		;
	sink++;
}
__attribute__((noinline)) void wait_in_c(void) {
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	sleeps(&until);
	sink++;
}
static inline __attribute__((always_inline)) void writes(int *p) { *(volatile int *)p = 1; }
__attribute__((noinline)) void fault(void) { writes((int *)8); sink++; }
void bad_handler(int sig) { (void)sig; }
void bad_handlers(void) {
	struct sigaction a = {.sa_handler = bad_handler};
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGSEGV, &a, NULL);
}
// Go's own poller stays: no Go program lives without it.
void close_all(void) {
	for (int fd = 3; fd < 2000; fd++) {
		char link[40], to[64];
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		long n = readlink(link, to, sizeof to - 1);
		if (n <= 0)
			continue; // the poller may be opening it
		to[n] = 0;
		if (!strstr(to, "anon_inode"))
			close(fd);
	}
}
`,
		"busy_test.go": "package main\n\nimport \"testing\"\n\nfunc TestBusy(t *testing.T) { Busy() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func seamProf(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	s := &session{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &out, stderr: &errs}
	code = conclude(&errs, s.run(append([]string{"prof"}, args...)))
	return code, out.String(), errs.String()
}

func readProfile(t *testing.T, name string) *profile.Profile {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hasChain reports whether a stack of the profile has these functions, innermost first, with
// others in between.
func hasChain(t *testing.T, name string, chain ...string) bool {
	t.Helper()
	p := readProfile(t, name)
	return slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool {
		rest := chain
		for _, l := range s.Location {
			for _, line := range l.Line {
				if len(rest) > 0 && line.Function.Name == rest[0] {
					rest = rest[1:]
				}
			}
		}
		return len(rest) == 0
	})
}

// sampled calls a test until it is true, a few times at most: on a busy machine the kernel
// takes few of the samples that it was asked for, sometimes none in half a second.
func sampled(test func() bool) bool {
	for range 8 {
		if test() {
			return true
		}
	}
	return false
}

// One stack goes from a function inlined in C through a callback and down to the entry of
// main or of the test.
func TestProfJoinsStacks(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	result := filepath.Join(dir, "cpu.pprof")
	page := filepath.Join(dir, "cpu.html")
	exe := filepath.Join(dir, "busy")
	var diff []string // of the second with the first
	for _, c := range []struct {
		args, pkg, entry, stdout string
	}{
		{"go run -C % .", "main", "runtime.main", "done\n"},
		{"go test -C % .", "example.com/busy", "testing.tRunner", "ok "},
	} {
		args := append([]string{"-o", result, "--html", page}, append(diff, "--")...)
		args = append(args, strings.Fields(strings.ReplaceAll(c.args, "%", dir))...)
		chain := []string{"inlined", "burn", c.pkg + "._Cfunc_burn", c.pkg + ".goBack", "outer", c.pkg + "._Cfunc_outer", c.pkg + ".Busy", c.entry}
		var stderr string
		joined := sampled(func() bool {
			var code int
			var stdout string
			code, stdout, stderr = seamProf(args...)
			if code != 0 || !strings.HasPrefix(stdout, c.stdout) || !strings.Contains(stderr, "seam: wrote "+result) {
				t.Fatalf("%s: code %d, %q\n%s", c.args, code, stdout, stderr)
			}
			return hasChain(t, result, chain...)
		})
		if diff != nil && !strings.Contains(stderr, "before %") {
			t.Errorf("%s: no comparison:\n%s", c.args, stderr)
		}
		diff = []string{"--diff", result}
		if !joined {
			t.Errorf("%s: no stack has all of it:\n%s", c.args, stderr)
		}
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("busy.goBack")) {
		t.Errorf("the page: %v", err)
	}

	// A program that is built first records when it is run by seam prof, however it ends.
	if code, _, stderr := seamProf("--", "go", "build", "-C", dir, "-o", exe, "."); code != 0 || !strings.Contains(stderr, "run by: seam prof") {
		t.Fatalf("build: code %d\n%s", code, stderr)
	}
	for _, c := range []struct {
		arg    string
		code   int
		stderr string
	}{
		{"", 0, "burn"},
		{"fail", 7, "burn"},
		{"crash", 2, "burn"},
		{"killed", 3, "burn"},
		{"close", 0, "burn"},
		{"own", 0, "burn"},
	} {
		var stdout, stderr string
		found := sampled(func() bool {
			var code int
			if code, stdout, stderr = seamProf("--", exe, c.arg); code != c.code {
				t.Fatalf("%q: code %d, %q\n%s", c.arg, code, stdout, stderr)
			}
			return strings.Contains(stderr, c.stderr)
		})
		if !found {
			t.Errorf("%q: no %q in\n%s", c.arg, c.stderr, stderr)
		}
		if c.arg == "own" && !strings.Contains(stdout, "cpu profiling already in use") {
			t.Errorf("a profile of its own: %q", stdout)
		}
	}
	if out, err := gotool.Run(t.Context(), gotool.Cmd{Args: []string{exe}, Dir: dir}); err != nil || string(out) != "done\n" {
		t.Errorf("by itself: %q, %v", out, err)
	}
}

// A crash in C is said again with lines, at once or from a report that was kept.
func TestProfCrash(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	exe := builtForProf(t, dir, "busy")
	lines := []string{"\twrites (inlined)\n\t\t" + dir + "/busy.c:", "\tfault\n\t\t" + dir + "/busy.c:"}
	code, _, stderr := seamProf("--", exe, "fault")
	if code != 2 || strings.Count(stderr, "seam: the crash in C again, with lines:\nseam: SIGSEGV in C, at writes "+dir+"/busy.c:") != 1 {
		t.Errorf("code %d\n%s", code, stderr)
	}
	for _, want := range lines {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}

	report := filepath.Join(dir, "report")
	cmd := testchild.Program(t, exe, "fault")
	out, _ := cmd.CombinedOutput() // it crashes
	if err := os.WriteFile(report, out, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{report + " " + exe, exitOK, append(lines, "SIGSEGV: segmentation violation", "main.fault")},
		{report, exitUsage, []string{"name its file: seam prof --crash " + report + " PROGRAM"}},
		{report + " " + exe + " more", exitUsage, []string{"takes the program that crashed, and nothing else"}},
		{report + " " + dir + "/none", exitUsage, []string{"no such file"}},
		{report + " " + dir + "/busy.c", exitFailed, []string{"bad magic number", "none got a line"}},
		{dir + "/busy.c " + exe, exitFailed, []string{"no report of a crash in C was found in it"}},
		{dir + "/none " + exe, exitUsage, []string{"no such file"}},
	} {
		code, stdout, stderr := seamProf(append([]string{"--crash"}, strings.Fields(c.args)...)...)
		if code != c.code {
			t.Errorf("%q: code %d, want %d\n%s", c.args, code, c.code, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("%q: no %q in\n%s%s", c.args, want, stdout, stderr)
			}
		}
	}
}

// Another build of the program names nothing, since its functions lie elsewhere.
func TestProfCrashOfOtherBuild(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	exe := builtForProf(t, dir, "busy")
	out, _ := testchild.Program(t, exe, "fault").CombinedOutput() // it crashes
	report, source := filepath.Join(dir, "report"), filepath.Join(dir, "busy.c")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(report, out, 0o600), os.WriteFile(source, append([]byte("\n\n"), text...), 0o600)); err != nil {
		t.Fatal(err)
	}
	other := builtForProf(t, dir, "other")
	code, stdout, stderr := seamProf("--crash", report, other)
	if code != exitFailed || stdout != string(out) || !strings.Contains(stderr, "other is not the file that crashed, but another build: its build ID is ") {
		t.Errorf("code %d\n%s%s", code, stderr, stdout)
	}
	code, stdout, stderr = seamProf("--crash", report, "--json", dir+"/crash.json", exe)
	event, err := os.ReadFile(dir + "/crash.json")
	if code != exitOK || err != nil || !strings.Contains(string(event), `"type":"SIGSEGV"`) || !strings.Contains(string(event), `"abs_path":"`+source) {
		t.Errorf("code %d, %v\n%s%s\n%s", code, err, stderr, stdout, event)
	}
}

// hasWaited reports whether a stack of a profile's that has all these functions, innermost
// first, has waited, and used no CPU time.
func hasWaited(t *testing.T, name string, chain ...string) bool {
	t.Helper()
	p := readProfile(t, name)
	wall := slices.IndexFunc(p.SampleType, func(of *profile.ValueType) bool { return of.Type == "wall" })
	if wall < 0 {
		t.Fatal("there is no type wall")
	}
	return slices.ContainsFunc(p.Sample, func(s *profile.Sample) bool {
		rest := chain
		for _, l := range s.Location {
			for _, line := range l.Line {
				if len(rest) > 0 && line.Function.Name == rest[0] {
					rest = rest[1:]
				}
			}
		}
		return len(rest) == 0 && s.Value[wall] > 0
	})
}

// Where goroutines wait, in C with its stack, and in Go.
func TestProfWall(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	result, page := filepath.Join(dir, "wall.pprof"), filepath.Join(dir, "wall.html")
	var stderr string
	if !sampled(func() bool {
		var code int
		if code, _, stderr = seamProf("-o", result, "--html", page, "--", "go", "run", "-C", dir, ".", "wait"); code != 0 {
			t.Fatalf("code %d\n%s", code, stderr)
		}
		return hasWaited(t, result, "sleeps", "wait_in_c", "runtime.cgocall", "main._Cfunc_wait_in_c", "main.Wait", "main.main", "runtime.main") &&
			hasWaited(t, result, "runtime.gopark", "sync.(*Mutex).Lock", "main.waitForMutex")
	}) {
		t.Errorf("what waits is not in the profile:\n%s", stderr)
	}
	for _, want := range []string{"waiting", "wait_in_c", "main.waitForMutex"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the report lacks %q:\n%s", want, stderr)
		}
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte(`"types":["cpu","wall","crossings"]`)) {
		t.Errorf("the page has no switch: %v", err)
	}
}

// A program with traceback functions of its own keeps them, whenever it registers them, and its C
// is told apart as far as can be.
func TestProfYields(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/other\n\ngo 1.25.0\n",
		"main.go": `package main

// static volatile long s;
// static void burn(void) { for (long i = 0; i < 300000000; i++) s += i; }
// static void nothing(void *arg) { (void)arg; }
// static void *address(void) { return nothing; }
import "C"

import "runtime"

func main() { Busy() }

func Busy() { C.burn() }

func init() { runtime.SetCgoTraceback(0, C.address(), nil, nil) }
`,
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestBusy(t *testing.T) { Busy() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"run"}, {"test", "-v"}} { // without -v go test shows nothing
		code, stdout, stderr := seamProf(slices.Concat([]string{"--", "go", args[0], "-C", dir}, args[1:], []string{"."})...)
		text := strings.Join(strings.Fields(stdout+stderr), " ") // go test makes one of both
		for _, want := range []string{"example.com/other calls runtime.SetCgoTraceback: its frames of C are shown", "C was not seen (example.com/other calls", " C.burn "} {
			if code != 0 || !strings.Contains(text, want) {
				t.Errorf("go %s: code %d, no %q in\n%s%s", args[0], code, want, stdout, stderr)
			}
		}
	}
}

// What the report says to type next is what the shell takes.
func TestShellLine(t *testing.T) {
	got := shellLine([]string{"go", "test", "-bench", "A$|B", "-run=^$", "./...", "it's", ""})
	if want := `go test -bench 'A$|B' '-run=^$' ./... 'it'\''s' ''`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A program that is welded is traced without that.
func TestWithoutToolexec(t *testing.T) {
	for _, line := range []string{"go test -toolexec seam . -v", "go test --toolexec seam . -v", "go test -toolexec=seam . -v", "go test --toolexec=seam . -v", "go test . -v"} {
		if got := shellLine(withoutToolexec(strings.Fields(line))); got != "go test . -v" {
			t.Errorf("%s becomes %s", line, got)
		}
	}
}

// Goroutines that wait for C on a coroutine have its stack, each that of its own, whichever way
// coroutines run and goroutines that wait.
func TestProfWallCoroutines(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	result := filepath.Join(t.TempDir(), "wall.pprof")
	const entry = "seam_coro_entry"
	chains := [][]string{
		{"seam_wait_fd", "deep_file", "waits_for_file", entry, "main.lockedFile", "main.main.func2"},
		{"seam_wait_fd", "deep_file", "waits_for_file", entry, "main.floatingFile"},
		{"seam_wait_fd", "deep_file", "waits_for_file", entry, "main.executorFile"},
		{"seam_sleep", "deep_sleep", "sleeps", entry, "main.lockedSleep"},
		{"seam_sleep", "deep_sleep", "sleeps", entry, "main.executorSleep"},
		{"runtime.gopark", "main.waitInGo", "seam_upcall", "deep_call", "calls_go", entry, "main.lockedCall"},
		{"runtime.gopark", "main.waitInGo", "seam_upcall", "deep_call", "calls_go", entry, "main.executorCall"},
		{"deep_block", "blocks", entry, "main.executorBlocks", "main.main"},
		{"deep_block", "blocks", entry, "main.lockedBlocks", "main.main", "runtime.main"},
	}
	var stderr string
	if !sampled(func() bool {
		var code int
		if code, _, stderr = seamProf("-o", result, "--all", "--", "go", "run", "./testdata/coroutines"); code != 0 {
			t.Fatalf("code %d\n%s", code, stderr)
		}
		for _, other := range [][]string{{"deep_sleep", "main.executorFile"}, {"deep_file", "main.executorSleep"}, {"seam_switch_native_", "main.lockedBlocks"}} {
			if hasWaited(t, result, other...) {
				t.Fatalf("a goroutine has the stack of another one's C: %q\n%s", other, stderr)
			}
		}
		return !slices.ContainsFunc(chains, func(chain []string) bool { return !hasWaited(t, result, chain...) })
	}) {
		for _, chain := range chains {
			if !hasWaited(t, result, chain...) {
				t.Errorf("not in the profile: %q", chain)
			}
		}
		t.Errorf("the report:\n%s", stderr)
	}
	for _, want := range []string{"waits_for_file … seam_wait_fd", "main.lockedFile", "main.executorSleep"} {
		if !strings.Contains(strings.ReplaceAll(stderr, "...", "…"), want) {
			t.Errorf("the report lacks %q:\n%s", want, stderr)
		}
	}
}

// Ten thousand coroutines at once have their stacks, too.
func TestProfWallManyCoroutines(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	result := filepath.Join(t.TempDir(), "wall.pprof")
	var all, whole int64
	var stderr string
	long := 4 * time.Second
	if !sampled(func() bool {
		// A look at so many may take all that the recorder may use in a few seconds.
		defer func() { long = min(2*long, 32*time.Second) }()
		var code int
		if code, _, stderr = seamProf("-o", result, "--all", "--", "go", "run", "./testdata/coroutines", long.String()); code != 0 {
			t.Fatalf("code %d\n%s", code, stderr)
		}
		p := readProfile(t, result)
		wall := slices.IndexFunc(p.SampleType, func(of *profile.ValueType) bool { return of.Type == "wall" })
		all, whole = 0, 0
		for _, s := range p.Sample {
			has := func(name string) bool {
				return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
					return slices.ContainsFunc(l.Line, func(line profile.Line) bool { return line.Function.Name == name })
				})
			}
			if has("main.executorSleep") { // on a busy machine many wait for a worker: they have no C yet
				all += s.Value[wall]
				if has("deep_sleep") {
					whole += s.Value[wall]
				}
			}
		}
		t.Logf("%.1f %% of %.0f s", 100*float64(whole)/float64(max(all, 1)), float64(all)/1e9)
		return all > 0 && float64(whole) >= 0.9*float64(all)
	}) {
		t.Errorf("of %d ns that goroutines wait for coroutines %d have the stack of C\n%s", all, whole, stderr)
	}
}

// A process that runs is profiled, more than once, and goes on.
func TestProfPID(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	result, exe := filepath.Join(dir, "pid.pprof"), builtForProf(t, dir, "busy")
	cmd := testchild.Program(t, exe, "serve")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(exe); err != nil { // as a build does that replaces it
		t.Fatal(err)
	}
	pid := strconv.Itoa(cmd.Process.Pid)
	var stderr string
	if !sampled(func() bool {
		var code int
		if code, _, stderr = seamProf("--pid", pid, "--for", "3s", "-o", result); code != 0 {
			t.Fatalf("code %d\n%s", code, stderr)
		}
		return hasChain(t, result, "burn", "main.goBack", "outer", "main.Busy", "main.main") && hasWaited(t, result, "sleeps", "wait_in_c", "main.Wait")
	}) {
		t.Errorf("not all is in the profile:\n%s", stderr)
	}
	for _, c := range []struct{ args, err string }{
		{"--pid " + strconv.Itoa(os.Getpid()), "doesn't listen, as what records is in the program: build it"},
		{"--pid 999999999", "there is no process 999999999"},
		{"--pid " + pid + " -- go test", "leave one out"},
		{"--pid 0", "more than 0"},
		{"--pid " + pid + " --for 0s", "more than 0"},
	} {
		if code, _, stderr := seamProf(strings.Fields(c.args)...); code == 0 || !strings.Contains(stderr, c.err) {
			t.Errorf("%q: code %d, %q; want %q", c.args, code, stderr, c.err)
		}
	}
}

// builtForProf is a program that seam prof has built, of the module in dir.
func builtForProf(t *testing.T, dir, name string) string {
	t.Helper()
	exe := filepath.Join(dir, name)
	if code, _, stderr := seamProf("--", "go", "build", "-C", dir, "-o", exe, "."); code != 0 {
		t.Fatalf("build: code %d\n%s", code, stderr)
	}
	return exe
}

// A program is run to see what C does to its handlers of signals.
func TestDoctorProgram(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	exe := builtForProf(t, dir, "busy")
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{exe + " -- wait", exitOK, []string{"signals: all handlers are as Go needs them. It ended by itself."}},
		{exe + " --for 4s -- serve", exitOK, []string{"all handlers are as Go needs them. It was ended after 4s."}},
		{exe + " -- handlers", exitFinding, []string{"signals: SIGSEGV is handled by bad_handler", "in Go's place", "signals: SIGUSR1 is handled by bad_handler", "without SA_ONSTACK", "2 findings"}},
		{exe + " --for 0s", exitUsage, []string{"more than 0"}},
		{exe + " --json -", exitUsage, []string{"leave it out"}},
		{"/bin/sh", exitUsage, []string{"build it with: seam prof -- go build"}},
		{dir + "/none", exitUsage, []string{"no such file"}},
	} {
		var out, errs bytes.Buffer
		s := &session{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &out, stderr: &errs}
		code := conclude(&errs, s.run(append([]string{"doctor", "--program"}, strings.Fields(c.args)...)))
		all := out.String() + errs.String()
		if code != c.code {
			t.Errorf("%q: code %d, want %d\n%s", c.args, code, c.code, all)
		}
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%q: no %q in\n%s", c.args, want, all)
			}
		}
	}
}

// What functions have of the CPU time is known: one right below main, one below a callback, one
// inlined, one that is jumped to, and one that calls itself. The profile says so: within 3 %, and
// what chance makes of so many samples. They end by their thread's CPU clock, so the machine's
// load changes nothing.
func TestProfIsTrue(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	result := filepath.Join(dir, "cpu.pprof")
	parts := map[string]float64{"shallow": 0.2, "deep": 0.4, "part": 0.15, "tail_end": 0.15, "nested": 0.1}
	const levels = 12             // of nested
	times := map[string]float64{} // samples of all runs together
	counted := map[int]float64{}  // samples by how many frames of nested they have
	const enough, most = 300, 6   // samples, runs: a busy machine takes fewer than it was asked for
	all := func() (n float64) {
		for name := range parts {
			n += times[name]
		}
		return n
	}
	for range most {
		if code, _, stderr := seamProf("--rate", "250", "-o", result, "--", "go", "run", "-C", dir, ".", "truth"); code != 0 {
			t.Fatalf("code %d\n%s", code, stderr)
		}
		p, err := prof.Load(result)
		if err != nil {
			t.Fatal(err)
		}
		if p.Period == 0 {
			continue // not one sample
		}
		for _, c := range p.Top(0) {
			times[c.Func] += float64(c.All) / float64(p.Period)
		}
		for _, s := range p.Stacks {
			n := 0
			for _, f := range s.Frames {
				if p.Frames[f].Func == "nested" {
					n++
				}
			}
			if n > 0 {
				counted[n] += float64(s.Values[0]) / float64(p.Period)
			}
		}
		// The kernel's own count, of 2 s, or two thirds of it at least: see scaleOf in package prof.
		// Of few samples nothing is said.
		if total := float64(p.Total(0)) / 1e9; p.Total(0)/p.Period >= 60 && (total < 1.3 || total > 3) {
			t.Errorf("%.2f s of CPU time, want 2", total)
		}
		if all() >= enough {
			break
		}
	}
	n := all()
	const within, sure = 0.03, 3.7 // of 1000 true profiles one has a share further off by chance, of five
	for name, want := range parts {
		if got, off := times[name]/n, within+sure*math.Sqrt(want*(1-want)/n); !(math.Abs(got-want) <= off) {
			t.Errorf("of %.0f samples %s has a share of %.3f, want %.2f and at most %.3f off", n, name, got, want, off)
		}
		t.Logf("%s: %.3f of %.0f samples, %.2f by construction", name, times[name]/n, n, want)
	}
	// The stacks below are whole: who calls has the time of who is called. A function that jumps
	// has none, for it is over.
	for _, c := range []struct{ caller, callee string }{{"outer_deep", "deep"}, {"main.goDeep", "deep"}, {"main.Truth", "deep"}, {"main.Truth", "shallow"},
		{"holder", "part"}, {"main.Truth", "part"}, {"main.Truth", "tail_end"}, {"main.Truth", "nested"}} {
		if a, b := times[c.caller], times[c.callee]; !(a >= 0.95*b) {
			t.Errorf("%s has %.0f samples, and %s, which it calls, %.0f", c.caller, a, c.callee, b)
		}
	}
	if got := times["tail_first"]; got > 0.05*times["tail_end"] {
		t.Errorf("tail_first, which jumps, has %.0f samples of the %.0f that its end has", got, times["tail_end"])
	}
	// Of few samples one may be on the way in or out.
	if got := counted[levels]; !(got >= 0.95*times["nested"]-1) {
		t.Errorf("%.0f of %.0f samples of nested have its %d frames: %v", got, times["nested"], levels, counted)
	}
}

// C in a plugin, which has Go code of its own that C's callers are, is joined.
func TestProfPlugin(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/host\n\ngo 1.25.0\n",
		"main.go": `package main

import "C"
import ("os"; "plugin")

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil { panic(err) }
	work, err := p.Lookup("Work")
	if err != nil { panic(err) }
	work.(func())()
}
`,
		"p/p.go": `package main

// static volatile long s;
// static void burn(void) { for (long i = 0; i < 10000000; i++) s += i; }
import "C"

func Work() { for range 40 { C.burn() } }
`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plugin := filepath.Join(dir, "p.so")
	if _, err := gotool.Run(t.Context(), gotool.Cmd{Args: []string{"go", "build", "-buildmode=plugin", "-o", plugin, "./p"}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	exe := builtForProf(t, dir, "host")
	folded := filepath.Join(dir, "folded")
	var text []byte
	if !sampled(func() bool {
		if code, _, stderr := seamProf("--folded", folded, "--", exe, plugin); code != 0 {
			t.Fatalf("code %d\n%s", code, stderr)
		}
		var err error
		if text, err = os.ReadFile(folded); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) { // in the first moments the plugin is not known yet
			if strings.Contains(line, "burn") && strings.HasPrefix(line, "runtime.main;main.main;") && !strings.Contains(line, "[truncated]") {
				return true
			}
		}
		return false
	}) {
		t.Errorf("no whole stack in\n%s", text)
	}
}

// What is no program of Go's may start one.
func TestProfScript(t *testing.T) {
	testenv.OtherProgram(t)
	dir := busyModule(t)
	plain := filepath.Join(dir, "plain")
	if _, err := gotool.Run(t.Context(), gotool.Cmd{Args: []string{"go", "build", "-o", plain, "."}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := seamProf("--", plain); code != exitUsage || !strings.Contains(stderr, "can't record; build it with: seam prof -- go build") {
		t.Errorf("of a program of Go's: code %d: %s", code, stderr)
	}
	exe := builtForProf(t, dir, "busy")
	if !sampled(func() bool {
		code, _, stderr := seamProf("--", "/bin/sh", "-c", exe+"; true")
		if code != 0 {
			t.Fatalf("code %d\n%s", code, stderr)
		}
		return strings.Contains(stderr, " burn ")
	}) {
		t.Error("no sample of the program that a script has started")
	}
	if code, _, stderr := seamProf("--", "/bin/true"); code != exitFailed || !strings.Contains(stderr, "nothing was recorded") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestProfRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, err string }{
		{"", "nothing to profile"},
		{"--rate 0 -- go test", "--rate 0"},
		{"-- go vet", "only go build, install, run, test"},
		{"-- go test -cpuprofile x", "-cpuprofile takes the profile"},
		{"-- " + dir + "/none", "want a go command, or a program"},
		{"-o " + dir + "/x --folded " + dir + "/x -- go test", "both write to"},
		{"-- go run example.com/x@latest", "package@version"},
		{"--diff " + dir + "/none -- go test", "no such file"},
		{"--diff prof_test.go -- go test", "no profile of pprof's"},
	} {
		if code, _, stderr := seamProf(strings.Fields(c.args)...); code != exitUsage || !strings.Contains(stderr, c.err) {
			t.Errorf("%q: code %d, %q; want %q", c.args, code, stderr, c.err)
		}
	}
}
