//go:build cgo && linux

package coro_test

import (
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// C that waits in a way that keeps its processor is named: when it can't be seen otherwise, and once.
func TestKept(t *testing.T) {
	const which = "SEAM_TEST_KEPT"
	if os.Getenv(which) != "" {
		debug.SetGCPercent(-1) // a collection would wait for C
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
	cmd := child.Self(t, "-test.run=^TestKept$", "-test.count=1")
	cmd.Env = append(os.Environ(), which+"=1", "GOMAXPROCS=4")
	out, err := cmd.CombinedOutput()
	const want = "seam: coro: C function ctest_read_plainly has kept its processor from Go for 200 ms or more in "
	if err != nil || strings.Count(string(out), want) != 1 {
		t.Errorf("%v, the child said:\n%s", err, out)
	}
}
