//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/internal/testenv"
)

// tracedModule is a module with a C function of every kind.
func tracedModule(t *testing.T) string {
	t.Helper()
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	dir, err := filepath.Abs("testdata/traced")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// traced runs seam trace and reads the trace. Code is that of the exit.
func traced(t *testing.T, args ...string) (f *calltrace.File, code int, stdout, stderr string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "seam.trace")
	var out, errs bytes.Buffer
	s := testSession(context.Background(), strings.NewReader(""), &out, &errs)
	code = conclude(&errs, s.run(append([]string{"trace", "-o", name}, args...)))
	if _, err := os.Stat(name); err == nil {
		if f, err = calltrace.Read(name); err != nil {
			t.Fatal(err)
		}
	}
	return f, code, out.String(), errs.String()
}

// figure finds one function.
func figure(t *testing.T, f *calltrace.File, pkg, name string) *calltrace.Function {
	t.Helper()
	if f == nil {
		t.Fatal("no trace was written")
	}
	for i := range f.Functions {
		if x := &f.Functions[i]; x.Package == "example.com/traced/"+pkg && x.Name == name {
			return x
		}
	}
	t.Fatalf("no %s.%s in the trace", pkg, name)
	return nil
}

func TestTraceOfTests(t *testing.T) {
	testenv.OtherProgram(t)
	dir := tracedModule(t)
	for _, c := range []struct {
		name  string
		flags []string
		env   []string
	}{
		{name: "plain"},
		{name: "race and cover", flags: []string{"-race", "-cover"}},
		{name: "no optimisation", flags: []string{"-gcflags=all=-N -l"}, env: []string{"CGO_CFLAGS=-O0 -g"}},
		{name: "one processor and a profile", flags: []string{"-cpu=1", "-cpuprofile=/dev/null", "-o", filepath.Join(t.TempDir(), "test")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range c.env {
				key, value, _ := strings.Cut(e, "=")
				t.Setenv(key, value)
			}
			packages := []string{"./..."}
			if strings.Contains(strings.Join(c.flags, " "), "-o") && len(c.flags) == 4 {
				packages = []string{"./lib"} // a profile is for one package
			}
			args := append(append([]string{"--", "go", "test", "-C", dir}, c.flags...), packages...)
			f, code, stdout, stderr := traced(t, args...)
			if code != 0 || !strings.Contains(stdout, "ok  \texample.com/traced/lib") {
				t.Fatalf("code %d\n%s%s", code, stdout, stderr)
			}
			both := len(packages) == 1 && packages[0] == "./..."
			type counts struct{ calls, callbacks uint64 }
			quick, processes := counts{calls: 1004}, 1
			if both {
				quick.calls++ // of package other
				processes = 2
			}
			want := map[string]counts{
				"lib quick": quick, "lib nothing": {calls: 1}, "lib slow": {calls: 1}, "lib waits": {calls: 3},
				"lib fails": {calls: 2}, "lib makes": {calls: 1}, "lib length": {calls: 1}, "lib free": {calls: 1},
				"lib _CMalloc": {calls: 1}, "lib back": {6, 6}, "lib unused": {},
			}
			if both {
				want["other twice"] = counts{calls: 10}
				want["other again"] = counts{6, 6}
			}
			for key, want := range want {
				pkg, name, _ := strings.Cut(key, " ")
				x := figure(t, f, pkg, name)
				if got := (counts{x.Calls, x.Callbacks}); got != want {
					t.Errorf("%s: %+v, want %+v", key, got, want)
				}
				sum := uint64(0)
				for _, c := range x.Callers {
					sum += c.Calls
					if len(c.Stack) == 0 || !strings.HasPrefix(c.Stack[0].Func, "example.com/traced/") || c.Stack[0].Line == 0 {
						t.Errorf("%s is called from %+v", key, c.Stack)
					}
				}
				if sum != x.Calls {
					t.Errorf("%s: the callers' calls are %d, want %d", key, sum, x.Calls)
				}
			}
			if len(f.Functions) < len(want) || len(f.Processes) != processes {
				t.Errorf("%d functions, %d processes", len(f.Functions), len(f.Processes))
			}
			if x := figure(t, f, "lib", "waits"); x.Blocked != 3 || x.Examined != 3 {
				t.Errorf("waits blocked in %d of %d calls, want 3 of 3", x.Blocked, x.Examined)
			} else {
				for _, w := range x.Waits {
					if w.In == "clock_gettime" { // which the tracer called before, and whose return address is still there
						t.Errorf("waits is said to wait in %+v", w)
					}
				}
			}
			x := figure(t, f, "lib", "back")
			if x.MaxThreads != 2 {
				t.Errorf("back: %d threads at once, want 2", x.MaxThreads)
			}
			if x.CallbackNS == 0 || x.CallbackNS > x.TotalNS {
				t.Errorf("back: %d of %d ns in callbacks", x.CallbackNS, x.TotalNS)
			}
			if f.Module != "example.com/traced" || f.Go == "" || f.OS != "linux" || f.Build == "" || f.Command[1] != "test" {
				t.Errorf("module %q, go %q, os %q, build %q, command %q", f.Module, f.Go, f.OS, f.Build, f.Command)
			}
		})
	}
}

