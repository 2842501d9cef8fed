//go:build unix

package lab

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// eventsFD is the worker's descriptor for events. Not standard output: C code
// of an experiment may print there.
const eventsFD = 3

// openEvents is the worker's end of the pipe for events.
func openEvents() (*os.File, error) {
	// A process that an experiment starts must not hold the pipe open.
	if _, err := unix.FcntlInt(eventsFD, unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("worker without its parent: descriptor 3", err)
	}
	return os.NewFile(eventsFD, "events"), nil
}

// attach gives cmd the pipe for events, and a process group of its own: Ctrl-C
// at the terminal is then for the parent alone, and the worker can be ended
// together with every process that it started.
func attach(cmd *exec.Cmd, events *os.File) {
	cmd.ExtraFiles = []*os.File{events}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// stop asks the worker to finish.
func stop(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// kill ends the worker and what it started.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// endOrphan ends this worker, whose parent is gone, and what it started.
func endOrphan() {
	if pid := os.Getpid(); syscall.Getpgrp() == pid {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	os.Exit(1)
}
