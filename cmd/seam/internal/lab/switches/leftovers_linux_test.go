package switches

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// left counts what a case could leave behind outside of Go.
type left struct {
	fds, peerThreads int
	child            bool
}

func leftovers(t *testing.T) left {
	t.Helper()
	var l left
	// The netpoller opens descriptors once a process; have that behind us.
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	l.fds = len(fds)
	names, _ := filepath.Glob("/proc/self/task/*/comm")
	for _, f := range names {
		// A thread that ended between the two is none.
		if b, err := os.ReadFile(f); err == nil && strings.TrimSpace(string(b)) == "seam-peer" {
			l.peerThreads++
		}
	}
	_, err = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	l.child = err != syscall.ECHILD
	return l
}
