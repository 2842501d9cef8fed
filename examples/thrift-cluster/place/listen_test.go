package place

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A server that was killed leaves its socket behind, and the next one takes its place. It
// takes nothing from a server that lives, nor a file that is something else.
func TestListenWhereAServerWasKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	killed.SetUnlinkOnClose(false)
	killed.Close()
	if _, err := net.Listen("unix", path); err == nil {
		t.Fatal("what was left is not in the way")
	}
	// Several at once: one gets it.
	var mu sync.Mutex
	var all sync.WaitGroup
	var got []net.Listener
	for range 8 {
		all.Go(func() {
			l, err := listen("unix", path)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				got = append(got, l)
			}
		})
	}
	all.Wait()
	if len(got) != 1 {
		t.Fatalf("%d servers listen at one path", len(got))
	}
	if c, err := net.Dial("unix", path); err != nil {
		t.Error(err)
	} else {
		c.Close()
	}
	got[0].Close()

	if err := os.WriteFile(path, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := listen("unix", path); err == nil {
		t.Error("a server listens where a file is")
	}
	if b, err := os.ReadFile(path); string(b) != "keep" {
		t.Errorf("the file has %q, %v", b, err)
	}
	if _, err := listen("unix", filepath.Join(t.TempDir(), "no", "s")); err == nil {
		t.Error("a server listens in no folder")
	}
}
