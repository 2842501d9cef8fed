//go:build cgo && linux

package coro_test

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// C that has its thread to itself goes on on no other: not if a Go function that it calls unlocks the goroutine.
func TestUnlockInUpcall(t *testing.T) {
	const which = "SEAM_TEST_UNLOCK"
	if os.Getenv(which) != "" {
		moved := false
		f := coro.Register(func(*ctest.Item) {
			runtime.UnlockOSThread()
			for range runtime.GOMAXPROCS(0) {
				go func() {
					for {
						runtime.Gosched()
					}
				}()
			}
			here := syscall.Gettid()
			for end := time.Now().Add(150 * time.Second); !moved && time.Now().Before(end); {
				time.Sleep(time.Microsecond)
				moved = syscall.Gettid() != here
			}
		})
		defer f.Free()
		coro.Call(t.Context(), ctest.Upcalls, at(&ctest.Args{Func: f.ID(), N: 1}))
		t.Errorf("C went on; its goroutine has moved: %v", moved)
		return
	}
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("C has a thread of its own")
	}
	cmd := child.Self(t, "-test.run=^TestUnlockInUpcall$", "-test.count=1")
	cmd.Env = append(os.Environ(), which+"=1", "GOMAXPROCS=4")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "seam: coro: C function ctest_upcalls began on a thread that its goroutine has left: a Go function that it called has called runtime.UnlockOSThread") {
		t.Errorf("%v, the child said:\n%s", err, out)
	}
}

// A goroutine that is locked again in time goes on.
func TestUnlockAndLockInUpcall(t *testing.T) {
	f := coro.Register(func(*ctest.Item) {
		runtime.UnlockOSThread()
		runtime.LockOSThread()
	})
	defer f.Free()
	if _, err := coro.Call(t.Context(), ctest.Upcalls, at(&ctest.Args{Func: f.ID(), N: 100})); err != nil {
		t.Error(err)
	}
}
