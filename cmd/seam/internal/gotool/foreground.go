package gotool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Streams are the standard streams of a program that is run for the user.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Foreground runs a go command that the user has asked for, or a program: in this process's folder,
// with the user's terminal and env on top of this process's environment. The error is
// that of [exec.Cmd.Run].
//
// When ctx ends for a [Signal] other than an interrupt, the programs that the go command
// runs get that, and the go command goes on until they have ended: theirs is the answer,
// however long it takes. A program gets any signal itself. A second signal ends this process.
func Foreground(ctx context.Context, streams Streams, argv, env []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.Stdin, streams.Stdout, streams.Stderr
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error {
		to := children(cmd.Process.Pid)
		sig := SignalOf(ctx)
		if sig == os.Interrupt && inForeground() {
			return nil // the terminal has sent it to all of them
		}
		if !IsGo(argv[0]) {
			to = []int{cmd.Process.Pid}
		} else if sig == os.Interrupt || len(to) == 0 {
			// The go command ends its work and removes its folder. What it has started (go
			// run: the program) gets the signal too, as it would from a terminal.
			to, sig = append(Descendants(cmd.Process.Pid), cmd.Process.Pid), os.Interrupt
		}
		for _, pid := range to {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Signal(sig) // it may be gone
			}
		}
		return nil
	}
	err := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.Success() {
		return nil // it was asked to end, and ended well
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 {
		// A Ctrl-C that kills the go command reaches this process too, perhaps later.
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return err
}

// Descendants lists the processes that a process has started, and those that they have
// started in turn.
func Descendants(pid int) (list []int) {
	for _, child := range children(pid) {
		list = append(append(list, child), Descendants(child)...)
	}
	return list
}

// children lists the processes that a process has started. Where the system doesn't
// tell, there are none.
func children(pid int) (list []int) {
	// A child belongs to the thread that started it, and the go command has many.
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
			}
		}
	}
	return list
}
