// Package seam runs the go command and the seam under test, as a user would.
package seam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Project is a folder in which commands are run.
type Project struct {
	Seam string    // the seam to run: an absolute path
	Dir  string    // the folder of the package
	Env  []string  // added to the environment: "GOWORK=off"
	Log  io.Writer // told each command; nil: nobody
}

// Find returns the absolute path of the seam that path names, and an error that
// says how to get one where there is none.
func Find(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("no seam to run: %w (make build makes bin/seam, -seam names another)", err)
	}
	return filepath.Abs(found)
}

// Trace runs a go command traced and leaves the trace in the file trace.
func (p Project) Trace(ctx context.Context, trace string, goArgs ...string) error {
	_, err := p.Run(ctx, append([]string{p.Seam, "trace", "-o", trace, "--", "go"}, goArgs...))
	return err
}

// Plan makes the file plan from the file trace. Build flags that choose files,
// such as -tags, belong into GOFLAGS in Env; flags are those of seam plan.
func (p Project) Plan(ctx context.Context, trace, plan string, flags ...string) error {
	_, err := p.Run(ctx, append([]string{p.Seam, "plan", "--trace", trace, "-o", plan}, flags...))
	return err
}

// Weld returns the command line that runs a go command with the plan.
func (p Project) Weld(plan string, goArgs ...string) []string {
	return append([]string{p.Seam, "weld", "--plan", plan, "--", "go"}, goArgs...)
}

// Go returns the command line of a go command as it is.
func (p Project) Go(goArgs ...string) []string { return append([]string{"go"}, goArgs...) }

// Run runs a command line and returns what it wrote to its standard output. The
// error of one that fails holds the end of what it wrote.
func (p Project) Run(ctx context.Context, line []string) ([]byte, error) {
	var out, both bytes.Buffer
	c := p.Command(ctx, line)
	c.Stdout = io.MultiWriter(&out, &both)
	c.Stderr = &both
	if err := c.Run(); err != nil {
		return out.Bytes(), p.Failed(ctx, line, err, both.Bytes())
	}
	return out.Bytes(), nil
}

// Command prepares a command line. It ends with ctx, together with all that it
// has started.
func (p Project) Command(ctx context.Context, line []string) *exec.Cmd {
	if p.Log != nil {
		fmt.Fprintf(p.Log, "%s\n", strings.Join(line, " "))
	}
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Dir = p.Dir
	c.Env = append(os.Environ(), p.Env...)
	endTogether(c)
	c.WaitDelay = 10 * time.Second
	return c
}

// Failed returns the error of a command that ended with err after it had written
// output.
func (p Project) Failed(ctx context.Context, line []string, err error, output []byte) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("%s: %w", line[0], err)
	}
	return fmt.Errorf("in %s: %s: %w\n%s", p.Dir, strings.Join(line, " "), err, Tail(string(output), 30))
}

// Tail is the last lines of s, each after a tab.
func Tail(s string, lines int) string {
	all := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return "\t" + strings.Join(all[max(0, len(all)-lines):], "\n\t")
}
