//go:build !unix

package lab

import (
	"os"
	"os/exec"
)

// openEvents is the worker's end of the pipe for events: standard output, as
// this system hands no further descriptors to a child.
func openEvents() (*os.File, error) {
	out := os.Stdout
	os.Stdout = os.Stderr // what an experiment prints must not mix with events
	return out, nil
}

// attach gives cmd the pipe for events.
func attach(cmd *exec.Cmd, events *os.File) { cmd.Stdout = events }

// stop ends the worker: there is no signal to ask it with.
func stop(p *os.Process) error { return p.Kill() }

func kill(p *os.Process) error { return p.Kill() }

// endOrphan ends this worker, whose parent is gone.
func endOrphan() { os.Exit(1) }
