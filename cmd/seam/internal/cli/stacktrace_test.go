//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/internal/testenv"
)

// seamStack runs seam stack in a process of its own, in a copy of the module testdata/stack
// which is the working folder then.
func seamStack(t *testing.T, stdin string, args ...string) called {
	t.Helper()
	cmd := stackCommand(t.Context(), args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	code := ended(t, cmd.Run())
	return called{code, out.String(), errout.String()}
}

func stackCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"stack"}, args...)...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	return cmd
}

// startWaiting starts a command and waits until its program has written something.
func startWaiting(t *testing.T, cmd *exec.Cmd) (errout *bytes.Buffer) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errout = &bytes.Buffer{}
	cmd.Stderr = errout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	return errout
}

// stackModule copies the module of the tests and goes there. What is built for it is kept
// for the other tests.
func stackModule(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "stack"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", stackCache(t))
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Chdir(dir)
}

var stackCacheOnce sync.Once
var stackCacheDir string

// stackCache is a cache for the traced runtime that lasts as long as this test binary.
func stackCache(t *testing.T) string {
	t.Helper()
	stackCacheOnce.Do(func() {
		dir, err := os.MkdirTemp("", "seam-stack-test-")
		if err != nil {
			t.Fatal(err)
		}
		stackCacheDir = dir
		cleanups = append(cleanups, func() { os.RemoveAll(dir) })
	})
	return stackCacheDir
}

// traced builds the module's program with the tracer.
func tracedProgram(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs("stacked")
	if err != nil {
		t.Fatal(err)
	}
	seamStack(t, "", "trace", "--", "go", "build", "-o", program, ".").must(t, 0, "", "the program logs its stacks when run by seam stack trace")
	return program
}

