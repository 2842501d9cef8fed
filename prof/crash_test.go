//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
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
	case "unaligned":
		ctest.CrashUnaligned()
	}
	for _, c := range []struct {
		crash string
		want  []string
	}{
		{"segv", []string{"seam: SIGSEGV in C, at ctest_crash", "seam: address 0x8: near NULL", "seam: stack pointer 0x", "rw-p",
			"seam: the C stack", "\tctest_1+0x", "\tctest_20+0x", "\tctest_chain+0x", "seam: registers:", "seam: signals: all handlers are", "SIGSEGV: segmentation violation", "goroutine "}},
		{"abort", []string{"seam: SIGABRT in C, at ", "\tctest_abort+0x", "seam: signals: SIGUSR1 is handled by ctest_bad_handler+0x0 (", "without SA_ONSTACK",
			"seam: signals: SIGURG is handled by ctest_bad_handler+0x0 (", "in Go's place", "SIGABRT: abort", "goroutine "}},
		// A program that has jumped astray may have set the flag that makes such words a fault.
		{"unaligned", []string{"seam: SIGSEGV in C, at ctest_unaligned_crash", "seam: process ", "seam: address 0x8: near NULL", "\tctest_20+0x", "seam: build IDs:\n\tprogram: ", "seam: registers:", "SIGSEGV: segmentation violation", "goroutine "}},
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

// A fault that C handles is no crash, no matter who had a handler first, and whether it returns or
// jumps; and one that it doesn't handle is reported once.
func TestHandledFault(t *testing.T) {
	if crash := os.Getenv("SEAM_PROF_CRASH"); crash != "" {
		if os.Getenv("SEAM_CTEST_HANDLES") == "late" {
			ctest.Handle()
		}
		ctest.Fill(os.Getenv("SEAM_PROF_FILL") == "thread")
		runtime.GC()
		switch crash {
		case "goroutine":
			ctest.Crash()
		case "thread":
			ctest.CrashOnThread()
		}
		os.Stdout.WriteString("the end\n")
		os.Exit(0)
	}
	const again = "seam: somebody has handled that fault after all"
	for _, when := range []string{"early", "front", "late"} {
		for _, how := range []string{"return", "jump"} {
			for _, fill := range []string{"goroutine", "thread"} {
				for _, crash := range []string{"none", "goroutine", "thread"} {
					name := when + " " + how + " " + fill + " " + crash
					cmd := child.Self(t, "-test.run=^TestHandledFault$")
					cmd.Env = append(os.Environ(), "SEAM_CTEST_HANDLES="+when, "SEAM_CTEST_HOW="+how, "SEAM_PROF_FILL="+fill, "SEAM_PROF_CRASH="+crash)
					out, err := cmd.CombinedOutput()
					reports, handled := strings.Count(string(out), "seam: SIGSEGV in C, at "), strings.Count(string(out), again)
					if crash == "none" && (err != nil || !strings.Contains(string(out), "the end\n")) || crash != "none" && err == nil {
						t.Errorf("%s: %v\n%s", name, err, out)
					}
					// On a thread without Go nothing tells that Go has come to handle it, so the first
					// report is taken back, and there is no other of such a thread.
					if when == "front" && fill == "thread" {
						want := 1
						if crash == "goroutine" {
							want = 2
						}
						if handled != 1 || reports != want {
							t.Errorf("%s: %d reports, %d of no crash:\n%s", name, reports, handled, out)
						}
						continue
					}
					if handled != 0 || (reports == 1) != (crash != "none") || reports > 1 {
						t.Errorf("%s: %d reports, %d of no crash:\n%s", name, reports, handled, out)
					}
					if crash != "none" && !strings.Contains(string(out), "seam: SIGSEGV in C, at ctest_crash+0x") {
						t.Errorf("%s: no report of the crash:\n%s", name, out)
					}
				}
			}
		}
	}
}

// A crash has a file of its own, which is there as a whole, and older ones make room.
func TestCrashDirectory(t *testing.T) {
	if os.Getenv("SEAM_PROF_CRASH") == "directory" {
		ctest.Crash()
	}
	dir := filepath.Join(t.TempDir(), "crashes")
	for range 22 {
		cmd := child.Self(t, "-test.run=^TestCrashDirectory$")
		cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH=directory", "SEAM_CRASH="+dir)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "seam: SIGSEGV in C") {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 19 || len(files) > 20 {
		t.Fatalf("%d files, %v: want the last 20", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || !strings.HasSuffix(f, ".crash") || !strings.HasPrefix(string(text), "seam: SIGSEGV in C, at ctest_crash+0x") || !strings.Contains(string(text), "seam: signals: ") {
			t.Errorf("%s: %v\n%s", f, err, text)
		}
	}
	cmd := child.Self(t, "-test.run=^TestCrashDirectory$")
	cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH=directory", "SEAM_CRASH=/proc/none")
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "SEAM_CRASH") || !strings.Contains(string(out), "seam: SIGSEGV in C") {
		t.Errorf("without such a directory:\n%s", out)
	}
}

// A report that can't be written to a file says so, and leaves no part of one.
func TestCrashNoFile(t *testing.T) {
	dir := os.Getenv("SEAM_CRASH")
	switch os.Getenv("SEAM_PROF_CRASH") {
	case "gone":
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		ctest.Crash()
	case "limit":
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100}); err != nil {
			t.Fatal(err)
		}
		ctest.Crash()
	}
	for crash, why := range map[string]string{"gone": "no file can be made there", "limit": "the limit on the size of files is reached"} {
		dir := filepath.Join(t.TempDir(), "crashes")
		cmd := child.Self(t, "-test.run=^TestCrashNoFile$")
		cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH="+crash, "SEAM_CRASH="+dir)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "seam: SEAM_CRASH: this report has no file in "+dir+": "+why+"\n") {
			t.Errorf("%s: %v\n%s", crash, err, out)
		}
		if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) != 0 {
			t.Errorf("%s: %q is left, %v", crash, files, err)
		}
	}
}

