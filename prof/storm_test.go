//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/internal/unwind/ctest"
)

// library builds a shared library with the function run(end, arg), which calls the end by way
// of another.
func library(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, path := filepath.Join(dir, "lib.c"), filepath.Join(dir, "lib.so")
	text := `
__attribute__((noinline)) void library_2(void (*end)(void *), void *arg) { volatile char room[99]; room[0] = 1; end(arg); room[0]++; }
__attribute__((noinline)) void run(void (*end)(void *), void *arg) { volatile char room[777]; room[0] = 1; library_2(end, arg); room[0]++; }
`
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), "-O3", "-fomit-frame-pointer", "-shared", "-fPIC", "-o", path, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// What is loaded after the start is in profiles too, under its own names.
func TestLoaded(t *testing.T) {
	path := library(t)
	samples := profile(t, func() { ctest.SpinIn(path, 600) }, 10, "library_2")
	if s := share(t, samples, "library_2", "ctest_spin", "library_2", "run", "ctest_load_spin", "runtime.cgocall"); s < 0.8 {
		t.Errorf("%.0f %% of the time has the whole stack", 100*s)
	}
}

// A profile keeps the first name that it hears for an address. On a busy machine it asks before
// the thread that renews the tables has run.
func TestNamedAtOnce(t *testing.T) {
	if name := ctest.NameIn(library(t)); name != "run" {
		t.Errorf("a function that has just been loaded is called %q", name)
	}
}

// Exceptions, loading and unloading take the dynamic linker's lock, and a handler that waited
// for it would never end. Everything at once, while tables are renewed, stacks grow and
// memory is collected.
func TestStorm(t *testing.T) {
	rounds := 40000
	if testenv.Repeated() || testing.Short() {
		rounds = 2000
	}
	path := library(t)
	profile(t, func() {
		var wg sync.WaitGroup
		stop := make(chan bool)
		for range 2 {
			wg.Go(func() {
				if n := ctest.Throw(rounds); n != rounds {
					t.Errorf("%d of %d exceptions were caught", n, rounds)
				}
			})
		}
		wg.Go(func() {
			if n := ctest.Load(path, rounds/40); n != rounds/40 {
				t.Errorf("the library was loaded %d of %d times", n, rounds/40)
			}
		})
		wg.Go(func() {
			if n := ctest.Churn(rounds / 40); n != rounds/40 {
				t.Errorf("%d of %d threads were made", n, rounds/40)
			}
		})
		wg.Go(func() {
			for range rounds / 4 {
				outer(func() { deeper(20) })
			}
		})
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
				}
			}
		}()
		wg.Wait()
		close(stop)
	}, 1)
}

// A child that C makes by fork while other threads take samples ends, whatever signals it gets.
func TestFork(t *testing.T) {
	times := 200
	if testenv.Repeated() || testing.Short() {
		times = 20
	}
	if v := os.Getenv("SEAM_SOAK"); v != "" {
		times = 20000
	}
	profile(t, func() {
		var wg sync.WaitGroup
		var stop atomic.Bool
		for range 2 {
			wg.Go(func() {
				for !stop.Load() {
					ctest.Churn(1)
				}
			})
		}
		if n := ctest.Fork(times); n != times {
			t.Errorf("%d of %d children ended", n, times)
		}
		stop.Store(true)
		wg.Wait()
	}, 1)
}

//go:noinline
func deeper(n int) (sum int) {
	var room [100]int
	if n > 0 {
		sum = deeper(n - 1)
	}
	return sum + room[n]
}
