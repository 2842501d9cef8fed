//go:build linux && (amd64 || arm64)

package trace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/inject/tracer"
)

// compiler is the C compiler; the test is skipped without one.
func compiler(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here", name)
	}
	return path
}

// headers writes the tracer's C into a folder.
func headers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range tracer.C() {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The tracer's C is compiled with the flags of packages it doesn't know.
func TestCompilesUnderAnyFlags(t *testing.T) {
	dir := headers(t)
	file := filepath.Join(dir, "x.c")
	text := `#include "seam_trace.h"
#include "seam_trace_impl.h"
extern struct seam_trace_function f[] SEAM_TRACE_HIDDEN;
struct seam_trace_function f[1] = {{"a", "b", 0}};
SEAM_TRACE_PACKAGE("p", "b", f, 1, p)
static void in(void *v) { (void)v; }
SEAM_TRACE_VOID(outer, in, &f[0])
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "clang", "aarch64-linux-gnu-gcc"} {
		t.Run(cc, func(t *testing.T) {
			cc := compiler(t, cc)
			for _, flags := range []string{
				"-O2", "-O0", "-O3 -fPIC", "-std=c89 -pedantic-errors -Wall -Wextra -Werror",
				"-ansi -Wall -Werror -Wdeclaration-after-statement -Wshadow -Wconversion",
				"-std=c99 -Wall -Werror -Wmissing-prototypes -Wstrict-prototypes -Wlong-long", "-std=c17 -Wall -Werror", "-fno-builtin -Os",
			} {
				args := append(strings.Fields(flags), "-c", "-o", filepath.Join(dir, "x.o"), file)
				if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", flags, err, out)
				}
			}
		})
	}
}

// The C side by itself: what it records of calls that a C program makes.
func TestRecords(t *testing.T) {
	dir := headers(t)
	exe := filepath.Join(dir, "run")
	out, err := exec.Command(compiler(t, "gcc"), "-O1", "-Wall", "-Werror", "-pthread", "-I", dir, "-o", exe, "../inject/tracer/testdata/run.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type figures struct {
		ended, callbacks, blocked, abandoned, unfinished uint64
		threads                                          uint32
	}
	for _, c := range []struct {
		what     string
		killed   bool
		one, two figures
	}{
		{what: "threads", one: figures{ended: 100, threads: 100}, two: figures{ended: 5000}},
		{what: "series", one: figures{ended: 200, threads: 1}, two: figures{ended: 10000, threads: 1}},
		{what: "jump", one: figures{ended: 3, callbacks: 3, abandoned: 3, threads: 1}, two: figures{ended: 1, threads: 1}},
		{what: "deep", one: figures{ended: 300, callbacks: 300, threads: 1}},
		{what: "fork", one: figures{ended: 1, threads: 1}, two: figures{ended: 2, threads: 1}},
		{what: "kill", killed: true, one: figures{unfinished: 1, threads: 1}, two: figures{ended: 1, threads: 1}},
		{what: "nap", one: figures{ended: 5, blocked: 5, threads: 1}},
		{what: "errno", one: figures{ended: 1, threads: 1}, two: figures{ended: 1, threads: 1}},
	} {
		t.Run(c.what, func(t *testing.T) {
			records := t.TempDir()
			cmd := exec.Command(exe, c.what)
			cmd.Env = append(os.Environ(), "SEAM_TRACE="+records)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if c.killed != (errors.As(err, &exit) && exit.ExitCode() < 0) || err != nil && !c.killed {
				t.Fatalf("%v\n%s", err, out)
			}
			names, err := filepath.Glob(filepath.Join(records, "*.raw"))
			if err != nil || len(names) != 1 {
				t.Fatalf("%d records, want 1 (%v)", len(names), err)
			}
			r, err := ReadRaw(names[0])
			if err != nil {
				t.Fatal(err)
			}
			if r.PID != cmd.Process.Pid || r.Exe != exe || len(r.Functions) != 2 || r.LostCalls != 0 {
				t.Errorf("process %d, exe %s, %d functions, %d lost", r.PID, r.Exe, len(r.Functions), r.LostCalls)
			}
			for i, want := range []figures{c.one, c.two} {
				f := &r.Functions[i]
				got := figures{total(f.Bins), f.Callbacks, f.Blocked, f.Abandoned, f.Unfinished, f.MaxThreads}
				if want.threads == 0 && want.ended > 0 { // as many as the system made of it
					got.threads = 0
				}
				if c.what != "nap" || r.NoSwitches {
					got.blocked = 0 // the system decides: a page may have to be read in
				}
				if got != want {
					t.Errorf("%s: %+v, want %+v", f.Name, got, want)
				}
			}
		})
	}
}