// report reads what --json wrote.
func stackReport(t *testing.T, name string) *report.File {
	t.Helper()
	file, err := report.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// printed reads a number that the program has printed behind a name.
func printed(t *testing.T, out, name string) int64 {
	t.Helper()
	for line := range strings.Lines(out) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s in %q", name, out)
	return 0
}

// growthsIn counts the growths that some function of the program under test made.
func growthsIn(f *report.File, function string) (count, largest int64) {
	for _, s := range f.Sites {
		if strings.HasSuffix(s.Callee.Func, function) {
			count += s.Count
			largest = max(largest, s.Largest)
		}
	}
	return count, largest
}

// The report agrees with what the program saw of its own stacks and with the runtime's
// statistics, on every version of Go.
func TestStackTraceTruth(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	versions := []string{""}
	if !testing.Short() {
		versions = append(versions, testenv.OtherVersions()...)
	}
	for _, version := range versions {
		t.Run("go="+version, func(t *testing.T) {
			if version != "" {
				t.Setenv("GOTOOLCHAIN", version)
			}
			program := tracedProgram(t)

			got := seamStack(t, "", "trace", "--json", "truth.json", "--procs", "2", "-o", "truth.txt", "--", program, "truth")
			got.must(t, 0, "moves ", "seam: wrote truth.txt")
			file := stackReport(t, "truth.json")
			if version != "" && file.Go != version {
				t.Errorf("the report is of %s", file.Go)
			}
			moves := printed(t, got.out, "moves")
			if count, largest := growthsIn(file, ".deep"); count != moves || largest != 128<<10 {
				t.Errorf("%d growths up to %d B by deep, the program saw %d, up to %d", count, largest, moves, 128<<10)
			}
			// Each of twenty goroutines is parked with its stack of 128 KB: these are
			// allocated one by one, so the runtime's sum is exact.
			inuse := printed(t, got.out, "inuse")
			at := slices.IndexFunc(file.Sizes, func(s report.Size) bool { return s.Bytes == 128<<10 })
			if at < 0 || file.Sizes[at].Peak*file.Sizes[at].Bytes != inuse {
				t.Errorf("stacks of 128 KB: %+v, and the runtime had %d B more in use", file.Sizes, inuse)
			}
			if start := printed(t, got.out, "start"); !slices.Equal(file.Settings.Starts, []int64{start}) || start != 2048 {
				t.Errorf("stacks began with %d B, the runtime says %d", file.Settings.Starts, start)
			}
			if procs := printed(t, got.out, "procs"); procs != 2 || !slices.Contains(file.Settings.Procs, 2) {
				t.Errorf("GOMAXPROCS %d of the report, %d of the program", file.Settings.Procs, procs)
			}
			chain := []int64{2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10}
			if !slices.ContainsFunc(file.Chains, func(c report.Chain) bool {
				return slices.Equal(c.Sizes, chain) && c.Goroutines == 20 && strings.HasPrefix(c.Entry.Func.Func, "sync.(*WaitGroup).Go")
			}) {
				t.Errorf("no chain of 20 goroutines that went %d: %+v", chain, file.Chains)
			}
			for _, s := range file.Sizes {
				if s.Allocs != s.New+s.Grown+s.Shrunk || s.Frees > s.Allocs || s.Peak > s.Allocs {
					t.Errorf("the counts of a size don't add up: %+v", s)
				}
			}

			got = seamStack(t, "", "trace", "--json", "shrink.json", "-o", "shrink.txt", "--", program, "shrink")
			got.must(t, 0, "moves ", "seam: wrote shrink.txt")
			file = stackReport(t, "shrink.json")
			grown, _ := growthsIn(file, ".large")
			if moves := printed(t, got.out, "moves"); grown != 1 || file.Shrink.Count < moves-grown || moves-grown < 3 {
				t.Errorf("%d growths and %d shrinks, the program saw its stack move %d times", grown, file.Shrink.Count, moves)
			}

			// 10 MB of buffers: the stack doubles to 16 MB, and what is in use is
			// copied each time: 15 MB in all.
			got = seamStack(t, "", "trace", "--json", "deep.json", "-o", "deep.txt", "--", program, "deep")
			got.must(t, 0, "moves ", "largest 16 MB")
			file = stackReport(t, "deep.json")
			count, largest := growthsIn(file, ".fill")
			if moves := printed(t, got.out, "moves"); count != moves || largest != 16<<20 || file.Growth.Copied>>20 != 15 {
				t.Errorf("%d growths up to %d B, %d B copied; the program saw %d, to 16 MB", count, largest, file.Growth.Copied, moves)
			}

			ringsAreSeen(t, program)

			// A Println outgrows 2 KB.
			got = seamStack(t, "", "trace", "--json", "hello.json", "-o", "-", "--", program, "hello")
			got.must(t, 0, "hello\n", "")
			file = stackReport(t, "hello.json")
			if !slices.ContainsFunc(file.Chains, func(c report.Chain) bool {
				return strings.HasPrefix(c.Entry.Func.Func, "runtime.main") && len(c.Sizes) > 1 && c.Sizes[0] == 2048 && c.Sizes[1] == 4096
			}) {
				t.Errorf("the main goroutine did not go from 2 to 4 KB: %+v", file.Chains)
			}
			if !strings.Contains(got.out, "2 KB") {
				t.Errorf("the report has no stacks of 2 KB:\n%s", got.out)
			}
		})
	}
}

// ringsAreSeen checks that functions which call each other are found where they do so through
// an interface or a variable, and where another one needs the stack that they have used up.
func ringsAreSeen(t *testing.T, run ...string) {
	t.Helper()
	seamStack(t, "", append(append([]string{"trace", "--json", "rings.json", "-o", "rings.txt", "--"}, run...), "rings")...).must(t, 0, "", "seam: wrote rings.txt")
	functions := func(list []report.Place) string {
		var names []string
		for _, p := range list {
			if !slices.Contains(names, p.Func) {
				names = append(names, p.Func)
			}
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	const both = "main.(*sign).eval main.(*sum).eval"
	missing := map[string]bool{"ring": true, "below": true, "variable": true}
	for _, s := range stackReport(t, "rings.json").Sites {
		switch called := strings.Contains(s.Callee.Func, ").eval"); {
		case called && functions(s.Ring) == both:
			delete(missing, "ring")
		case s.Callee.Func == "main.tip" && strings.HasSuffix(s.Caller.Func, "leaf.eval") && functions(s.Below) == both:
			delete(missing, "below")
		case s.Callee.Func == "main.tip" && functions(s.Below) == s.Caller.Func && len(s.Calls) == 32:
			delete(missing, "variable")
		}
	}
	if len(missing) > 0 {
		text, _ := os.ReadFile("rings.txt")
		t.Errorf("not found: %v\n%s", missing, text)
	}
}

// The tracer does no harm where stacks move while the collector runs, threads are
// interrupted and others print, and loses nothing.
func TestStackTraceStress(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	builds := [][]string{{}, {"-race"}}
	if testing.Short() {
		builds = builds[:1]
	}
	for _, flags := range builds {
		program, err := filepath.Abs("stress")
		if err != nil {
			t.Fatal(err)
		}
		build := append([]string{"trace", "--", "go", "build", "-o", program}, flags...)
		seamStack(t, "", append(build, ".")...).must(t, 0, "", "the program logs its stacks")
		got := seamStack(t, "", "trace", "-o", "r.txt", "--json", "r.json", "--", program, "stress")
		got.must(t, 0, "wrong 0\n", "seam: wrote r.txt")
		file := stackReport(t, "r.json")
		moves := printed(t, got.out, "moves")
		// A stack that shrank and grew between two looks has moved once for the program.
		if copies := file.Growth.Count + file.Shrink.Count; moves < 1000 || copies < moves {
			t.Errorf("%q: %d growths and %d shrinks, the program saw %d moves", flags, file.Growth.Count, file.Shrink.Count, moves)
		}
		if len(flags) == 0 && file.Preempts == 0 {
			t.Error("no goroutine was preempted")
		}
		if file.Log.Unknown != 0 || file.Processes[0].Lost != 0 {
			t.Errorf("%q: %d unknown lines, %d lost", flags, file.Log.Unknown, file.Processes[0].Lost)
		}
		// All three are times of threads that ran, however many there are for a core.
		if p := file.Processes[0]; file.Growth.Time+file.Shrink.Time+p.Tracing > p.CPU {
			t.Errorf("%q: growths took %d ns, shrinks %d and the log %d, of %d ns of CPU time", flags, file.Growth.Time, file.Shrink.Time, p.Tracing, p.CPU)
		}
		lines := 0
		for line := range strings.Lines(got.errout) {
			if strings.HasPrefix(line, "printed by ") {
				lines++
				if len(strings.Fields(line)) != 4 {
					t.Errorf("%q: a torn line: %q", flags, line)
				}
			}
		}
		if lines != 400 {
			t.Errorf("%q: %d of 400 lines that the program printed", flags, lines)
		}
	}
}

// A program for another architecture, which an emulator runs.
func TestStackTraceArm64(t *testing.T) {
	testenv.Builds(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("no need of an emulator")
	}
	testenv.Foreign(t)
	emulator := testenv.Tool(t, "qemu-aarch64")
	stackModule(t)
	t.Setenv("GOARCH", "arm64")
	t.Setenv("CGO_ENABLED", "0")
	got := seamStack(t, "", "trace", "-o", "r.txt", "--json", "r.json", "--", "go", "run", "-exec", emulator, ".", "truth")
	got.must(t, 0, "moves ", "seam: wrote r.txt")
	file := stackReport(t, "r.json")
	moves := printed(t, got.out, "moves")
	if count, largest := growthsIn(file, ".deep"); file.Arch != "arm64" || count != moves || largest != 128<<10 {
		t.Errorf("%s: %d growths up to %d B by deep, the program saw %d, up to %d", file.Arch, count, largest, moves, 128<<10)
	}
	ringsAreSeen(t, "go", "run", "-exec", emulator, ".")
}

// What the program prints, reads and ends with is its own affair.
func TestStackTraceProgram(t *testing.T) {
	testenv.Builds(t)
	stackModule(t)
	program := tracedProgram(t)
	t.Setenv("GODEBUG", "madvdontneed=1")
	for _, c := range []struct {
		args     []string
		stdin    string
		code     int
		out, err string
		nothing  bool // ran
	}{
		{args: []string{"go", "run", ".", "exit"}, code: 3, err: "seam: wrote r.txt"},
		{args: []string{"go", "run", ".", "env", "GODEBUG", "GOROOT"}, out: "GODEBUG=madvdontneed=1,adaptivestackstart=0\nGOROOT="},
		{args: []string{program, "exit"}, code: 3, err: "exit code 3"},
		{args: []string{program, "panic"}, code: 2, err: "panic: as asked\n\ngoroutine 1"},
		{args: []string{program, "overflow"}, code: 2, err: "goroutine stack exceeds 1048576-byte limit"},
		{args: []string{program, "kill"}, code: 137, err: "signal: killed"},
		{args: []string{program, "cat"}, stdin: "through\n", out: "through\n"},
		{args: []string{program, "again"}, out: "hello\nexit status 0"},
		{args: []string{program, "closefiles", "ours.txt"}},
		{args: []string{program, "lookalike"}, err: "stackalloc 4096\n@1 0 1 0 stack grow done\nrunt"},
		{args: []string{"go", "run", "./withc"}, err: "110"},
		{args: []string{"go", "test", "."}, out: "ok"},
		{args: []string{"go", "run", "./broken"}, code: 1, err: "undefined: nothing", nothing: true},
		{args: []string{"go", "test", "./withc"}, code: exitFailed, err: "no traced program ran", nothing: true},
		{args: []string{"make", "all"}, code: exitUsage, err: "want a go command", nothing: true},
		{args: []string{"go", "vet", "."}, code: exitUsage, err: "only go build", nothing: true},
		{args: []string{"./main.go"}, code: exitUsage, err: "main.go", nothing: true},
		{args: []string{"/bin/true"}, code: exitUsage, err: "not a Go", nothing: true},
		{args: []string{os.Args[0]}, code: exitUsage, err: "contains no stack tracer; build it with", nothing: true},
	} {
		name := strings.Join(c.args, " ")
		os.Remove("r.txt")
		os.Remove("r.json")
		if c.args[0] == "./main.go" {
			if err := os.Chmod("main.go", 0o700); err != nil {
				t.Fatal(err)
			}
		}
		got := seamStack(t, c.stdin, append([]string{"trace", "-o", "r.txt", "--json", "r.json", "--"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.out, c.out) || !strings.Contains(got.errout, c.err) {
			t.Errorf("%s: exit code %d, printed %q, said:\n%s\nwant %d, %q, %q", name, got.code, got.out, got.errout, c.code, c.out, c.err)
		}
		_, err := os.Stat("r.json")
		if c.nothing == (err == nil) {
			t.Errorf("%s: report: %v", name, err)
		}
		if err != nil {
			continue
		}
		file := stackReport(t, "r.json")
		switch c.args[len(c.args)-1] {
		case "lookalike": // lines like the tracer's are not taken for its own
			for _, s := range file.Sizes {
				if s.Bytes >= 1<<30 {
					t.Errorf("a line that the program printed became an allocation: %+v", s)
				}
			}
			if !strings.Contains(got.errout, "copystack gp=0xc000002380 [") {
				t.Errorf("what println printed is lost: %q", got.errout)
			}
		case "again":
			if len(file.Processes) != 2 {
				t.Errorf("%d processes, want 2", len(file.Processes))
			}
			for _, p := range file.Processes {
				if p.Symbols != "" {
					t.Errorf("no names for the functions of %+v", p)
				}
			}
		case "ours.txt": // the log must not get into a file of the program
			if text, err := os.ReadFile("ours.txt"); err != nil || string(text) != "ours\n" {
				t.Errorf("the program's file has %q (%v)", text, err)
			}
		case "overflow":
			if len(file.Overflows) != 1 || !strings.HasSuffix(file.Overflows[0].Callee.Func, ".overflow") {
				t.Errorf("overflows: %+v", file.Overflows)
			}
		case "./withc":
			if count, _ := growthsIn(file, ".deep"); count == 0 {
				t.Errorf("no growth by deep: %+v", file.Sites)
			}
		case ".":
			if count, _ := growthsIn(file, ".deep"); count < 3 {
				t.Errorf("%d growths by deep in a test", count)
			}
		}
	}
}

// What a program has logged by itself can be read later.
func TestStackTraceRead(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	program := tracedProgram(t)
	cmd := exec.Command(program, "hello")
	cmd.Env = append(os.Environ(), "SEAM_STACK_LOG=own.log")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Fatalf("%v: %q", err, out)
	}
	if out, err := exec.Command(program, "hello").CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("without a log: %v, %q", err, out)
	}
	own := seamStack(t, "", "trace", "--read", "own.log", "-o", "-", "--json", "own.json", "--html", "own.html", program)
	own.must(t, 0, "2 -> 4 KB", "")
	if strings.Contains(own.out+own.errout, "another build") {
		t.Errorf("the program isn't known again:\n%s%s", own.out, own.errout)
	}
	shown := seamStack(t, "", "trace", "--show", "own.json")
	shown.must(t, 0, "2 -> 4 KB", "")
	if page, err := os.ReadFile("own.html"); err != nil || !bytes.Contains(page, []byte("</html>")) {
		t.Errorf("no page: %v", err)
	}
	// Without the program functions have numbers, and with another build of it.
	seamStack(t, "", "trace", "--read", "own.log").must(t, 0, "0x", "")
	if out, err := exec.Command("go", "build", "-gcflags=-l", "-o", "other", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	other := seamStack(t, "", "trace", "--read", "own.log", "other")
	other.must(t, 0, "it is a different build from other", "")
	other.must(t, 0, "0x", "")
	for _, c := range []struct {
		args string
		code int
		err  string
	}{
		{"", exitUsage, "nothing to trace"},
		{"--read none.log", exitUsage, "none.log"},
		{"--read main.go", exitFailed, "nothing from the stack tracer"},
		{"--read /dev/zero", exitUsage, "neither a file nor a pipe"},
		{"--read .", exitUsage, "neither a file nor a pipe"},
		{"--read own.log main.go", exitUsage, "main.go"},
		{"--show none.json", exitUsage, "none.json"},
		{"--show main.go", exitUsage, "main.go"},
		{"--show", exitUsage, "takes one file"},
		{"--show --json x own.json", exitUsage, "leave out --json"},
		{"--procs=-1 -- go run .", exitUsage, "--procs -1"},
		{"--htlm x.html -- go run .", exitUsage, "unknown flag --htlm"},
		{"-o /nowhere/x -- go run .", exitUsage, "/nowhere"},
		{"-o x --json x -- go run .", exitUsage, "-o and --json both write to x"},
		{"--output= -- go run .", exitUsage, "-o: the file's name is empty"},
		{"--html= -- go run .", exitUsage, "--html: the file's name is empty"},
		{"--log - -- go run .", exitUsage, "the log must be a file"},
	} {
		seamStack(t, "", append([]string{"trace"}, strings.Fields(c.args)...)...).must(t, c.code, "", c.err)
	}
}

// A Go without sources, or with others, is refused before anything is built.
func TestStackTraceOtherGo(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "goroot")
	if err := os.MkdirAll(filepath.Join(other, "src", "runtime"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "src", "runtime", "stack.go"), []byte("package runtime\n\nconst stackDebug = 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]string{
		"/nowhere": "was installed without its sources",
		other:      `it lacks the line that prints "runtime: newstack sp=" while stackDebug is on`,
	} {
		env, err := json.Marshal(map[string]string{"GOVERSION": "go1.99", "GOOS": "linux", "GOARCH": "amd64", "GOROOT": root})
		if err != nil {
			t.Fatal(err)
		}
		tool := filepath.Join(t.TempDir(), "go1.99")
		script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n'env -json '*) echo '%s' ;;\n*) exec '%s' \"$@\" ;;\nesac\n", env, goTool)
		testenv.WriteProgram(t, tool, script)
		seamStack(t, "", "trace", "--", tool, "run", ".").must(t, exitUsage, "", want)
	}
	t.Setenv("GOOS", "windows")
	seamStack(t, "", "trace", "--", "go", "run", ".").must(t, exitUsage, "", "linux/arm64 only")
}

// Ctrl-C ends the program and leaves a report of what there was.
func TestStackTraceInterrupt(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	tracedProgram(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	cmd := stackCommand(t.Context(), "trace", "-o", "r.txt", "--", "go", "run", ".", "wait")
	errout := startWaiting(t, cmd)
	time.Sleep(10 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd.Wait()); code != exitInterrupted {
		t.Errorf("exit code %d:\n%s", code, errout.String())
	}
	if text, err := os.ReadFile("r.txt"); err != nil || !bytes.Contains(text, []byte("2 -> 4 KB")) {
		t.Errorf("no report: %v\n%s", err, text)
	}
	left, err := os.ReadDir(temporary)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
}

// A program that closes all files that it knows nothing of, as daemons do, closes its
// log: what happens from then on is in the report all the same, and the program's own
// files have nothing of it.
func TestStackTraceClosedLog(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	program := tracedProgram(t)
	seamStack(t, "", "trace", "-o", "r.txt", "--json", "r.json", "--", program, "closefiles", "ours.txt").must(t, 0, "", "seam: wrote r.txt")
	if count, largest := growthsIn(stackReport(t, "r.json"), ".deep"); count == 0 || largest < 128<<10 {
		t.Errorf("%d growths by deep, up to %d B: those after the files were closed are missing", count, largest)
	}
	if text, err := os.ReadFile("ours.txt"); err != nil || string(text) != "ours\n" {
		t.Errorf("the program's file has %q, %v", text, err)
	}
}

// A signal that asks seam to end is for the program, which gets that one and no other;
// what it answers is the exit code.
func TestStackTraceSignals(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	program := tracedProgram(t)
	for _, c := range []struct {
		sig  os.Signal
		said string
		args []string
	}{
		{syscall.SIGTERM, "server: terminated\n", []string{"go", "run", "."}},
		{syscall.SIGHUP, "server: hangup\n", []string{program}},
		{os.Interrupt, "server: interrupt\n", []string{program}},
	} {
		cmd := stackCommand(t.Context(), append(append([]string{"trace", "-o", "r.txt", "--"}, c.args...), "serve")...)
		errout := startWaiting(t, cmd)
		if err := cmd.Process.Signal(c.sig); err != nil {
			t.Fatal(err)
		}
		if code := ended(t, cmd.Wait()); code != 42 || strings.Count(errout.String(), "server: ") != 1 || !strings.Contains(errout.String(), c.said) || !strings.Contains(errout.String(), "seam: wrote r.txt") {
			t.Errorf("%v: exit code %d, want 42 and %q:\n%s", c.sig, code, c.said, errout.String())
		}
	}
}

// Ctrl-\ at a terminal goes to all processes: the program ends with its goroutines, and
// the report is written.
func TestStackTraceQuit(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	cmd := stackCommand(t.Context(), "trace", "-o", "r.txt", "--", "go", "run", ".", "wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	errout := startWaiting(t, cmd)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if code := ended(t, cmd.Wait()); code != 2 {
		t.Errorf("exit code %d:\n%s", code, errout.String())
	}
	if n := strings.Count(errout.String(), "SIGQUIT: quit"); n != 1 {
		t.Errorf("%d processes told their goroutines, want the program's alone:\n%s", n, errout.String())
	}
	if text, err := os.ReadFile("r.txt"); err != nil || !bytes.Contains(text, []byte("2 -> 4 KB")) {
		t.Errorf("no report: %v\n%s", err, text)
	}
}

// Threads' numbers are never used again: a program that ends threads and starts others
// comes to large ones, and nothing is lost.
func TestStackTraceThreads(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	program := tracedProgram(t)
	seamStack(t, "", "trace", "-o", "r.txt", "--json", "r.json", "--", program, "threads", "1100").must(t, 0, "", "seam: wrote r.txt")
	file := stackReport(t, "r.json")
	// Each thread has a stack of 32 KB for signals.
	signal := slices.IndexFunc(file.Sizes, func(s report.Size) bool { return s.Bytes == 32<<10 })
	if signal < 0 || file.Sizes[signal].New < 1100 || file.Processes[0].Lost != 0 {
		t.Errorf("%d events lost, stacks %+v", file.Processes[0].Lost, file.Sizes)
	}
}

// A program that finds nobody at its log's other end runs all the same, as one does that is
// started after seam has been killed.
func TestStackTraceNobodyReads(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	program := tracedProgram(t)
	pipe, err := filepath.Abs("pipe")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), "SEAM_STACK_LOG="+pipe)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("%v: %q", err, out)
	}
}

// The log's descriptor is far above those that a program's own files get, also where few
// files are allowed.
func TestStackTraceDescriptor(t *testing.T) {
	testenv.OtherProgram(t)
	stackModule(t)
	program := tracedProgram(t)
	log, err := filepath.Abs("log")
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[string]int64{"1024": 900, "64": 56} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -n "+limit+" && exec "+program+" descriptor "+log)
		cmd.Env = append(os.Environ(), "SEAM_STACK_LOG="+log)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := printed(t, string(out), "descriptor"); got != want {
			t.Errorf("of %s files it is %d, want %d", limit, got, want)
		}
	}
}
