package cli

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/internal/testenv"
)

// planModule makes a module that calls C, with a trace of it, and goes there.
func planModule(t *testing.T, functions ...calltrace.Function) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n\ngo 1.25\n")
	write("m.go", `package m

// #include <unistd.h>
// static int twice(int x) { return 2*x; }
// static int reads(int fd) { char c; return (int)read(fd, &c, 1); }
// static int seldom(int x) { return x; }
import "C"

func M() { C.twice(1); C.reads(0); C.seldom(1) }
`)
	f, err := os.Create(filepath.Join(dir, "seam.trace"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file := &calltrace.File{
		Go: "go1.2", OS: "linux", Arch: "amd64", Time: time.Unix(1e9, 0), Command: []string{"go", "test", "."},
		Processes: []calltrace.Process{}, Functions: functions,
	}
	if err := file.Encode(f); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return dir
}

// calledOften is what a trace says of a quick function.
func calledOften(name string, calls uint64) calltrace.Function {
	return calltrace.Function{
		Package: "example.com/m", Name: name, Signature: "func(_Ctype_int) _Ctype_int",
		Calls: calls, TotalNS: 30 * calls, P50NS: 30, P99NS: 30, P999NS: 30, MaxNS: 30, MaxBusyNS: 30, CrossingNS: 25, Examined: calls,
		Histogram: []calltrace.Bin{{UpToNS: 30, Calls: calls}},
	}
}

func TestPlan(t *testing.T) {
	testenv.OtherProgram(t)
	dir := planModule(t, calledOften("twice", 5000), calledOften("reads", 5000), calledOften("seldom", 12))
	name := filepath.Join(dir, "seam.plan")

	c := seam(t, "plan", "--budget", "30us")
	c.must(t, exitOK, "3 functions: 1 leaf", "seam.trace: made with go1.2, and this is go1.")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nleaf example.com/m.twice  sig=", " budget=30us # proven: 5k calls, p99.9 30.0 ns, max 30.0 ns\n",
		"; never seen to wait, but reaches read by reads → read\n", "# too few calls (12 of 100)\n",
		" of trace seam.trace: go1.2 linux/amd64, 2001-09-09 01:46 UTC, go test .\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the plan lacks %q:\n%s", want, text)
		}
	}
	seam(t, "plan", "--check").must(t, exitOK, "matches the code: 3 functions", "")

	// Without proofs the trace alone decides.
	c = seam(t, "plan", "--no-proof", "-o", "-")
	c.must(t, exitOK, "leaf example.com/m.reads", "made with go1.2")
	if again, err := os.ReadFile(name); err != nil || string(again) != string(text) {
		t.Errorf("a plan for standard output changed the file: %v\n%s", err, again)
	}

	// Somebody's own line stays; code that changes is found.
	edited := strings.Replace(string(text), "cgo  example.com/m.seldom", "leaf example.com/m.seldom keep", 1)
	if err := os.WriteFile(name, []byte(edited), 0o666); err != nil {
		t.Fatal(err)
	}
	seam(t, "plan", "--min-calls", "100000").must(t, exitOK, "1 leaf", "m.twice was leaf and is now cgo: too few calls (5,000 of 100,000)")
	if text, err = os.ReadFile(name); err != nil || !strings.Contains(string(text), "leaf example.com/m.seldom") {
		t.Errorf("the kept line is gone: %v\n%s", err, text)
	}
	code, err := os.ReadFile("m.go")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("int twice(int x)", "long twice(long x)", "int seldom(", "int other(", "C.seldom", "C.other").Replace(string(code))
	if err := os.WriteFile("m.go", []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
	c = seam(t, "plan", "--check", "./...")
	c.must(t, exitFinding, "the type of example.com/m.twice has changed", "don't match in 3 places")
	c.must(t, exitFinding, "package example.com/m calls no C function seldom", "don't match")
	c.must(t, exitFinding, "example.com/m.other has no line", "don't match")
}

// A package whose only cgo file is made by SWIG is planned, proven and welded like others.
func TestPlanBySwig(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "swig")
	testenv.Tool(t, "g++")
	dir := planModule(t)
	if err := os.Remove(filepath.Join(dir, "m.go")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"v/doc.go":    "package v\n",
		"v/v.swigcxx": "%module v\n%inline %{\nint twice(int x) { return 2*x; }\n%}\n",
		"main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/m/v\"\n)\n\n" +
			"func main() {\n\tn := 1\n\tfor range 20000 {\n\t\tn = v.Twice(n) & 7\n\t}\n\tfmt.Println(n)\n}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	seam(t, "trace", "--", "go", "run", ".").must(t, exitOK, "0\n", "20.0k C calls of 1 function")
	seam(t, "plan").must(t, exitOK, "1 leaf (1 proven", "")
	seam(t, "plan", "--check", "./...").must(t, exitOK, "matches the code", "")
	seam(t, "weld", "--", "go", "run", ".").must(t, exitOK, "0\n", "welded 1 of 1 functions")
	seam(t, "explain", "example.com/m/v").must(t, exitOK, "_wrap_twice", "")
}