func TestTraceOfPrograms(t *testing.T) {
	testenv.OtherProgram(t)
	dir := tracedModule(t)
	const quick = 100
	for _, c := range []struct {
		args                                     string
		code, processes                          int
		quick, back, callbacks, abandoned, unfin uint64
	}{
		{args: "return", processes: 1, quick: quick},
		{args: "exit", code: 1, processes: 1, quick: quick}, // go run has no code but 1
		{args: "kill", code: 1, processes: 1, quick: quick, back: 1, callbacks: 1, unfin: 1},
		{args: "panic", processes: 1, quick: quick + 1, back: 5, callbacks: 5, abandoned: 5},
		{args: "children", processes: 4, quick: 4 * quick},
		{args: "many 50000", processes: 1, quick: quick + 50000},
	} {
		t.Run(c.args, func(t *testing.T) {
			f, code, stdout, stderr := traced(t, append([]string{"--", "go", "run", "-C", dir, "./prog"}, strings.Fields(c.args)...)...)
			if code != c.code || f == nil {
				t.Fatalf("code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			q, b := figure(t, f, "lib", "quick"), figure(t, f, "lib", "back")
			if q.Calls != c.quick || len(f.Processes) != c.processes {
				t.Errorf("quick: %d calls in %d processes, want %d in %d", q.Calls, len(f.Processes), c.quick, c.processes)
			}
			if b.Calls != c.back || b.Callbacks != c.callbacks || b.Abandoned != c.abandoned || b.Unfinished != c.unfin {
				t.Errorf("back: %d calls, %d callbacks, %d abandoned, %d unfinished, want %d, %d, %d, %d",
					b.Calls, b.Callbacks, b.Abandoned, b.Unfinished, c.back, c.callbacks, c.abandoned, c.unfin)
			}
		})
	}
}

// A program that was only built records when it runs, until it is collected.
func TestTraceCollects(t *testing.T) {
	testenv.OtherProgram(t)
	dir := tracedModule(t)
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("GOCACHE", strings.TrimSpace(goOutput(t, "env", "GOCACHE")))
	t.Setenv("GOMODCACHE", strings.TrimSpace(goOutput(t, "env", "GOMODCACHE")))
	home := testenv.Home(t)
	exe := filepath.Join(t.TempDir(), "prog")
	records := filepath.Join(home, ".cache", "seam", "trace")
	f, code, _, stderr := traced(t, "--", "go", "build", "-C", dir, "-o", exe, "./prog")
	if code != 0 || f != nil || !strings.Contains(stderr, records) {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	for range 2 {
		if out, err := exec.Command(exe, "return").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	// One that goes on.
	cmd := exec.Command(exe, "wait")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	if _, err := io.ReadFull(stdout, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	f, code, _, stderr = traced(t, "--collect")
	if code != 0 {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	if q := figure(t, f, "lib", "quick"); q.Calls != 300 || len(f.Processes) != 3 {
		t.Errorf("quick: %d calls in %d processes, want 300 in 3", q.Calls, len(f.Processes))
	}
	running := 0
	for _, p := range f.Processes {
		if p.Running {
			running++
		}
	}
	left, _ := filepath.Glob(filepath.Join(records, "*.raw"))
	if running != 1 || len(left) != 1 {
		t.Errorf("%d run, %d records are left, want 1 and 1", running, len(left))
	}
	if f.Arch == "" || f.Go == "" {
		t.Errorf("built by %q for %q", f.Go, f.Arch)
	}
	cmd.Process.Kill()
	cmd.Wait()
	f, code, _, stderr = traced(t, "--collect", left[0])
	if code != 0 {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	if w := figure(t, f, "lib", "waits"); w.Calls != 1 || w.Unfinished != 1 {
		t.Errorf("waits: %d calls, %d of them unfinished, want 1 and 1", w.Calls, w.Unfinished)
	}
	if _, code, _, stderr = traced(t, "--collect"); code != exitFailed || !strings.Contains(stderr, "no record") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

// What programs of another module have recorded is told and left; a trace with fewer calls
// doesn't replace one with more. So too for programs that were built from files, which don't
// know their module.
func TestCollectTakesItsOwn(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	records := t.TempDir()
	t.Setenv("SEAM_TRACE", records)
	t.Setenv("SEAM_LEAKS", records+".leaks")
	const source = `package main

// #include <stdlib.h>
// static int add(int a, int b) { return a + b; }
import "C"
import "os"

func main() {
	for i := 0; i < 10; i++ {
		C.free(C.malloc(1))
		if len(os.Args) == 1 { for j := 0; j < 500; j++ { C.add(1, 2) } }
	}
}
`
	in := func(dir string, args ...string) (code int, stdout, stderr string) {
		t.Helper()
		t.Chdir(dir)
		var out, errs bytes.Buffer
		s := testSession(context.Background(), strings.NewReader(""), &out, &errs)
		code = conclude(&errs, s.run(args))
		return code, out.String(), errs.String()
	}
	run := func(exe string, args ...string) {
		t.Helper()
		if out, err := exec.Command(exe, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	dirs := map[string]string{}
	for _, name := range []string{"a", "b"} {
		dir := t.TempDir()
		dirs[name] = dir
		for file, text := range map[string]string{"go.mod": "module example.com/" + name + "\n\ngo 1.25\n", "main.go": source} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, build := range [][]string{
			{"trace", "--", "go", "build", "-o", "p"}, {"trace", "--", "go", "build", "-o", "files", "main.go"}, {"leaks", "--", "go", "build", "-o", "l"},
		} {
			if code, _, stderr := in(dir, build...); code != 0 {
				t.Fatalf("%v: code %d\n%s", build, code, stderr)
			}
		}
	}
	a, b := dirs["a"], dirs["b"]
	for _, dir := range dirs {
		run(filepath.Join(dir, "p"))
		run(filepath.Join(dir, "files"))
		run(filepath.Join(dir, "l"))
	}

	code, _, stderr := in(b, "trace", "--collect")
	if code != 0 || !strings.Contains(stderr, "example.com/a (2)") {
		t.Errorf("code %d: %s", code, stderr)
	}
	f, err := calltrace.Read(filepath.Join(b, defaultTrace))
	if err != nil {
		t.Fatal(err)
	}
	if f.Module != "example.com/b" || len(f.Processes) != 2 {
		t.Errorf("a trace of %q with %d processes", f.Module, len(f.Processes))
	}
	code, stdout, stderr := in(b, "leaks", "--collect")
	if code != 0 || !strings.Contains(stderr, "example.com/a (1)") || !strings.Contains(stdout, "10") {
		t.Errorf("leaks: code %d: %s%s", code, stdout, stderr)
	}
	// Nothing of its own is left, and nothing of the other's is gone.
	if code, _, stderr := in(b, "trace", "--collect"); code != exitFailed || !strings.Contains(stderr, "only of example.com/a (2)") {
		t.Errorf("code %d: %s", code, stderr)
	}
	// Less than there was stays aside.
	was, err := os.ReadFile(filepath.Join(b, defaultTrace))
	if err != nil {
		t.Fatal(err)
	}
	run(filepath.Join(b, "p"), "--help")
	if code, _, stderr := in(b, "trace", "--collect"); code != exitFailed || !strings.Contains(stderr, "it stays as it is") {
		t.Errorf("code %d: %s", code, stderr)
	}
	if now, err := os.ReadFile(filepath.Join(b, defaultTrace)); err != nil || !bytes.Equal(was, now) {
		t.Errorf("the larger trace is gone (%v)", err)
	}
	if left, _ := filepath.Glob(filepath.Join(records, "*.raw")); len(left) != 3 {
		t.Errorf("%d recordings are left, want 3", len(left))
	}
	// Elsewhere than in a module only recordings of one are taken, unless files are named.
	other := filepath.Join(t.TempDir(), "t.trace")
	if code, _, stderr := in(t.TempDir(), "trace", "--collect", "-o", other); code == 0 || !strings.Contains(stderr, "example.com/b (1)") {
		t.Errorf("code %d: %s", code, stderr)
	}
	if code, _, stderr := in(t.TempDir(), "leaks", "--collect"); code != 0 {
		t.Errorf("those of one: code %d: %s", code, stderr)
	}
	left, _ := filepath.Glob(filepath.Join(records, "*.raw"))
	if code, _, stderr := in(b, append([]string{"trace", "--collect", "-o", other}, left...)...); code != 0 {
		t.Errorf("code %d: %s", code, stderr)
	}
	if f, err := calltrace.Read(other); err != nil || len(f.Processes) != 3 || f.Module != "" {
		t.Errorf("%v: %+v", err, f)
	}
	if code, _, stderr := in(a, "trace", "--collect"); code != exitFailed {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestTraceProfile(t *testing.T) {
	testenv.OtherProgram(t)
	dir := tracedModule(t)
	name := filepath.Join(t.TempDir(), "p.pprof")
	_, code, stdout, stderr := traced(t, "--pprof", name, "--", "go", "run", "-C", dir, "./prog", "many", "10000")
	if code != 0 {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	calls := int64(0)
	for _, s := range p.Sample {
		if s.Location[0].Line[0].Function.Name == "C.quick" {
			calls += s.Value[0]
			if outer := s.Location[len(s.Location)-1].Line[0].Function.Name; outer != "runtime.main" {
				t.Errorf("a stack ends in %s", outer)
			}
		}
	}
	if calls != 10100 {
		t.Errorf("%d calls in the profile, want 10100", calls)
	}
}

// An interrupted run leaves the trace of what was done.
func TestTraceInterrupted(t *testing.T) {
	testenv.OtherProgram(t)
	dir := tracedModule(t)
	name := filepath.Join(t.TempDir(), "seam.trace")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var errs bytes.Buffer
	out := &notice{want: "ready", seen: cancel}
	s := testSession(ctx, strings.NewReader(""), out, &errs)
	code := conclude(&errs, s.run([]string{"trace", "-o", name, "--", "go", "run", "-C", dir, "./prog", "wait"}))
	if code != exitInterrupted {
		t.Errorf("code %d\n%s", code, errs.String())
	}
	f, err := calltrace.Read(name)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if q := figure(t, f, "lib", "quick"); q.Calls != 100 {
		t.Errorf("quick: %d calls, want 100", q.Calls)
	}
}

// notice calls seen when want has been written.
type notice struct {
	text bytes.Buffer
	want string
	seen func()
}

func (n *notice) Write(b []byte) (int, error) {
	n.text.Write(b)
	if strings.Contains(n.text.String(), n.want) {
		time.AfterFunc(50*time.Millisecond, n.seen) // let it enter C
	}
	return len(b), nil
}

func TestTraceMistakes(t *testing.T) {
	testenv.OtherProgram(t)
	dir := tracedModule(t)
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nocgo := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.25\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(nocgo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "nothing to trace"},
		{[]string{"--", "make", "all"}, exitUsage, "not the go command"},
		{[]string{"--", "go", "vet", "./..."}, exitUsage, "only go build"},
		{[]string{"--", "go", "test", "-toolexec='x", "./..."}, exitUsage, "-toolexec"},
		{[]string{"--pprof", "", "--", "go", "test"}, exitUsage, "file's name is empty"},
		{[]string{"--pprof", "/nowhere/p", "--", "go", "test"}, exitUsage, "/nowhere"},
		{[]string{"--", "go", "run", "-C", nocgo, "."}, exitFailed, "no C call was made"},
		{[]string{"--", "go", "test", "-C", dir, "./nothing"}, 1, "directory not found"},
		{[]string{"--collect", filepath.Join(folder, "none")}, exitUsage, "no such folder"},
		{[]string{"--collect", write("a.raw", "x")}, exitUsage, "not the record"},
	} {
		f, code, stdout, stderr := traced(t, c.args...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) || f != nil {
			t.Errorf("%q: code %d, want %d with %q:\n%s%s", c.args, code, c.code, c.want, stdout, stderr)
		}
	}
	for text, want := range map[string]string{
		"":            "empty",
		"{}":          "not a trace",
		"[1]":         "not a trace",
		"SEAMRAW\x00": "--collect",
		`{"schema":`:  "cut off",
		`{"schema":"seam.trace/9","functions":[],"processes":[]}`: `schema is "seam.trace/9"`,
	} {
		var errs bytes.Buffer
		s := testSession(context.Background(), strings.NewReader(""), io.Discard, &errs)
		code := conclude(&errs, s.run([]string{"trace", "--show", write("bad.trace", text)}))
		if code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: code %d, want 2 with %q: %s", text, code, want, errs.String())
		}
	}
}

// The result of a test is the go command's, and the trace is there all the same.
func TestTraceOfAFailingTest(t *testing.T) {
	testenv.OtherProgram(t)
	dir := tracedModule(t)
	overlay := map[string]map[string]string{"Replace": {}}
	file := filepath.Join(t.TempDir(), "x_test.go")
	if err := os.WriteFile(file, []byte("package other\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { Twice(1); t.Fail() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay["Replace"][filepath.Join(dir, "other", "x_test.go")] = file
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, code, stdout, _ := traced(t, "--", "go", "test", "-C", dir, "-overlay", name, "./other")
	if code != 1 || !strings.Contains(stdout, "FAIL") {
		t.Errorf("code %d\n%s", code, stdout)
	}
	if x := figure(t, f, "other", "twice"); x.Calls != 11 {
		t.Errorf("twice: %d calls, want 11", x.Calls)
	}
}

// Without a file the trace is looked for where seam trace leaves it.
func TestTraceShowFindsTheFile(t *testing.T) {
	testenv.OtherProgram(t)
	dir := planModule(t, calledOften("twice", 5000))
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir("sub")
	seam(t, "trace", "--show").must(t, exitOK, "5000 C calls of 1 function in 0 processes", "")
	if err := os.Remove(filepath.Join(dir, "seam.trace")); err != nil {
		t.Fatal(err)
	}
	seam(t, "trace", "--show").must(t, exitUsage, "", filepath.Join(dir, "seam.trace")+" does not exist; make one with")
}

func TestHeapOf(t *testing.T) {
	if h := heapOf(nil); h != nil {
		t.Errorf("without a report: %+v", h)
	}
	sample := func(used, free uint64) memory.Sample {
		return memory.Sample{Kinds: map[account.Kind]uint64{account.CUsed: used, account.CFree: free}}
	}
	r := &memory.Report{Last: &account.Account{PID: 7}, Samples: []memory.Sample{sample(5, 1), sample(9, 2), sample(3, 8), sample(4, 6)}}
	want := calltrace.Heap{PID: 7, Looks: 4, MostUsed: 9, MostFree: 8, LastUsed: 4, LastFree: 6}
	if h := heapOf(r); h == nil || *h != want {
		t.Errorf("%+v, want %+v", h, want)
	}
}
