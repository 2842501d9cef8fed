//go:build cgo && linux && seam_servers

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// taskEnv holds the task of a process that measures, as JSON.
const taskEnv = "SEAM_IOBENCH_TASK"

// A task is one of these.
type task struct {
	Load    *loadTask    `json:",omitempty"`
	Blocked *blockedTask `json:",omitempty"`
}

// inChild does the task in the environment, if there is one, and prints the result.
func inChild() (bool, error) {
	text := os.Getenv(taskEnv)
	if text == "" {
		return false, nil
	}
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return true, fmt.Errorf("%s: %w", taskEnv, err)
	}
	var result any
	var err error
	switch {
	case t.Load != nil:
		result, err = t.Load.run()
	case t.Blocked != nil:
		result, err = t.Blocked.run()
	default:
		err = fmt.Errorf("%s has no task: %s", taskEnv, text)
	}
	if err != nil {
		return true, err
	}
	return true, json.NewEncoder(os.Stdout).Encode(result)
}

// inProcess does a task in a fresh process, which has limit for it, and stores what
// that prints in result.
func inProcess(ctx context.Context, t task, limit time.Duration, result any) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(timed, self)
	c.Env = append(os.Environ(), taskEnv+"="+string(text))
	c.Stdout, c.Stderr = &stdout, &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	// A process that is stuck tells where.
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGQUIT) }
	c.WaitDelay = 10 * time.Second
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if timed.Err() != nil {
			err = errors.Join(fmt.Errorf("not done after %v", limit), err)
		}
		return fmt.Errorf("task %s: %w\n%s", text, err, head(stderr.Bytes()))
	}
	if err := json.Unmarshal(stdout.Bytes(), result); err != nil {
		return fmt.Errorf("task %s printed %q: %w", text, stdout.Bytes(), err)
	}
	return nil
}

// head is the beginning of what a process wrote: where a traceback says why.
func head(b []byte) []byte { return b[:min(len(b), 4096)] }
