package ring

import (
	"internal/runtime/exithook"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A program notes what has been done to its handlers of signals when it is told where: while it
// runs, since it may be killed, and at its end.
func init() {
	dir := os.Getenv("SEAM_PROF_SIGNALS")
	if !filepath.IsAbs(dir) {
		return
	}
	pid := os.Getpid()
	name := filepath.Join(dir, strconv.Itoa(pid))
	seen := map[string]bool{}
	note := func() {
		text := state.Path + " " + state.Reason + "\n"
		for _, s := range Signals() {
			seen[s] = true
		}
		for s := range seen { // also what has been put back since
			text += s + "\n"
		}
		// Whole or not at all: who reads may come at any time.
		if os.WriteFile(name+".new", []byte(text), 0o600) == nil {
			os.Rename(name+".new", name+".signals")
		}
	}
	note()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
			select {
			case <-stop:
				note()
				return
			case <-time.After(wait):
				note()
			}
		}
	}()
	exithook.Add(exithook.Hook{RunOnFailure: true, F: func() {
		if os.Getpid() == pid {
			close(stop)
			<-stopped
		}
	}})
}
