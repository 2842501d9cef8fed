//go:build cgo && linux && (amd64 || arm64)

package leaf_test

import (
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/leaf/internal/ctest"
)

// keeps are leaves that keep a processor until release is called, and what is said of them.
var keeps = map[string]struct {
	say  string
	call func(release *func()) (keep func())
}{
	"waits": {"seam: leaf: C function reads has kept its processor for ", func(release *func()) func() {
		var fds [2]int
		if err := syscall.Pipe(fds[:]); err != nil {
			panic(err)
		}
		*release = func() { syscall.Write(fds[1], []byte("x")) }
		fd := int32(fds[0])
		read := leaf.Of[int32]("reads", ctest.ReadFn)
		return func() { read.Call(&fd) }
	}},
	"computes": {"seam: leaf: C function until has kept its processor for ", func(release *func()) func() {
		stop := new(atomic.Int32)
		*release = func() { stop.Store(1) }
		until := leaf.Of[atomic.Int32]("until", ctest.UntilFn)
		return func() { until.Call(stop) }
	}},
	// On a thread that was made after the watch had found those that there were.
	"on a new thread": {"seam: leaf: C function until has kept its processor for ", func(release *func()) func() {
		stop, until := new(atomic.Int32), leaf.Of[atomic.Int32]("until", ctest.UntilFn)
		*release = func() { stop.Store(1) }
		return func() {
			time.Sleep(time.Second)
			for range 8 {
				go func() {
					runtime.LockOSThread()
					select {}
				}()
			}
			ended := make(chan bool)
			go func() {
				runtime.LockOSThread()
				until.Call(stop)
				ended <- true
			}()
			<-ended
		}
	}},
}

var frameLine = regexp.MustCompile(`\nseam:   [ ?] `)

// A leaf that waits or computes keeps a processor, and is named, once, where other processors run Go and count it.
func TestKept(t *testing.T) {
	const which = "SEAM_TEST_KEPT"
	if k, ok := keeps[os.Getenv(which)]; ok {
		debug.SetGCPercent(-1) // a collection would wait for C
		for range 2 {
			before, release := leaf.ReadStats().Kept, func() {}
			keep := k.call(&release)
			go func() {
				for leaf.ReadStats().Kept == before {
					time.Sleep(time.Millisecond)
				}
				release()
			}()
			keep()
		}
		return
	}
	if leaf.Status().Path != leaf.PathAssembly || len(child.Emulator()) > 0 {
		t.Skip("only where a leaf keeps its processor, and the kernel knows its stack")
	}
	for name, k := range keeps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := child.Self(t, "-test.run=^TestKept$", "-test.count=1")
			cmd.Env = append(os.Environ(), which+"="+name, "GOMAXPROCS=4")
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Count(string(out), k.say) != 1 || strings.Count(string(out), "seam:") != len(frameLine.FindAll(out, -1))+1 {
				t.Errorf("%v, the child said:\n%s", err, out)
			}
			if name == "waits" && len(frameLine.FindAll(out, -1)) < 2 {
				t.Errorf("no stack in:\n%s", out)
			}
		})
	}
}

// Who does something else is not named: short leaves, cgo calls and Go code after a leaf, however long they take.
func TestNotKept(t *testing.T) {
	const which = "SEAM_TEST_NOT_KEPT"
	if os.Getenv(which) != "" {
		args := &ctest.Add{A: 1, B: 2}
		end := time.Now().Add(1500 * time.Millisecond)
		done := make(chan bool)
		for i := range 4 {
			go func() {
				for time.Now().Before(end) {
					leaf.Call(ctest.AddFn, unsafe.Pointer(args))
					switch i {
					case 1:
						ctest.SleepByCgo(400)
					case 2:
						syscall.Nanosleep(&syscall.Timespec{Nsec: 4e8}, nil)
					case 3:
						for n, stop := 0, time.Now().Add(400*time.Millisecond); time.Now().Before(stop); n++ {
						}
					}
				}
				done <- true
			}()
		}
		for range 4 {
			<-done
		}
		if n := leaf.ReadStats().Kept; n != 0 {
			t.Errorf("%d were found", n)
		}
		return
	}
	cmd := child.Self(t, "-test.run=^TestNotKept$", "-test.count=1")
	cmd.Env = append(os.Environ(), which+"=1", "GOMAXPROCS=4")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "seam: leaf: C function") {
		t.Errorf("%v, the child said:\n%s", err, out)
	}
}
