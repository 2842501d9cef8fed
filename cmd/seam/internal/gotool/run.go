// Package gotool runs the tools that builds are made of: the go command, cgo, compilers,
// objdump, pkg-config. It reads the go command's settings and lists of packages, takes the
// user's go command lines apart, and runs cgo as the go command would.
package gotool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// Cmd is a command line and the surroundings it runs in.
type Cmd struct {
	Args  []string  // Args[0] is the tool: a name or a path
	Dir   string    // where to run it; "" for this process's folder
	Env   []string  // "NAME=value", on top of this process's environment
	Stdin io.Reader // nil for none

	// Merge makes what the tool prints on standard error part of its output: compilers
	// disagree on where remarks belong.
	Merge bool
}

// waitDelay is how long a tool has to end after an interrupt, and what it left running to
// close its output.
var waitDelay = 5 * time.Second

// Run runs a command to its end and returns what it printed. Its error is an [*Error]. When
// ctx ends the tool gets an interrupt, at which the go command stops its compilers and
// removes its folder; the error then holds the context's cause.
func Run(ctx context.Context, c Cmd) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(cmd.Environ(), c.Env...)
	cmd.Stdin = c.Stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if c.Merge {
		cmd.Stderr = &stdout
	}
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill() // Windows has no interrupts
		}
		return nil
	}
	cmd.WaitDelay = waitDelay
	err := cmd.Run()
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, &Error{Args: c.Args, Err: context.Cause(ctx)}
	case errors.Is(err, exec.ErrWaitDelay):
		return stdout.Bytes(), nil // the tool has ended well; a server that it started lives on
	}
	said := stderr.Bytes()
	if len(bytes.TrimSpace(said)) == 0 {
		said = stdout.Bytes() // go tool compile complains there
	}
	return nil, &Error{Args: c.Args, Output: string(said), Err: err}
}
