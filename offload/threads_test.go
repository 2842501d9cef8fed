//go:build cgo && linux

package offload_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

// threads counts this process's threads with the name, or all.
func threads(name string) (n int) {
	files, _ := filepath.Glob("/proc/self/task/*/comm")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && (name == "" || strings.TrimSpace(string(text)) == name) {
			n++
		}
	}
	return n
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A thousand goroutines in calls that block take the pool's threads and no others.
// Close gives everything back.
func TestThreadsAreBounded(t *testing.T) {
	const name, n, goroutines = "bounded-threads", 4, 1000
	first := start(t, offload.Options{Threads: 1}) // Go's poller and helpers exist from here on
	closeNow(t, first)
	files := descriptors(t)
	before := threads("")
	p := start(t, offload.Options{Threads: n, Name: name + "-and-more"})
	eventually(t, "the threads have started", func() bool { return threads(name) == n })
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			ns := int64(100 * time.Microsecond)
			if got, err := p.Do(background, ctest.SleepFn, unsafe.Pointer(&ns)); got != ns || err != nil {
				t.Errorf("Do returned %d, %v", got, err)
			}
		})
	}
	eventually(t, "half of the calls are done", func() bool { return p.Stats().Done >= goroutines/2 })
	if got := threads(name); got > n { // a look may miss one while others come and go
		t.Errorf("the pool has %d threads, want %d", got, n)
	}
	// Go has some threads of its own, and starts others as it likes.
	if all := threads(""); all > before+n+20 {
		t.Errorf("the process has %d threads with %d goroutines in calls on %d, and had %d before", all, goroutines, n, before)
	}
	wg.Wait()
	closeNow(t, p)
	eventually(t, "the threads are gone", func() bool { return threads(name) == 0 })
	eventually(t, "the descriptors are closed", func() bool { return descriptors(t) <= files })
}

// A function that ends its thread makes its call fail, and no other; the pool keeps
// its size.
func TestThreadEnded(t *testing.T) {
	const name, n = "ended-threads", 2
	p := start(t, offload.Options{Threads: n, Name: name})
	for i := range int64(10) {
		want(t, begin(background, p, ctest.ExitFn, nil), 0, offload.ErrThreadEnded)
		want(t, begin(background, p, ctest.AddFn, unsafe.Pointer(&ctest.Add{A: i, B: 1})), i+1, nil)
	}
	eventually(t, "the pool has its threads again", func() bool { return threads(name) == n })
	if s := p.Stats(); s.Threads != n || s.ThreadsEnded != 10 || s.Done != 20 || s.Busy != 0 {
		t.Errorf("the figures are %v", s)
	}
	// The last ones end while the pool closes.
	var ends []<-chan outcome
	for range n {
		ends = append(ends, begin(background, p, ctest.ExitFn, nil))
	}
	eventually(t, "they are taken", func() bool { return p.Stats().Queued == 0 })
	closeNow(t, p)
	for _, end := range ends {
		got := <-end
		if got.err != offload.ErrThreadEnded && got.err != offload.ErrClosed {
			t.Errorf("the call returned %v", got)
		}
	}
	eventually(t, "the threads are gone", func() bool { return threads(name) == 0 })
}

func TestThreadName(t *testing.T) {
	p := start(t, offload.Options{Name: "a name too löng for Linux"})
	name := new([16]byte)
	if got, err := p.Do(background, ctest.ThreadNameFn, unsafe.Pointer(name)); got != 0 || err != nil {
		t.Fatal(got, err)
	}
	if got, _, _ := bytes.Cut(name[:], []byte{0}); string(got) != "a name too lön" {
		t.Errorf("the thread's name is %q", got)
	}
}

// Children inherit the thread's signals: none may be blocked, or SIGTERM does not end them.
func TestChildrenHaveAllSignals(t *testing.T) {
	p := start(t, offload.Options{})
	if blocked, err := p.Do(background, ctest.BlockedSignalsFn, nil); blocked != 0 || err != nil {
		t.Errorf("%#x are blocked, %v", blocked, err)
	}
	for how, fn := range map[string]unsafe.Pointer{"fork": ctest.ForkFn, "posix_spawn": ctest.SpawnFn, "system": ctest.SystemFn} {
		if got, err := p.Do(background, fn, unsafe.Pointer(&[]byte("kill -TERM $$\x00")[0])); got != int64(syscall.SIGTERM) || err != nil {
			t.Errorf("SIGTERM sent to a child made by %s: %d, %v", how, got, err)
		}
	}
	// Likewise children that Go starts when C calls it.
	ctest.Callback = func(int64) int64 {
		cmd := exec.Command("/bin/sh", "-c", "kill -TERM $$")
		_ = cmd.Run() // the status says more
		return int64(cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}
	if got, err := p.Do(background, ctest.CallbackFn, unsafe.Pointer(new(int64))); got != int64(syscall.SIGTERM) || err != nil {
		t.Errorf("SIGTERM sent to a child of a callback: %d, %v", got, err)
	}
}

// What the system refuses is an error of New, and leaves nothing behind.
func TestNoDescriptors(t *testing.T) {
	if offload.Status().Path != offload.PathNative {
		t.Skip("this path needs no descriptor")
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	p, err := offload.New(offload.Options{Name: "none"})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if p != nil || !errors.Is(err, syscall.EMFILE) || !strings.Contains(err.Error(), "pool none: ") {
		t.Errorf("New without descriptors returned %v, %v", p, err)
	}
	if n := threads("none"); n != 0 {
		t.Errorf("%d threads are left", n)
	}
}

// The main thread can't end, and its name is the process's: it must stay out of pools.
func TestMainThread(t *testing.T) {
	name := func() string {
		text, err := os.ReadFile("/proc/self/comm")
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	before := name()
	for range 50 {
		if t.Failed() {
			return // each round may take all of its patience
		}
		p := start(t, offload.Options{Threads: 4, Name: "not-the-main"})
		eventually(t, "the threads have started", func() bool { return threads("not-the-main") == 4 })
		if got := name(); got != before {
			t.Fatalf("the process is called %q now, and was %q", got, before)
		}
		closeNow(t, p)
		eventually(t, "the threads are gone", func() bool { return threads("not-the-main") == 0 })
	}
}
