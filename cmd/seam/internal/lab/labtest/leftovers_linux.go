package labtest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A Left counts what a case could leave behind outside of Go.
type Left struct {
	fds, threads int
	child        bool
}

func (l Left) exceeds(before Left) bool {
	return l.fds > before.fds || l.threads > before.threads || l.child && !before.child
}

// Leftovers counts what is there now. Threads are those that carry the lab's
// name; the watch of package coro stays for the life of the program, and names itself when it first has a processor.
func Leftovers(t *testing.T) Left {
	t.Helper()
	var l Left
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
		if b, err := os.ReadFile(f); err == nil && strings.HasPrefix(string(b), "seam-") && string(b) != "seam-watch\n" {
			l.threads++
		}
	}
	_, err = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	l.child = err != syscall.ECHILD
	return l
}
