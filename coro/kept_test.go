//go:build cgo && linux

package coro_test

import (
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// C that waits in a way that keeps its processor is named: when it can't be seen otherwise, and once.
func TestKept(t *testing.T) {
	const which = "SEAM_TEST_KEPT"
	if env := os.Getenv(which); env != "" {
		debug.SetGCPercent(-1) // a collection would wait for C
		if env == "container" {
			forbidUnshare(t)
		}
		for range 2 {
			var fds [2]int
			if err := syscall.Pipe(fds[:]); err != nil {
				t.Fatal(err)
			}
			before := coro.ReadStats().Kept
			done := make(chan struct{})
			go func() {
				defer close(done)
				for coro.ReadStats().Kept == before {
					time.Sleep(time.Millisecond)
				}
				syscall.Write(fds[1], []byte("x"))
			}()
			if n, err := coro.Call(t.Context(), ctest.ReadPlainly, at(&ctest.Args{FD: int32(fds[0])})); n != 1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			<-done
		}
		return
	}
	if coro.Status().Path != coro.PathAssembly || len(child.Emulator()) > 0 {
		t.Skip("only where coroutines have stacks of their own, and the kernel knows them")
	}
	for _, where := range []string{"anywhere", "container"} {
		cmd := child.Self(t, "-test.run=^TestKept$", "-test.count=1")
		cmd.Env = append(os.Environ(), which+"="+where, "GOMAXPROCS=4")
		out, err := cmd.CombinedOutput()
		const want = "seam: coro: C function ctest_read_plainly was waiting in "
		if err != nil || strings.Count(string(out), want) != 1 || !regexp.MustCompile(`\nseam:   [ ?] ctest_read_plainly\+0x`).Match(out) ||
			strings.Contains(string(out), "seam:     ctest_leave_traces") {
			t.Errorf("%s: %v, the child said:\n%s", where, err, out)
		}
	}
}

// forbidUnshare does what containers do.
func forbidUnshare(t *testing.T) {
	const noNewPrivileges, setFilter, allThreads = 38, 1, 1
	type instruction struct {
		code     uint16
		_, no    uint8
		argument uint32
	}
	program := [...]instruction{
		{code: 0x20}, // the system call's number
		{code: 0x15, no: 1, argument: syscall.SYS_UNSHARE}, // is it that one?
		{code: 0x06, argument: 0x50000 | uint32(syscall.EPERM)},
		{code: 0x06, argument: 0x7fff0000}, // allowed
	}
	filter := struct {
		n  uint16
		at *instruction
	}{uint16(len(program)), &program[0]}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0); errno != 0 {
		t.Fatal(errno)
	}
	if _, _, errno := syscall.RawSyscall(seccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&filter))); errno != 0 {
		t.Fatal(errno)
	}
}

var seccomp = map[string]uintptr{"amd64": 317, "arm64": 277}[runtime.GOARCH]

// The watch goes on when descriptors have been scarce.
func TestKeptAfterScarcity(t *testing.T) {
	const which = "SEAM_TEST_KEPT_SCARCE"
	if os.Getenv(which) != "" {
		debug.SetGCPercent(-1) // a collection would wait for C
		var fds [2]int
		if err := syscall.Pipe(fds[:]); err != nil {
			t.Fatal(err)
		}
		if _, err := coro.Call(t.Context(), ctest.Return, at(&ctest.Args{})); err != nil {
			t.Fatal(err) // the watch has started
		}
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		none := limit
		none.Cur = 0
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // several looks
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		go func() {
			for coro.ReadStats().Kept == 0 {
				time.Sleep(time.Millisecond)
			}
			syscall.Write(fds[1], []byte("x"))
		}()
		if n, err := coro.Call(t.Context(), ctest.ReadPlainly, at(&ctest.Args{FD: int32(fds[0])})); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		return
	}
	if coro.Status().Path != coro.PathAssembly || len(child.Emulator()) > 0 {
		t.Skip("only where coroutines have stacks of their own, and the kernel knows them")
	}
	cmd := child.Self(t, "-test.run=^TestKeptAfterScarcity$", "-test.count=1")
	cmd.Env = append(os.Environ(), which+"=1", "GOMAXPROCS=4")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v, the child said:\n%s", err, out)
	}
}

// The watch takes no descriptor from the program, whose C may have just closed one and expect its number.
func TestWatchTakesNoDescriptor(t *testing.T) {
	const which = "SEAM_TEST_WATCH_FD"
	if os.Getenv(which) != "" {
		if _, err := coro.Call(t.Context(), ctest.Return, at(&ctest.Args{})); err != nil {
			t.Fatal(err) // the watch has started
		}
		first, err := syscall.Dup(0)
		if err != nil {
			t.Fatal(err)
		}
		syscall.Close(first)
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
			fd, err := syscall.Dup(0)
			if err != nil || fd != first {
				t.Fatalf("the lowest free number is %d, %v; it was %d", fd, err, first)
			}
			syscall.Close(fd)
		}
		return
	}
	if coro.Status().Path != coro.PathAssembly || len(child.Emulator()) > 0 {
		t.Skip("only where coroutines have stacks of their own, and the kernel knows them")
	}
	cmd := child.Self(t, "-test.run=^TestWatchTakesNoDescriptor$", "-test.count=1")
	cmd.Env = append(os.Environ(), which+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v, the child said:\n%s", err, out)
	}
}
