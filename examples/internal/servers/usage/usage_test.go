//seam:test native

package usage

import (
	"runtime"
	"testing"
)

func TestRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/self/status here")
	}
	// Goroutines that keep their threads: 8 more than before.
	before, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	const more = 8
	end, ready := make(chan struct{}), make(chan struct{})
	for range more {
		go func() {
			runtime.LockOSThread()
			ready <- struct{}{}
			<-end
			runtime.UnlockOSThread()
		}()
	}
	for range more {
		<-ready
	}
	page := make([]byte, 64<<20)
	for i := 0; i < len(page); i += 4096 {
		page[i] = 1
	}
	after, err := Read()
	close(end)
	if err != nil {
		t.Fatal(err)
	}
	if after.Threads < more || after.Threads < before.Threads {
		t.Errorf("%d threads before, %d with %d locked goroutines", before.Threads, after.Threads, more)
	}
	if after.Resident < int64(len(page)) {
		t.Errorf("%d bytes are resident after %d were written", after.Resident, len(page))
	}
	runtime.KeepAlive(page)
}

func TestField(t *testing.T) {
	status := []byte("Name:\tx\nVmRSS:\t   12 kB\nEmpty:\nThreads:\t7\n")
	if n, err := field(status, "VmRSS"); n != 12 || err != nil {
		t.Errorf("VmRSS is %d, %v, want 12", n, err)
	}
	for _, name := range []string{"VmR", "Empty", "Name"} {
		if n, err := field(status, name); err == nil {
			t.Errorf("%s is %d, want an error", name, n)
		}
	}
}
