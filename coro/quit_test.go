//go:build cgo && linux

package coro_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// reads counts the threads of the process that wait in a read of the descriptor, as the kernel knows it.
func reads(fd int) (n int) {
	files, _ := filepath.Glob("/proc/self/task/*/syscall")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if strings.HasPrefix(string(text), fmt.Sprintf("%d %#x ", syscall.SYS_READ, fd)) {
			n++
		}
	}
	return n
}

// SIGQUIT says who is in C, and where, beside Go's dump: who waits, who has called Go, and who has a processor.
func TestQuit(t *testing.T) {
	const which = "SEAM_TEST_QUIT"
	if os.Getenv(which) != "" {
		var fds [2]int
		if err := syscall.Pipe(fds[:]); err != nil {
			t.Fatal(err)
		}
		called := make(chan bool)
		f := coro.Register(func(*ctest.Item) { close(called); select {} })
		for range 3 {
			go coro.Floating.Call(t.Context(), ctest.Sleep, at(&ctest.Args{N: 1 << 50}))
		}
		for asleep := regexp.MustCompile(`\[chan receive.*\]:\n.*/coro\.\(\*call\)\.sleepFor\(`); ; time.Sleep(time.Millisecond) {
			stacks := make([]byte, 1<<20)
			if len(asleep.FindAll(stacks[:runtime.Stack(stacks, true)], -1)) == 3 {
				break
			}
		}
		go coro.Call(t.Context(), ctest.Upcalls, at(&ctest.Args{Func: f.ID(), N: 1}))
		<-called
		for _, deep := range []int64{0, 20} {
			go coro.Call(t.Context(), ctest.ReadPlainly, at(&ctest.Args{FD: int32(fds[0]), N: deep}))
		}
		for reads(fds[0]) < 2 {
			time.Sleep(10 * time.Millisecond)
		}
		syscall.Kill(os.Getpid(), syscall.SIGQUIT)
		select {}
	}
	if coro.Status().Path != coro.PathAssembly || len(child.Emulator()) > 0 {
		t.Skip("only where coroutines have stacks of their own, and the kernel knows them")
	}
	cmd := child.Self(t, "-test.run=^TestQuit$", "-test.count=1")
	cmd.Env = append(os.Environ(), which+"=1", "GOMAXPROCS=4", "SEAM_WATCH=0")
	out, _ := cmd.CombinedOutput()
	text := string(out)
	if !strings.Contains(text, "SIGQUIT: quit") {
		t.Fatalf("no dump of Go's:\n%s", text)
	}
	if strings.Contains(text, "seam:     ctest_leave_traces") {
		t.Errorf("a function has returned, and is listed:\n%s", text)
	}
	for _, want := range []string{
		`(?m)^seam: coro: goroutines (\d+), (\d+), (\d+) are in C function ctest_sleep, which waits:\nseam:     ctest_sleep`,
		`(?m)^seam: coro: goroutine (\d+) is in C function ctest_upcalls, which has called Go:\nseam:     ctest_upcalls`,
		`(?m)^seam: coro: goroutine (\d+) is in C function ctest_read_plainly, which has a processor:\n(?:seam:   [ ?] .*\n)+?seam:   [ ?] ctest_read_plainly`,
		`(?m)^seam:   [ ?] ctest_read_below\+.*\nseam:     \(no more than 13 are looked for\)$`,
	} {
		m := regexp.MustCompile(want).FindStringSubmatch(text)
		if m == nil {
			t.Errorf("nothing says %s:\n%s", want, text)
			continue
		}
		for _, g := range m[1:] {
			if !strings.Contains(text, "\ngoroutine "+g+" ") {
				t.Errorf("Go's dump has no goroutine %s:\n%s", g, text)
			}
		}
	}
}
