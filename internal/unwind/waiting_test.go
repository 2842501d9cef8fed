//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package unwind_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/unwind"
	"github.com/seamgo/seam/internal/unwind/ctest"
)

// names of a stack's functions; those that are inlined in others are left out.
func names(stack []uintptr) (list []string) {
	frames := runtime.CallersFrames(stack)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		list = append(list, f.Function)
	}
	return list
}

// waiting lists the stacks of C in which goroutines wait.
func waiting(t *testing.T, r *unwind.Reader) (stacks [][]string) {
	t.Helper()
	threads, _, _, err := unwind.Waiting(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
	defer r.End()
	for _, s := range r.Look(threads).Stacks {
		var list []string
		for _, pc := range s {
			if name := ctest.Name(pc); strings.HasPrefix(name, "ctest_") {
				list = append(list, name)
			} else {
				list = append(list, names([]uintptr{pc})...)
			}
		}
		stacks = append(stacks, list)
	}
	return stacks
}

// A goroutine that waits in C is found with the C that it waits in and the Go that called it.
func TestWaiting(t *testing.T) {
	if len(child.Emulator()) > 0 {
		t.Skip("the kernel tells of the emulator's stacks")
	}
	r := unwind.NewReader(&abi.Current)
	// One that waits in a signal handler is on two stacks, of which the copy has the first.
	for i, chain := range ctest.Chains[:4] {
		var wg sync.WaitGroup
		wg.Go(func() { ctest.Wait(i) })
		var got [][]string
		found := false
		for end := time.Now().Add(150 * time.Second); !found && time.Now().Before(end); {
			got = waiting(t, r)
			found = slices.ContainsFunc(got, func(s []string) bool {
				rest := []string{"ctest_wait", "ctest_1", "ctest_2", chain, "ctest_chain", "runtime.cgocall", "github.com/seamgo/seam/internal/unwind/ctest.Wait", "runtime.goexit"}
				for _, name := range s {
					if len(rest) > 0 && name == rest[0] {
						rest = rest[1:]
					}
				}
				return len(rest) == 0
			})
		}
		ctest.Wake()
		wg.Wait()
		if !found {
			t.Errorf("%s: no goroutine waits in it; others: %q", chain, got)
		}
	}
}

// Threads that go on while their stacks are read: nothing faults, and each stack that is told
// is one that there was.
func TestWaitingMoves(t *testing.T) {
	if len(child.Emulator()) > 0 {
		t.Skip("the kernel tells of the emulator's stacks")
	}
	stop := make(chan bool)
	var wg sync.WaitGroup
	for i := range ctest.Chains {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					ctest.Nap(i, 1+rand.IntN(5000))
					runtime.Gosched()
				}
			}
		})
	}
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				ctest.Churn(1) // threads that end
				runtime.GC()
			}
		}
	})
	r := unwind.NewReader(&abi.Current)
	seen := 0
	for rounds, end := 0, time.Now().Add(30*time.Second); rounds < 300 || seen < 20 && time.Now().Before(end); rounds++ {
		for _, s := range waiting(t, r) {
			at := slices.Index(s, "ctest_nap")
			if at < 0 {
				continue
			}
			seen++
			rest := slices.DeleteFunc(slices.Clone(s[at:]), func(n string) bool { return !strings.HasPrefix(n, "ctest_") })
			if len(rest) < 3 || rest[1] != "ctest_1" || rest[2] != "ctest_2" {
				t.Fatalf("no such stack: %q", s)
			}
		}
	}
	close(stop)
	wg.Wait()
	if seen == 0 {
		t.Error("none was seen")
	}
	t.Logf("%d stacks", seen)
}
