//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/unwind/ctest"
	"github.com/seamgo/seam/prof"
)

// Before Go's own report of a crash in C stands another, and the program ends as before.
func TestCrashReport(t *testing.T) {
	switch os.Getenv("SEAM_PROF_CRASH") {
	case "segv":
		ctest.Crash()
	case "abort":
		ctest.BadHandlers()
		ctest.Abort()
	case "lost":
		ctest.LoseStack()
	}
	for _, c := range []struct {
		crash string
		want  []string
	}{
		{"segv", []string{"seam: SIGSEGV in C, at ctest_crash", "seam: address 0x8: near NULL", "seam: stack pointer 0x", "rw-p",
			"seam: the C stack", "\tctest_1+0x", "\tctest_20+0x", "\tctest_chain+0x", "seam: registers:", "seam: signals: all handlers are", "SIGSEGV: segmentation violation", "goroutine "}},
		{"abort", []string{"seam: SIGABRT in C, at ", "\tctest_abort+0x", "seam: signals: SIGUSR1 is handled by ctest_bad_handler+0x0 (", "without SA_ONSTACK",
			"seam: signals: SIGURG is handled by ctest_bad_handler+0x0 (", "in Go's place", "SIGABRT: abort", "goroutine "}},
		// What Go says after that is in its own words, or nothing: its handler needs the stack that is gone.
		{"lost", []string{"seam: SIGSEGV in C, at ctest_crash", "\tctest_lose_and_crash+0x", "seam: signals: this thread has lost its alternate stack: C has taken it away by sigaltstack" + caller(t)}},
	} {
		for _, level := range []string{"single", "crash"} {
			cmd := child.Self(t, "-test.run=^TestCrashReport$")
			cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH="+c.crash, "GOTRACEBACK="+level)
			out, err := cmd.CombinedOutput()
			rest := string(out)
			for _, want := range c.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("%s, %s: no %q in its place in:\n%s", c.crash, level, want, out)
				}
				rest = after
			}
			if n := strings.Count(string(out), "seam: registers:"); n != 1 {
				t.Errorf("%s, %s: %d reports:\n%s", c.crash, level, n, out)
			}
			// With crash there is a core dump, if the system allows any.
			if c.crash == "lost" {
				continue
			}
			exit, _ := err.(*exec.ExitError)
			if exit == nil {
				t.Fatalf("%s: %v", c.crash, err)
			}
			status := exit.Sys().(syscall.WaitStatus)
			if level == "crash" && (!status.Signaled() || status.Signal() != syscall.SIGABRT) || level != "crash" && exit.ExitCode() != 2 {
				t.Errorf("%s, %s: ended with %v", c.crash, level, err)
			}
		}
	}
}

// caller is who calls sigaltstack in a test binary: the program, unless it is static, which
// imports nothing.
func caller(t *testing.T) string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Section(".interp") == nil {
		return ""
	}
	return ", which is called by the program"
}

// What C has done to handlers is listed, with who did it.
func TestSignals(t *testing.T) {
	if os.Getenv("SEAM_PROF_CRASH") == "signals" {
		ctest.BadHandlers()
		os.Stdout.WriteString(strings.Join(prof.Signals(), "\n") + "\n")
		os.Exit(0)
	}
	if got := prof.Signals(); len(got) != 0 {
		t.Errorf("nothing was done, and yet: %q", got)
	}
	cmd := child.Self(t, "-test.run=^TestSignals$")
	cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH=signals")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, want := range []string{"SIGUSR1 is handled by ctest_bad_handler", "SIGURG is handled by ctest_bad_handler"} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("no line begins with %q: %q", want, lines)
		}
	}
	if len(lines) != 2 {
		t.Errorf("want 2 lines, got %q", lines)
	}
}