// What glibc has said before it aborts is in the report, and so in its file.
func TestCrashReason(t *testing.T) {
	if os.Getenv("SEAM_PROF_CRASH") == "assert" {
		ctest.Assert()
	}
	cmd := child.Self(t, "-test.run=^TestCrashReason$")
	cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH=assert")
	out, err := cmd.CombinedOutput()
	_, report, found := strings.Cut(string(out), "seam: SIGABRT in C, at ")
	if err == nil || !found {
		t.Fatalf("%v\n%s", err, out)
	}
	says := regexp.MustCompile(`(?m)^seam: the C library says: .*ctest_assert: Assertion .*of a test.* failed\.$`).MatchString(report)
	if glibc := strings.Contains(report, ", glibc "); says != glibc {
		t.Errorf("glibc %v, says why %v:\n%s", glibc, says, out)
	}
}

// What SetCrashOutput is given has C's part of a report in front of Go's; after nil it has nothing.
func TestCrashOutput(t *testing.T) {
	if name := os.Getenv("SEAM_PROF_OUTPUT"); name != "" {
		for range 3 { // those before are closed
			f, err := os.Create(name)
			if err == nil {
				err = prof.SetCrashOutput(f, debug.CrashOptions{})
			}
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if os.Getenv("SEAM_PROF_CRASH") == "nowhere" {
			if err := prof.SetCrashOutput(nil, debug.CrashOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		ctest.Crash()
	}
	for _, crash := range []string{"output", "nowhere"} {
		name := filepath.Join(t.TempDir(), "crash")
		cmd := child.Self(t, "-test.run=^TestCrashOutput$")
		cmd.Env = append(os.Environ(), "SEAM_PROF_CRASH="+crash, "SEAM_PROF_OUTPUT="+name)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "seam: SIGSEGV in C") {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(name)
		c, inGo := strings.Index(string(text), "seam: SIGSEGV in C, at ctest_crash+0x"), strings.Index(string(text), "goroutine ")
		if whole := c == 0 && inGo > 0; err != nil || whole != (crash == "output") || crash == "nowhere" && len(text) > 0 {
			t.Errorf("%s: C's part at %d, Go's at %d (%v):\n%s", crash, c, inGo, err, text)
		}
	}
}
