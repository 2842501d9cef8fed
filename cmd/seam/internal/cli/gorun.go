package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// exitStatus is the end of a go command that was run for the user and failed: it has
// said why itself, and its exit code becomes ours.
type exitStatus struct{ code int }

func (e *exitStatus) Error() string { return "the go command ended with code " + strconv.Itoa(e.code) }

// runGo runs a go command for the user: in the user's folder, with the user's
// terminal. The error is *exitStatus if the command ran and failed.
func (s *session) runGo(argv, env []string) error {
	cmd := exec.CommandContext(s.ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, s.stdout, s.stderr
	cmd.Env = append(os.Environ(), env...)
	// The go command ends its work at an interrupt and removes its folder. What
	// it has started (go run: the program) gets the signal too: at a terminal
	// it would have.
	cmd.Cancel = func() error {
		for _, pid := range descendants(cmd.Process.Pid) {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Signal(os.Interrupt) // it may be gone
			}
		}
		return cmd.Process.Signal(os.Interrupt)
	}
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 {
		// A Ctrl-C that kills the go command comes to us too, maybe later.
		select {
		case <-s.ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		return withCode(exitInterrupted, errors.New("interrupted"))
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return &exitStatus{exit.ExitCode()}
	case errors.As(err, &exit):
		return withCode(exitFailed, fmt.Errorf("%s: %w", argv[0], err)) // killed
	}
	return fmt.Errorf("%s can't be run: %w", argv[0], err)
}

// descendants lists the processes that a process has started, and those that
// they have; where the system doesn't tell, none.
func descendants(pid int) (list []int) {
	// A child belongs to the thread that started it, and of those the go
	// command has many.
	names, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				list = append(list, child)
				list = append(list, descendants(child)...)
			}
		}
	}
	return list
}