func TestPlanRefuses(t *testing.T) {
	testenv.OtherProgram(t)
	dir := planModule(t, calledOften("twice", 5000))
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	file("seam.plan", "cgo example.com/m.twice\ncgo example.com/m.reads\ncgo example.com/m.seldom\n")
	bad := file("bad.plan", "# seam.plan 1\nlief a.f\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"budget", []string{"--budget", "1h"}, "--budget from 100ns to 100ms"},
		{"no calls", []string{"--min-calls", "0"}, "--min-calls must be at least 1"},
		{"no such trace", []string{"--trace", "missing.trace"}, "missing.trace"},
		{"a trace that is none", []string{"--trace", file("x.trace", "{}")}, "not a trace"},
		{"an old plan with a mistake", []string{"-o", bad}, bad + `:2:1: "lief" is not a mode (leaf, coro, park, cgo, view, reuse or offload:8); did you mean leaf?`},
		{"no plan to check", []string{"--check", "-o", "missing.plan"}, "missing.plan does not exist"},
		{"a plan checked with a package that can't be read", []string{"--check", "./missing"}, "not all packages could be looked at"},
		{"no such folder", []string{"-o", "missing/seam.plan"}, "folder missing does not exist"},
		{"no such package", []string{"./missing"}, "missing"},
		{"a bind.seam without a trace", []string{"--bind", "bind.seam"}, "--bind needs --trace FILE"},
		{"a bind.seam that is to be checked", []string{"--bind", "bind.seam", "--trace", "x.trace", "--check"}, "neither --check nor packages"},
		{"a trace without --trace", []string{"seam.trace"}, "a trace is read with --trace seam.trace"},
	} {
		r := seam(t, append([]string{"plan"}, c.args...)...)
		if r.code != exitUsage || !strings.Contains(r.errout, c.want) {
			t.Errorf("%s: code %d, %q; want %q", c.name, r.code, r.errout, c.want)
		}
	}
	if err := os.Remove(filepath.Join(dir, "seam.trace")); err != nil {
		t.Fatal(err)
	}
	seam(t, "plan").must(t, exitUsage, "", "seam trace -- go test -bench . ./...")
	if text, err := os.ReadFile(filepath.Join(dir, "seam.plan")); err != nil || strings.Contains(string(text), "leaf") {
		t.Errorf("the plan has changed: %v\n%s", err, text)
	}
}

// Modes of a package of seam bind are lines in its bind.seam, and what was seen of each function is told.
func TestPlanBind(t *testing.T) {
	t.Chdir(t.TempDir())
	trace := make([]byte, 4096+2*256) // of two functions, as dl/trace.go has it
	put := func(at int, numbers ...uint64) {
		for i, x := range numbers {
			binary.NativeEndian.PutUint64(trace[at+8*i:], x)
		}
	}
	copy(trace, "seam dl trace 1\n")
	put(16, 2, 1000)
	for i, name := range []string{"p_quick", "p_wait"} {
		at := 4096 + i*256
		copy(trace[at:], "libp.so.1")
		copy(trace[at+64:], name)
		put(at+184, 5000, 500_000, 2000, uint64(i)*4000, 0, 0, 5000)
	}
	writeFile(t, "dl.trace", string(trace))
	writeFile(t, "bind.seam", "package p\nheader p.h\nlib libp.so.1\n")
	writeFile(t, "p.go", "// Code generated by seam bind bind.seam. DO NOT EDIT.\n\npackage p\n\n\tcQuick = dl.Optional[cQuickArgs](lib, \"p_quick\")\n\tcWait = dl.OptionalLeaf[cWaitArgs](lib, \"p_wait\")\n")
	seam(t, "plan", "--bind", "bind.seam", "--trace", "dl.trace").must(t, exitOK, "1 of the 2 functions that were called can be leaves", "p_wait is a leaf, and 4000 of 5000 calls took more than 5")
	if text, err := os.ReadFile("bind.seam"); err != nil || !strings.Contains(string(text), "\nleaf p_quick # 5000 calls, longest 2µs\n") {
		t.Errorf("%s, %v", text, err)
	}
}
